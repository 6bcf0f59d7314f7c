import { chmod, cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { controlPlaneAssets, REPOSITORY } from "../envtest/index.ts";
import { helmBinary } from "../envtest/helm.ts";
import { codeSpans, read, sectionsOf } from "../integration/pages/markdown.ts";
import { commandsOf, type PageCommand, sectionsWithBlocks } from "./commands.ts";
import { isLeftOut, isShown, type Visit, VISITS, type Walk } from "./itinerary.ts";
import { type Foreground, type Said, Terminal } from "./terminal.ts";

/** What is special about a command of a page. */
export interface Step {
  /** Exit codes that the page promises, or that follow from the moment; 0 unless told. */
  exits?: readonly number[];
  /** Stays in the foreground until the walk ends, unless the test ends it earlier; the rest goes on when its output has that. */
  until?: RegExp;
  /** An option in the place of the answer to what the command asks on a terminal: nobody types here. */
  answer?: string;
  /** After the command; in the foreground: once it is ready. */
  afterwards?: (said: Said) => Promise<void> | void;
}

export type Steps = readonly (readonly [RegExp, Step])[];

/** The remark on a page for a command that stays in the foreground. */
const OWN_TERMINAL = /# in a terminal of its own/;

/** Folders that kubectl and helm walk through themselves, which do not follow links. */
const COPIED = ["charts", "placements"];

/** Words on the pages that stand for a name of the reader's. */
export type Placeholders = Readonly<Record<string, string>>;

/**
 * Somebody who has cloned the repository and types what the pages say, in their order. Files of the reader's lie beside those of the
 * repository, in a folder of its own.
 */
export class Reader implements AsyncDisposable {
  readonly folder: string;
  readonly terminal: Terminal;
  readonly #walk: Walk;
  readonly #placeholders: Placeholders;
  readonly #things: AsyncDisposableStack;
  readonly #foreground: Foreground[] = [];
  readonly #followed = new Set<Visit>();

  private constructor(walk: Walk, placeholders: Placeholders, folder: string, things: AsyncDisposableStack) {
    this.#walk = walk;
    this.#placeholders = placeholders;
    this.#things = things;
    this.folder = join(folder, "meridian");
    const path = [join(folder, "bin"), dirname(process.execPath), process.env["PATH"] ?? ""].join(":");
    // Nobody's own settings: npm would look for news, and kubectl for a kubeconfig.
    const env = { PATH: path, HOME: join(folder, "home"), npm_config_update_notifier: "false" };
    this.terminal = things.use(new Terminal({ folder: this.folder, env }, join(folder, "terminal")));
  }

  /** With programs of the test in front of those of the machine: shell text by name. */
  static async arrive(walk: Walk, placeholders: Placeholders = {}, programs: Placeholders = {}): Promise<Reader> {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await temporaryFolder("meridian-pages-")).path;
    for (const name of ["bin", "home", "terminal", "meridian"]) await mkdir(join(folder, name));
    for (const name of await readdir(REPOSITORY)) {
      if (name === ".git") continue;
      const [from, to] = [join(REPOSITORY, name), join(folder, "meridian", name)];
      await (COPIED.includes(name) ? cp(from, to, { recursive: true }) : symlink(from, to));
    }
    await symlink((await controlPlaneAssets()).kubectl, join(folder, "bin/kubectl"));
    await symlink(await helmBinary(), join(folder, "bin", "helm" in programs ? "helm-itself" : "helm"));
    for (const [name, text] of Object.entries(programs)) {
      const file = join(folder, "bin", name);
      await writeFile(file, `#!/usr/bin/env bash\n${text}\n`);
      await chmod(file, 0o755);
    }
    return new Reader(walk, placeholders, folder, stack.move());
  }

  /** Gives the reader a file. */
  async has(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, file)), { recursive: true });
    await writeFile(join(this.folder, file), text, { mode: 0o600 });
  }

  /** Runs a command that has to succeed. */
  async does(command: string, exits: readonly number[] = [0]): Promise<Said> {
    const said = await this.terminal.type(command);
    expect(exits, `${command}: exit code ${said.code}\n${said.stderr}${said.stdout}`).toContain(said.code);
    return said;
  }

  /** The commands of a section, as far as the itinerary sends this walk there. Every step has to be one of a command. */
  async follow(page: string, title: string, steps: Steps = []): Promise<void> {
    const visit = VISITS.find((one) => one.by === this.#walk && one.page === page && one.title === title);
    if (visit === undefined) throw new Error(`the itinerary does not send ${this.#walk} to ${page}: ${title}`);
    const commands = commandsIn(page, title).filter(({ text }) => visit.commands?.test(text) ?? true);
    const unused = new Set(steps);
    for (const command of commands) {
      const found = steps.find((step) => unused.has(step) && step[0].test(command.text));
      if (found !== undefined) unused.delete(found);
      if (!isLeftOut(page, command.text)) await this.#take(`${page}: ${title}`, command, found?.[1] ?? {});
    }
    expect(
      [...unused].map(([pattern]) => pattern),
      `${page}: ${title} has no such commands`,
    ).toEqual([]);
    this.#followed.add(visit);
  }

  /** A command that stands in a sentence of a section. */
  async followSentence(page: string, title: string, command: string, step: Step = {}): Promise<Said> {
    const section = sectionsOf(read(page)).find((one) => one.title === title);
    expect(codeSpans(section?.text ?? ""), `${page}: ${title}`).toContain(command);
    const said = await this.does(this.#filledIn(command), step.exits);
    await step.afterwards?.(said);
    return said;
  }

  /** The last command that was left running in the foreground. */
  get running(): Foreground {
    const last = this.#foreground.at(-1);
    if (last === undefined) throw new Error("nothing runs in the foreground");
    return last;
  }

  /** Visits of the itinerary that this walk has not made. */
  unvisited(): string[] {
    return VISITS.filter((visit) => visit.by === this.#walk && !this.#followed.has(visit)).map(
      ({ page, title }) => `${page}: ${title}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#foreground.map((one) => one[Symbol.asyncDispose]()));
    await this.#things.disposeAsync();
  }

  async #take(where: string, command: PageCommand, { exits, until, answer, afterwards }: Step): Promise<void> {
    const text = [this.#filledIn(command.text), answer ?? ""].join(" ").trim();
    let said: Said = { code: 0, stdout: "", stderr: "" };
    if (until !== undefined || OWN_TERMINAL.test(text)) {
      if (until === undefined) throw new Error(`${where}: nothing says when ${text} is ready`);
      const opened = this.terminal.open(text);
      this.#foreground.push(opened);
      await opened.until(until);
      said = { ...said, stdout: opened.output };
    } else {
      said = await this.does(text, exits);
      const [header] = command.shown;
      if (header !== undefined)
        expect(columnsOf(said.stdout.split("\n")[0]), `${where}: ${text}`).toEqual(columnsOf(header));
    }
    await afterwards?.(said);
  }

  #filledIn(text: string): string {
    return Object.entries(this.#placeholders).reduce(
      (filled, [word, name]) => filled.replaceAll(new RegExp(`(?<=\\s)${word}(?=\\s|$)`, "g"), name),
      text,
    );
  }
}

/** The commands of a section, in their order. */
export function commandsIn(page: string, title: string): PageCommand[] {
  const section = sectionsWithBlocks().find((one) => one.page === page && one.title === title);
  return (section?.blocks ?? []).filter((block) => !isShown(page, block)).flatMap(commandsOf);
}

/** Of the first line of a table. */
export function columnsOf(header = ""): string[] {
  return header.trim().split(/ {2,}/);
}
