import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { QUERY_PATH } from "../../apis/index.ts";
import { Engine, parseQuery, QueryError, type Resource, RESOURCES, type Scope, Table } from "../../query/index.ts";
import type { DashboardFiles } from "../index.ts";

const PREFIX = `${QUERY_PATH}/`;
const HEARTBEAT_MS = 15_000;

/** The routes of the query API over rows in memory, as far as the page uses them. Tokens stand for readers. */
export class QueryTestServer implements AsyncDisposable {
  readonly table = new Table({ now: Date.now });
  readonly engine: Engine;
  /** By token. */
  readonly readers = new Map<string, Scope>();
  /** Whole objects, by the name of their rows. */
  readonly wholes = new Map<string, object>();
  /** Addresses of the requests so far, with their headers. */
  readonly requests: { url: string; lastEventId: string | undefined }[] = [];
  /** Open watches. */
  watches = 0;
  readonly #files: DashboardFiles;
  #server: Server | undefined;
  #port = 0;

  constructor(files: DashboardFiles) {
    this.#files = files;
    this.engine = new Engine({
      table: this.table,
      now: Date.now,
      random: Math.random,
      randomId: randomUUID,
      pause: () => setImmediate(),
    });
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}/dashboard/`;
  }

  /** On the same port as before a stop. */
  async start(port = this.#port): Promise<void> {
    const server = createServer((request, response) => {
      if (!this.#files.handle(request, response)) void this.#answer(request, response);
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
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = "/", headers } = request;
    const lastEventId = headers["last-event-id"] as string | undefined;
    this.requests.push({ url, lastEventId });
    try {
      const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
      const whole = this.#wholeAt(pathname);
      if (whole !== undefined && this.#scopeOf(headers) !== undefined) {
        response.writeHead(200, { "content-type": "application/json" });
        return void response.end(JSON.stringify({ status: whole }));
      }
      const resource = RESOURCES.find((one) => pathname === `${PREFIX}${one}`);
      if (resource === undefined) throw new QueryError(404, "NotFound", "there is no such path");
      const scope = this.#scopeOf(headers);
      if (scope === undefined) return refuse(response, 401, "the hub does not know the token");
      const isWatch = searchParams.get("watch") === "true";
      searchParams.delete("watch");
      const query = parseQuery(resource, searchParams);
      const isEmpty = [...this.engine.pairs({})].every(({ namespace, kindKey }) => !scope.mayRead(namespace, kindKey));
      if (resource !== "fleetclusters" && isEmpty && !scope.mayReadClusters)
        throw new QueryError(403, "Forbidden", `you may not list ${resource}`);
      if (isWatch) await this.#watch(query, scope, lastEventId, response);
      else {
        const { items = [], resourceVersion, ...rest } = await this.engine.list(query, scope);
        const objects = items.map((row) => objectOf(resource, row));
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ metadata: { resourceVersion }, items: objects, ...rest }));
      }
    } catch (error) {
      const status = error instanceof QueryError ? error.status : 500;
      refuse(response, status, error instanceof Error ? error.message : String(error));
    }
  }

  #scopeOf({ authorization = "" }: IncomingMessage["headers"]): Scope | undefined {
    return this.readers.get(authorization.replace("Bearer ", ""));
  }

  #wholeAt(pathname: string): object | undefined {
    const [, name] = /\/federatedobjects\/([^/]+)\/full$/.exec(pathname) ?? [];
    return name === undefined ? undefined : this.wholes.get(decodeURIComponent(name));
  }

  async #watch(
    query: ReturnType<typeof parseQuery>,
    scope: Scope,
    since: string | undefined,
    response: ServerResponse,
  ): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const options = { signal: gone.signal, ...(since === undefined ? {} : { since }) };
    await using watch = this.engine.watch(query, scope, options);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.flushHeaders();
    this.watches += 1;
    const beat = setInterval(() => response.write(": heartbeat\n\n"), HEARTBEAT_MS);
    try {
      for await (const { type, resourceVersion, ...event } of watch) {
        const object = "object" in event ? objectOf(query.resource, event.object) : { metadata: { resourceVersion } };
        response.write(`id: ${resourceVersion}\nevent: ${type}\ndata: ${JSON.stringify({ type, object })}\n\n`);
      }
    } catch (error) {
      const code = error instanceof QueryError ? error.status : 500;
      const message = error instanceof Error ? error.message : String(error);
      response.write(`event: ERROR\ndata: ${JSON.stringify({ type: "ERROR", object: { code, message } })}\n\n`);
    } finally {
      clearInterval(beat);
      this.watches -= 1;
      response.end();
    }
  }
}

function refuse(response: ServerResponse, code: number, message: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(code, { "content-type": "application/json" });
  response.end(JSON.stringify({ kind: "Status", status: "Failure", code, message }));
}

function objectOf(resource: Resource, row: object): object {
  const { namespace } = row as { namespace?: string };
  const metadata = { name: nameOf(resource, row), ...(namespace === undefined ? {} : { namespace }) };
  return { metadata, status: row };
}

function nameOf(resource: Resource, row: object): string {
  const { kind, group, name, cluster, reason, shape, at } = row as Partial<Record<string, string>>;
  switch (resource) {
    case "federatedobjects":
      return `${kind}.${group}:${name}`;
    case "placedobjects":
      return `${kind}.${group}:${name}:${cluster}`;
    case "fleetclusters":
      return name ?? "";
    case "causes":
      return `${reason}-${shape}`;
    case "transitions":
      return `${at}-${cluster}`;
  }
}
