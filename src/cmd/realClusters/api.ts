import { Agent, request as httpsRequest, type RequestOptions } from "node:https";
import type { IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { defined, type KubeObject, parseJson } from "../../apis/index.ts";

/**
 * A client on node:https that shares no code with Meridian's transport, so that tests with it see the transport's
 * mistakes.
 */

export interface ApiConnection {
  server: string;
  ca: string;
  token: string;
}

export interface ApiResponse<T> {
  status: number;
  body: T;
}

export interface ApiRequestOptions {
  contentType?: string;
  accept?: string;
  traceparent?: string;
  timeoutMs?: number;
}

export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly status: number;
  readonly body: unknown;

  constructor(method: string, path: string, status: number, body: unknown) {
    const said = isRecord(body) && typeof body["message"] === "string" ? body["message"] : JSON.stringify(body);
    super(`${method} ${path}: ${status} ${said}`);
    this.status = status;
    this.body = body;
  }
}

export interface WatchLine<T> {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: T;
}

export type PatchKind = "merge" | "json" | "strategic";

export class Api {
  readonly #connection: ApiConnection;
  readonly #agent: Agent;
  readonly #watches: Agent;

  constructor(connection: ApiConnection) {
    this.#connection = connection;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 32, ca: connection.ca });
    this.#watches = new Agent({ keepAlive: false, ca: connection.ca });
  }

  /** Throws only when the connection breaks. */
  async request<T>(
    method: string,
    path: string,
    body?: unknown,
    options: ApiRequestOptions = {},
  ): Promise<ApiResponse<T>> {
    const { timeoutMs = 30_000 } = options;
    const payload = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const response = await this.#send(this.#agent, method, path, payload, options, AbortSignal.timeout(timeoutMs));
    const text = await readAll(response);
    const json = response.headers["content-type"]?.includes("json") === true;
    return { status: response.statusCode ?? 0, body: (json ? parseJson(text) : text) as T };
  }

  async #ok<T>(method: string, path: string, body?: unknown, options?: ApiRequestOptions): Promise<T> {
    const response = await this.request<T>(method, path, body, options);
    if (response.status >= 300) throw new ApiFailure(method, path, response.status, response.body);
    return response.body;
  }

  get<T = KubeObject>(path: string): Promise<T> {
    return this.#ok<T>("GET", path);
  }

  /** Undefined when the object does not exist. */
  async find<T = KubeObject>(path: string): Promise<T | undefined> {
    const response = await this.request<T>("GET", path);
    if (response.status === 404) return undefined;
    if (response.status >= 300) throw new ApiFailure("GET", path, response.status, response.body);
    return response.body;
  }

  async list<T = KubeObject>(path: string): Promise<T[]> {
    return (await this.#ok<{ items: T[] }>("GET", path)).items;
  }

  create<T = KubeObject>(collection: string, object: unknown): Promise<T> {
    return this.#ok<T>("POST", collection, object);
  }

  patch<T = KubeObject>(path: string, kind: PatchKind, body: unknown): Promise<T> {
    return this.#ok<T>("PATCH", path, body, {
      contentType:
        kind === "json"
          ? "application/json-patch+json"
          : `application/${kind === "merge" ? "merge" : "strategic-merge"}-patch+json`,
    });
  }

  /** Server-side apply with force. */
  apply<T = KubeObject>(path: string, object: unknown, fieldManager = "test"): Promise<T> {
    return this.#ok<T>("PATCH", `${path}?fieldManager=${fieldManager}&force=true`, object, {
      contentType: "application/apply-patch+yaml",
    });
  }

  /** False when the object did not exist. */
  async delete(path: string, options?: unknown): Promise<boolean> {
    const response = await this.request("DELETE", path, options);
    if (response.status === 404) return false;
    if (response.status >= 300) throw new ApiFailure("DELETE", path, response.status, response.body);
    return true;
  }

  /** Changes in a collection, after its present objects. Throws when the stream breaks. */
  async *watch<T = KubeObject>(collection: string, signal: AbortSignal): AsyncGenerator<WatchLine<T>, void, void> {
    const separator = collection.includes("?") ? "&" : "?";
    const path = `${collection}${separator}watch=true&timeoutSeconds=3600`;
    const response = await this.#send(this.#watches, "GET", path, undefined, {}, signal);
    if (response.statusCode !== 200)
      throw new ApiFailure("WATCH", path, response.statusCode ?? 0, await readAll(response));
    let broken: Error | undefined;
    const lines = createInterface({ input: response });
    // Both streams may emit several errors; one without a listener would end the process.
    for (const stream of [response, lines]) stream.on("error", (error: Error) => (broken ??= error));
    try {
      for await (const line of lines) yield parseJson(line) as WatchLine<T>;
    } finally {
      response.destroy();
    }
    if (broken !== undefined && !signal.aborted) throw broken;
  }

  close(): void {
    this.#agent.destroy();
    this.#watches.destroy();
  }

  #send(
    agent: Agent,
    method: string,
    path: string,
    payload: string | undefined,
    options: ApiRequestOptions,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const request: RequestOptions = {
      method,
      agent,
      signal,
      headers: {
        authorization: `Bearer ${this.#connection.token}`,
        accept: options.accept ?? "application/json",
        "user-agent": "real-clusters",
        ...defined({ traceparent: options.traceparent }),
        ...(payload === undefined
          ? {}
          : {
              "content-type": options.contentType ?? "application/json",
              "content-length": Buffer.byteLength(payload),
            }),
      },
    };
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(new URL(path, this.#connection.server), request, resolve);
      outgoing.once("error", reject);
      outgoing.end(payload);
    });
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) text += chunk as string;
  return text;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
