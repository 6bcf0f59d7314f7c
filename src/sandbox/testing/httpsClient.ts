import { parseJson } from "../../apis/index.ts";
import { createInterface } from "node:readline";
import { type Dispatcher, Agent, request } from "undici";
import type { KubeObject } from "../types.ts";

export interface Connection {
  url: string;
  caPem: string;
  adminToken: string;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
  text: string;
}

export interface WatchLine {
  type: string;
  object: KubeObject;
}

export interface SendOptions {
  contentType?: string;
  headers?: Record<string, string>;
  /** Gives up. */
  signal?: AbortSignal;
}

export interface ClientOptions {
  http1?: boolean;
}

/** Sends plain requests and reads plain answers, over HTTP/2. */
export class HttpsClient {
  readonly #connection: Connection;
  readonly #agent: Agent;

  constructor(connection: Connection, options: ClientOptions = {}) {
    this.#connection = connection;
    this.#agent = new Agent({ allowH2: options.http1 !== true, connect: { ca: connection.caPem } });
  }

  close(): Promise<void> {
    return this.#agent.destroy(null);
  }

  async send(method: string, path: string, body?: unknown, options: SendOptions = {}): Promise<Answer> {
    const answer = await this.#request(method, path, body, options, options.signal);
    const text = await answer.body.text();
    const isJson = answer.headers["content-type"]?.includes("json") === true;
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: isJson ? (parseJson(text) as Record<string, unknown>) : {},
      text,
    };
  }

  patch(path: string, body: unknown, kind: "apply" | "json" | "merge" | "strategic"): Promise<Answer> {
    const types = {
      apply: "application/apply-patch+yaml",
      json: "application/json-patch+json",
      merge: "application/merge-patch+json",
      strategic: "application/strategic-merge-patch+json",
    };
    return this.send("PATCH", path, body, { contentType: types[kind] });
  }

  async list(path: string): Promise<KubeObject[]> {
    const { body, status, text } = await this.send("GET", path);
    if (status !== 200) throw new Error(text);
    return body["items"] as KubeObject[];
  }

  async watch(path: string, options: SendOptions = {}): Promise<OpenWatch> {
    const stop = new AbortController();
    const answer = await this.#request("GET", path, undefined, options, stop.signal);
    if (answer.statusCode !== 200) throw new Error(await answer.body.text());
    return new OpenWatch(answer.body, stop);
  }

  #request(method: string, path: string, body: unknown, options: SendOptions, signal?: AbortSignal) {
    const { url, adminToken } = this.#connection;
    return request(`${url}${path}`, {
      dispatcher: this.#agent,
      method: method as Dispatcher.HttpMethod,
      headers: {
        authorization: `Bearer ${adminToken}`,
        "user-agent": "test/1",
        ...(body === undefined ? {} : { "content-type": options.contentType ?? "application/json" }),
        ...options.headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}

/** The lines of a watch, one after the other. */
export class OpenWatch implements AsyncDisposable {
  readonly #lines: AsyncIterator<string>;
  readonly #stop: AbortController;

  constructor(body: Dispatcher.ResponseData["body"], stop: AbortController) {
    this.#stop = stop;
    body.on("error", () => undefined);
    this.#lines = createInterface({ input: body })[Symbol.asyncIterator]();
  }

  /** Undefined when the server has ended the watch. */
  async next(): Promise<WatchLine | undefined> {
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : (parseJson(value) as WatchLine);
  }

  async take(count: number): Promise<WatchLine[]> {
    const lines: WatchLine[] = [];
    while (lines.length < count) {
      const line = await this.next();
      if (line === undefined) throw new Error(`the watch ended after ${lines.length} lines`);
      lines.push(line);
    }
    return lines;
  }

  async until(found: (line: WatchLine) => boolean): Promise<WatchLine> {
    for (;;) {
      const line = await this.next();
      if (line === undefined) throw new Error("the watch ended");
      if (found(line)) return line;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    return Promise.resolve();
  }
}
