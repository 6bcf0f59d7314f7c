import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { buildPage } from "../../src/dashboard/buildPage.ts";
import { DashboardFiles } from "../../src/dashboard/index.ts";
import { QueryTestServer, type QueryTestServerOptions } from "../../src/dashboard/testing/queryServer.ts";

export interface VisitOptions extends QueryTestServerOptions {
  viewport?: { width: number; height: number };
}

/** The page as it is built, and a browser. One for all tests of a file. */
export class Studio implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #files: DashboardFiles;
  readonly #folder: string;

  private constructor(browser: Browser, files: DashboardFiles, folder: string) {
    this.#browser = browser;
    this.#files = files;
    this.#folder = folder;
  }

  static async open(): Promise<Studio> {
    const folder = await mkdtemp(join(tmpdir(), "dashboard-"));
    await buildPage(folder);
    const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
    // As root, as in a container, Chromium has no sandbox of its own. It loads nothing here but the page under test.
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
    return new Studio(browser, await DashboardFiles.load(folder), folder);
  }

  async visit({ viewport = { width: 1_280, height: 900 }, ...rows }: VisitOptions = {}): Promise<Visit> {
    const server = new QueryTestServer(this.#files, rows);
    await server.start();
    const context = await this.#browser.newContext({ viewport });
    return new Visit(server, await context.newPage());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** One reader before one server. */
export class Visit implements AsyncDisposable {
  readonly server: QueryTestServer;
  readonly page: Page;
  /** Errors of scripts, and what the content security policy refused. */
  readonly problems: string[] = [];

  constructor(server: QueryTestServer, page: Page) {
    this.server = server;
    this.page = page;
    this.#listen(page);
  }

  /** Another tab of the same browser. */
  async tab(token = "admin-token", fragment = "#"): Promise<Page> {
    const page = await this.page.context().newPage();
    this.#listen(page);
    await this.#open(page, token, fragment);
    return page;
  }

  #listen(page: Page): void {
    page.on("pageerror", ({ message }) => this.problems.push(message));
    page.on("console", (message) => {
      const text = message.text();
      // The browser itself tells of answers that are none, and of connections that end.
      if (message.type() === "error" && !text.startsWith("Failed to load resource")) this.problems.push(text);
    });
  }

  async signIn(token = "admin-token", fragment = "#"): Promise<void> {
    await this.#open(this.page, token, fragment);
  }

  async #open(page: Page, token: string, fragment: string): Promise<void> {
    await page.goto(`${this.server.address}${fragment}${fragment.includes("?") ? "&" : ""}token=${token}`);
    await page.locator("header h1").waitFor();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
    await this.server[Symbol.asyncDispose]();
  }
}
