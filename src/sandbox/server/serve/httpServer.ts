import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { Socket } from "node:net";
import { failure } from "../../statusError.ts";
import type { Incoming, Outgoing } from "./exchange.ts";

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

export interface HttpServerOptions {
  certPem: string;
  keyPem: string;
  answer: (incoming: Incoming) => Promise<Outgoing>;
  /** Turns an error at the start of a stream into an answer. */
  failed: (error: unknown) => Outgoing;
}

/** Size limit of a body, the same as the API server's. */
const LARGEST_BODY = 3 * 1024 * 1024;
const STREAMS = 100;
/** Limit of unread watch data, which protects memory. A client that reads too slowly loses its watch. */
const LARGEST_BACKLOG = 64 * 1024 * 1024;
const HOST = "127.0.0.1";

/** HTTP/2 and HTTP/1.1 with TLS on one loopback port. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #server: Http2SecureServer | undefined;
  #port = 0;

  constructor(options: HttpServerOptions) {
    this.#options = options;
  }

  get port(): number {
    return this.#port;
  }

  get listening(): boolean {
    return this.#server !== undefined;
  }

  /** Listens on the port; 0 means any free port, which stays known after a close. Throws EADDRINUSE for a port in use. */
  async listen(port: number): Promise<void> {
    const { certPem: cert, keyPem: key } = this.#options;
    const server = createSecureServer({ cert, key, allowHTTP1: true, settings: { maxConcurrentStreams: STREAMS } });
    // By default Node closes an idle connection after five seconds; every probe of a client would then need a new
    // handshake.
    Object.assign(server, { keepAliveTimeout: 0 });
    server.on(
      "request",
      (request: Http2ServerRequest, response: Http2ServerResponse) => void this.#serve(request, response),
    );
    server.on("connection", (socket: Socket) => {
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    server.on("session", (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
    });
    // Connections broken by the client are no errors of the server.
    server.on("sessionError", () => undefined);
    server.on("tlsClientError", () => undefined);
    server.listen(port, HOST);
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    this.#port = address.port;
    this.#server = server;
  }

  /** Cuts all connections, as a crash does, and keeps listening. */
  reset(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Stops listening and cuts all connections. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, "close");
    server.close();
    this.reset();
    await closed;
  }

  async #serve(request: Request, response: Response): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    // `close` already reports a stream that the client resets.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    let outgoing: Outgoing;
    try {
      const body = await readBody(request);
      const url = request.url ?? "/";
      const at = url.indexOf("?");
      outgoing = await this.#options.answer({
        method: request.method ?? "GET",
        path: at < 0 ? url : url.slice(0, at),
        query: new URLSearchParams(at < 0 ? "" : url.slice(at + 1)),
        headers: request.headers,
        body,
        signal: gone.signal,
      });
    } catch (error) {
      if (gone.signal.aborted) return;
      outgoing = this.#options.failed(error);
    }
    if (!gone.signal.aborted) await this.#send(outgoing, request, response, gone.signal);
  }

  async #send(outgoing: Outgoing, request: Request, response: Response, gone: AbortSignal): Promise<void> {
    switch (outgoing.kind) {
      case "Silence":
        return;
      case "Reset":
        // Ends the whole connection: over HTTP/2 the request's socket is only its stream.
        if ("stream" in request) request.stream.session?.destroy();
        else request.socket.destroy();
        return;
      case "Whole": {
        const { body } = outgoing;
        const length = Buffer.byteLength(body);
        writeHead(response, outgoing.status, { ...outgoing.headers, "content-length": String(length) });
        // A string body is sent in one piece with the head; a Buffer would be a second piece.
        if (request.method === "HEAD" || length === 0) response.end();
        else response.end(body);
        return;
      }
      case "Stream":
        await this.#stream(outgoing, request, response, gone);
    }
  }

  async #stream(
    { headers, begin }: Extract<Outgoing, { kind: "Stream" }>,
    request: Request,
    response: Response,
    gone: AbortSignal,
  ): Promise<void> {
    let started = false;
    const head = () => {
      if (started) return;
      started = true;
      writeHead(response, 200, headers);
      if ("flushHeaders" in response) response.flushHeaders();
    };
    let ended = false;
    try {
      const running = await begin({
        send(line) {
          if (gone.aborted) return;
          head();
          (response as ServerResponse).write(line);
          if (response.writableLength > LARGEST_BACKLOG) request.socket.destroy();
        },
        end() {
          if (ended) return;
          ended = true;
          head();
          response.end();
        },
      });
      if (gone.aborted) running[Symbol.dispose]();
      else {
        gone.addEventListener("abort", () => running[Symbol.dispose](), { once: true });
        head();
      }
    } catch (error) {
      if (gone.aborted) return;
      if (started) response.end();
      else await this.#send(this.#options.failed(error), request, response, gone);
    }
  }
}

function writeHead(response: Response, status: number, headers: Record<string, string | string[]>): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Throws a StatusError 413 for a body that is too large. */
async function readBody(request: Request): Promise<Buffer> {
  if (request.method === "GET" || request.method === "HEAD") return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LARGEST_BODY) {
      throw failure(413, "RequestEntityTooLarge", `Request entity too large: limit is ${LARGEST_BODY}`, {});
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
