import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { CertifiedKey } from "../certificates/index.ts";
import type { Logger } from "../observability/index.ts";
import { ReviewError } from "./admission/review.ts";

/** Answers the JSON body of one call. A {@link ReviewError} is the caller's fault; anything else is ours. */
export type WebhookHandler = (body: unknown, signal: AbortSignal) => unknown;

export interface WebhookServerOptions {
  /** 0 takes any free port. */
  port: number;
  host?: string;
  /** By path. */
  handlers: Readonly<Record<string, WebhookHandler>>;
  logger: Logger;
  /** Called for each call: its path, the HTTP status of the answer, and how long it took. */
  observe?: (call: { path: string; code: number; ms: number }) => void;
}

/** A list of 500 applications near the limit of etcd is the largest thing that is ever converted. */
const LARGEST_BODY = 512 * 1024 * 1024;
const CLOSE_DEADLINE_MS = 5_000;
/** To close a connection while a call comes in would fail the call: so long, an open connection may wait for a call and end with its answer. */
const DRAIN_MS = 2_000;

/** Serves webhooks over TLS. It listens from the first certificate on, and takes each later one for the connections that then begin. */
export class WebhookServer implements AsyncDisposable {
  readonly #options: WebhookServerOptions;
  readonly #ended = new AbortController();
  readonly #connections = new Set<Socket>();
  #server: Server | undefined;
  /** Set once it is to end: called when the last connection is gone. */
  #drained: (() => void) | undefined;

  constructor(options: WebhookServerOptions) {
    this.#options = options;
  }

  /** The port that is listened on; undefined before the first certificate. */
  get port(): number | undefined {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port;
  }

  /** Rejects when the port cannot be listened on. */
  async show({ certPem, keyPem }: CertifiedKey): Promise<void> {
    if (this.#server !== undefined) {
      this.#server.setSecureContext({ cert: certPem, key: keyPem, minVersion: "TLSv1.2" });
      return;
    }
    const server = createServer({ cert: certPem, key: keyPem, minVersion: "TLSv1.2" }, (request, response) => {
      void this.#serve(request, response);
    });
    // API servers keep their connections; one that is closed under a call would fail that call.
    server.keepAliveTimeout = 120_000;
    server.requestTimeout = 60_000;
    server.on("connection", (socket: Socket) => {
      this.#connections.add(socket);
      socket.once("close", () => {
        this.#connections.delete(socket);
        if (this.#connections.size === 0) this.#drained?.();
      });
    });
    server.on("tlsClientError", (error) => this.#options.logger.debug({ err: error }, "webhook connection refused"));
    const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject);
    const { port, host } = this.#options;
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
    await listening;
    server.off("error", reject);
    this.#server = server;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const { code, body } = await this.#answer(path, request);
    if (this.#drained !== undefined) response.setHeader("connection", "close");
    const text = JSON.stringify(body);
    response.writeHead(code, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
    this.#options.observe?.({ path, code, ms: performance.now() - started });
  }

  async #answer(path: string, request: IncomingMessage): Promise<{ code: number; body: unknown }> {
    const handler = Object.hasOwn(this.#options.handlers, path) ? this.#options.handlers[path] : undefined;
    if (handler === undefined) return { code: 404, body: { message: "no such webhook" } };
    if (request.method !== "POST") return { code: 405, body: { message: "webhooks are called by POST" } };
    try {
      return { code: 200, body: await handler(await readJson(request), this.#ended.signal) };
    } catch (error) {
      const code = error instanceof ReviewError ? 400 : 500;
      if (code === 500) this.#options.logger.error({ err: error, path }, "a webhook call failed");
      return { code, body: { message: error instanceof Error ? error.message : "internal error" } };
    }
  }

  /** Resolves when the calls under way are answered and nobody is connected any more, a few seconds later at most. */
  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    const drained = Promise.withResolvers<void>();
    this.#drained = drained.resolve;
    if (this.#connections.size === 0) drained.resolve();
    const enough = setTimeout(drained.resolve, DRAIN_MS);
    await drained.promise;
    clearTimeout(enough);
    const { promise, resolve } = Promise.withResolvers<void>();
    const deadline = setTimeout(() => {
      this.#ended.abort(new Error("the webhooks end"));
      server.closeAllConnections();
    }, CLOSE_DEADLINE_MS - DRAIN_MS);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    server.closeIdleConnections();
    await promise;
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new ReviewError("the request is too large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
  } catch (cause) {
    throw new ReviewError("the request is not JSON", { cause });
  }
}
