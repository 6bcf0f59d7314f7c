import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { logLines } from "../../observability/testing/logLines.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { Engine } from "../ask/index.ts";
import { QueryServer, type QueryServerOptions } from "../server/index.ts";
import { type Commit, Table } from "../table/index.ts";
import { FakeHub } from "./fakeHub.ts";
import { T0 } from "./fleet.ts";

export const KINDS = [
  { kindKey: "paas.cmft.com/DemoApplication", group: "paas.cmft.com", resource: "demoapplications" },
  { kindKey: "apps/Deployment", group: "apps", resource: "deployments" },
];
export const APPS = "demoapplications.paas.cmft.com";
export const CLUSTERS = "memberclusters.federation.paas.cmft.com";
export const API = "/apis/query.federation.paas.cmft.com/v1alpha1";

type Init = Omit<RequestInit, "headers"> & { headers?: Record<string, string> };

/** The query API on loopback, over a table of the test and the reviews of a fake hub. */
export async function served(options: Partial<QueryServerOptions> & { isFollower?: boolean } = {}) {
  const { isFollower = false, ...rest } = options;
  const hub = new FakeHub();
  const clock = new FakeClock(T0);
  const { logger, lines } = logLines();
  const calls: { resource: string; code: number }[] = [];
  const server = new QueryServer({
    ...{ client: hub.client, clock, logger, kinds: () => KINDS },
    observe: ({ resource, code }) => void calls.push({ resource, code }),
    ...rest,
  });
  let now = T0;
  const table = new Table({ now: () => now });
  let id = 0;
  const outside = { now: () => T0, random: () => 0.5, randomId: () => `id${id++}`, pause: () => undefined };
  const engine = new Engine({ table, ...outside });
  const term = isFollower ? undefined : server.lead(engine);
  const http = createServer((request, response) => {
    if (!server.take(request, response)) response.writeHead(404).end();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  http.listen(0, "127.0.0.1", resolve);
  await promise;
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    http.closeAllConnections();
    http.close();
  });
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const ask = (path: string, token?: string, init: Init = {}): Promise<Response> =>
    fetch(`${origin}${path.startsWith("/apis") || path.startsWith("/openapi") ? path : `${API}${path}`}`, {
      ...init,
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...init.headers },
    });
  return {
    ...{
      hub,
      clock,
      lines,
      calls,
      server,
      table,
      engine,
      term,
      origin,
      ask,
      port: (http.address() as AddressInfo).port,
    },
    commit: (change: Commit): void => {
      now += 10;
      table.commit(change);
    },
    /** The answer's status and JSON. */
    json: async (path: string, token?: string, init?: Init): Promise<Answer> => {
      const response = await ask(path, token, init);
      return { code: response.status, body: (await response.json()) as Answer["body"] };
    },
    /** Opens a watch. */
    watch: async (path: string, token: string, headers: Record<string, string> = {}): Promise<Reader> => {
      const leave = new AbortController();
      const response = await ask(path, token, { headers, signal: leave.signal });
      return new Reader(response, leave);
    },
  };
}

export interface Answer {
  code: number;
  // The tests read what they expect to be there.
  body: {
    kind: string;
    reason: string;
    message: string;
    code: number;
    items: { kind: string; metadata: { name: string; namespace?: string }; status: Record<string, unknown> }[];
    metadata: { resourceVersion: string; continue?: string; name?: string };
    totals: { count: number; ready: number; desired: number };
    partial: { cluster: string; reason: string }[];
    [field: string]: unknown;
  };
}

/** Reads the pieces of a stream, which end with `\n`. Blank ones are heartbeats. */
export class Reader {
  readonly response: Response;
  readonly #leave: AbortController;
  readonly #bytes;
  #text = "";

  constructor(response: Response, leave: AbortController) {
    this.response = response;
    this.#leave = leave;
    this.#bytes = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Undefined: the stream has ended. */
  async line(end = "\n"): Promise<string | undefined> {
    for (;;) {
      const at = this.#text.indexOf(end);
      if (at >= 0) {
        const line = this.#text.slice(0, at);
        this.#text = this.#text.slice(at + end.length);
        return line;
      }
      const { done, value } = await this.#bytes.read();
      if (done) return undefined;
      this.#text += value;
    }
  }

  /** The next event, without heartbeats. */
  async event(): Promise<StreamedEvent | undefined> {
    for (;;) {
      const line = await this.line();
      if (line === undefined) return undefined;
      if (line !== "") return JSON.parse(line) as StreamedEvent;
    }
  }

  /** The next server-sent event: its fields. */
  async sent(): Promise<Record<string, string> | undefined> {
    const text = await this.line("\n\n");
    return text === undefined
      ? undefined
      : Object.fromEntries(text.split("\n").map((line) => [line.split(": ", 1)[0] ?? "", line.replace(/^\w*: /, "")]));
  }

  leave(): void {
    this.#leave.abort();
  }
}

export interface StreamedEvent {
  type: string;
  object: { metadata: { name: string; resourceVersion: string; annotations?: object }; code?: number; reason?: string };
}
