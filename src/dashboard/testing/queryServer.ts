import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { createLogger } from "../../observability/index.ts";
import { Engine, QueryServer, Table } from "../../query/index.ts";
import { FakeHub } from "../../query/testing/fakeHub.ts";
import { APPS, CLUSTERS, KINDS } from "../../query/testing/served.ts";
import { type Clock, systemClock } from "../../runtime/index.ts";
import type { DashboardFiles } from "../index.ts";

export interface QueryTestServerOptions {
  /** Fed by somebody else. Absent: an empty one. */
  table?: Table;
  /** Epoch milliseconds of the rows. */
  now?: () => number;
}

/** The query API over rows in memory and a hub that knows three readers, beside the page. */
export class QueryTestServer implements AsyncDisposable {
  readonly table: Table;
  /** Whole objects, by the name of their rows. */
  readonly wholes = new Map<string, object>();
  /** Addresses of the requests so far. */
  readonly requests: string[] = [];
  /** Open streams of watches. */
  streams = 0;
  readonly #hub = new FakeHub();
  readonly #query: QueryServer;
  readonly #files: DashboardFiles;
  #elapsed = 0;
  #server: Server | undefined;
  #port = 0;

  constructor(files: DashboardFiles, { table, now = Date.now }: QueryTestServerOptions = {}) {
    this.#files = files;
    this.table = table ?? new Table({ now });
    const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + this.#elapsed };
    this.#query = new QueryServer({
      ...{ client: this.#hub.client, clock, kinds: () => KINDS },
      logger: createLogger({ level: "silent" }),
    });
    const outside = { now, random: Math.random, randomId: randomUUID, pause: () => setImmediate() };
    const full = { of: ({ kind, group, name }: Named) => Promise.resolve(this.#wholeOf(`${kind}.${group}:${name}`)) };
    this.#query.lead(new Engine({ table: this.table, ...outside }), { full: full as never });
    this.#letIn("admin", { [APPS]: ["*"], [CLUSTERS]: ["*"] });
    this.#letIn("tenant", { [APPS]: ["bank"] });
    this.#letIn("nobody", {});
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}/dashboard/`;
  }

  /** No token is valid any more, and the reviews of before are forgotten. */
  revokeTokens(): void {
    this.#hub.tokens.clear();
    this.#elapsed += 60_000;
  }

  /** On the same port as before a stop. */
  async start(port = this.#port): Promise<void> {
    const server = createServer((request, response) => {
      if (this.#files.handle(request, response)) return;
      this.#count(request, response);
      if (!this.#query.take(request, response)) response.writeHead(404).end();
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Ends every connection at once. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#query[Symbol.asyncDispose]();
  }

  /** Signs in with `<name>-token`. */
  #letIn(name: string, rights: Readonly<Record<string, readonly string[]>>): void {
    this.#hub.user(name, rights);
    this.#hub.tokens.set(`${name}-token`, { username: name, groups: ["system:authenticated"] });
  }

  #count({ url = "" }: IncomingMessage, response: ServerResponse): void {
    this.requests.push(url);
    if (!url.includes("/watches?")) return;
    this.streams += 1;
    response.once("close", () => (this.streams -= 1));
  }

  #wholeOf(name: string): object | undefined {
    return this.wholes.get(name);
  }
}

interface Named {
  kind: string;
  group: string;
  name: string;
}
