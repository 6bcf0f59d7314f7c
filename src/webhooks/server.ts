import { defined, parseJson } from "../apis/index.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { CertifiedKey } from "../certificates/index.ts";
import type { Logger } from "../observability/index.ts";
import { type Clock, TimeSlice } from "../runtime/index.ts";
import { ReviewError } from "./admission/review.ts";
import { Bodies, type Body, type BodyBounds, CallerGoneError, TooLargeError } from "./bodies.ts";

export interface WebhookCall {
  /** Trace of the request about which the API server calls. */
  traceparent: string | undefined;
}

/** A {@link ReviewError} is the caller's fault, any other error is ours. */
export type WebhookHandler = (body: unknown, signal: AbortSignal, call: WebhookCall) => unknown;

/** Answers a call about many objects, one after the other. `review` is the body without them. */
export type ListHandler = (review: unknown, objects: AsyncIterable<unknown>) => Promise<string[]>;

export interface WebhookServerOptions {
  /** 0 takes any free port. */
  port: number;
  host?: string;
  handlers: Readonly<Record<string, WebhookHandler>>;
  lists?: Readonly<Record<string, ListHandler>>;
  clock: Clock;
  logger: Logger;
  /** Called after each call, with the HTTP status of the answer. */
  observe?: (call: { path: string; code: number; ms: number }) => void;
}

/**
 * An API server accepts no body above 3 MiB, and etcd limits an object to half of that. The levels are those that the
 * API server itself reads, plus those of the review. This many values are parsed in less than 100 ms.
 */
const REVIEW: BodyBounds = { bytes: 3 * 1024 * 1024, levels: 10_010, values: 100_000 };
/** A list is converted in one call, whatever its length, and each object is parsed within the bounds of a review. */
const LIST: BodyBounds = { ...REVIEW, bytes: 64 * 1024 * 1024, entries: true };
/**
 * For the head of a request, for the whole request, and for an idle connection. No caller waits longer for an answer.
 */
const HEAD_WITHIN_MS = 5_000;
const SENT_WITHIN_MS = 15_000;
const IDLE_WITHIN_MS = 30_000;
const MOST_CONNECTIONS = 1_000;
const CLOSE_DEADLINE_MS = 5_000;
/** An open connection may wait so long for one more call: closing it while a call comes in would fail the call. */
const DRAIN_MS = 2_000;

/** Serves webhooks over TLS, from the first certificate on. Each later certificate is for new connections. */
export class WebhookServer implements AsyncDisposable {
  readonly #options: WebhookServerOptions;
  readonly #ended = new AbortController();
  readonly #connections = new Set<Socket>();
  readonly #bodies: Bodies;
  #server: Server | undefined;
  /** Set at shutdown, for the end of the last connection. */
  #drained: (() => void) | undefined;

  constructor(options: WebhookServerOptions) {
    this.#options = options;
    this.#bodies = new Bodies(options.clock);
  }

  /** Undefined before the first certificate. */
  get port(): number | undefined {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port;
  }

  /** Listens at the first call, and rejects when the port cannot be opened. */
  async show({ certPem, keyPem }: CertifiedKey): Promise<void> {
    if (this.#server !== undefined) {
      this.#server.setSecureContext({ cert: certPem, key: keyPem, minVersion: "TLSv1.2" });
      return;
    }
    const tls = { cert: certPem, key: keyPem, minVersion: "TLSv1.2" } as const;
    const server = createServer({ ...tls, connectionsCheckingInterval: 1_000 }, (request, response) => {
      void this.#serve(request, response);
    });
    // API servers keep their connections open. Closing one during a call would fail the call.
    server.keepAliveTimeout = 120_000;
    server.headersTimeout = HEAD_WITHIN_MS;
    server.requestTimeout = SENT_WITHIN_MS;
    server.timeout = IDLE_WITHIN_MS;
    server.maxConnections = MOST_CONNECTIONS;
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
    server.listen({ port, ...defined({ host }) }, resolve);
    await listening;
    server.off("error", reject);
    this.#server = server;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const { code, pieces } = await this.#answer(path, request, response);
    // After a body that was not read to its end, the connection cannot take another call.
    if (this.#drained !== undefined || !request.complete) response.setHeader("connection", "close");
    const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
    response.writeHead(code, { "content-type": "application/json", "content-length": length });
    for (const piece of pieces) response.write(piece);
    response.end();
    this.#options.observe?.({ path, code, ms: performance.now() - started });
  }

  async #answer(
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ code: number; pieces: string[] }> {
    const { handlers, lists = {}, logger } = this.#options;
    const list = Object.hasOwn(lists, path) ? lists[path] : undefined;
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
    if (list === undefined && handler === undefined) return refusal(404, "no such webhook");
    if (request.method !== "POST") return refusal(405, "webhooks are called by POST");
    try {
      using body = await this.#bodies.read(request, list === undefined ? REVIEW : LIST);
      await this.#turn();
      if (list !== undefined) return { code: 200, pieces: await list(json(withoutEntries(body)), this.#entries(body)) };
      const { traceparent } = request.headers;
      const call = { traceparent: typeof traceparent === "string" ? traceparent : undefined };
      const answer = await handler?.(json(body.bytes), this.#ended.signal, call);
      return { code: 200, pieces: [JSON.stringify(answer)] };
    } catch (error) {
      const message = error instanceof Error ? error.message : "internal error";
      if (error instanceof TooLargeError) return refusal(413, message);
      if (error instanceof ReviewError) return refusal(400, message);
      // A request is destroyed once its body is read; the response only when the caller is gone.
      if (error instanceof CallerGoneError || response.destroyed) return refusal(499, message);
      logger.error({ err: error, path }, "a webhook call failed");
      return refusal(500, message);
    }
  }

  async *#entries({ bytes, entries }: Body): AsyncGenerator<unknown> {
    for (const [begin, end] of entries) {
      await this.#turn();
      yield json(bytes.subarray(begin, end));
    }
  }

  /** Spreads simultaneous calls over several turns of the event loop. */
  async #turn(): Promise<void> {
    const slice = TimeSlice.of(this.#options.clock);
    while (slice.spent) await slice.next();
  }

  /** Resolves when the running calls are answered and all connections are closed, after a few seconds at most. */
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

function refusal(code: number, message: string): { code: number; pieces: string[] } {
  return { code, pieces: [JSON.stringify({ message })] };
}

function json(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString("utf8"));
  } catch (cause) {
    throw new ReviewError("the request is not JSON", { cause });
  }
}

function withoutEntries({ bytes, entries }: Body): Buffer {
  const [first, last] = [entries.at(0), entries.at(-1)];
  if (first === undefined || last === undefined) return bytes;
  return Buffer.concat([bytes.subarray(0, first[0]), bytes.subarray(last[1])]);
}
