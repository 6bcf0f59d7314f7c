import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import { Agent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { freePort } from "../../src/cmd/realClusters/index.ts";
import type { Plane } from "./plane.ts";

/** One request as it came to the proxy. */
export interface ProxiedRequest {
  method: string;
  /** Path without the query. */
  path: string;
  query: URLSearchParams;
  body: string;
}

/** What a fault answers in the server's place. */
export interface FaultAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  /** In place of the body: sent for as long as the client takes it. */
  pour?: Iterable<string>;
}

/** In place of an answer: the connection breaks. */
export const HANG_UP = "HangUp";

type FaultResult = FaultAnswer | typeof HANG_UP | undefined;

/** Undefined lets the request through. The request waits for a promise. */
export type Fault = (request: ProxiedRequest) => FaultResult | Promise<FaultResult>;

/**
 * Stands before one API server, under a certificate of the same authority: records the requests, answers some of them wrongly when told to,
 * and cuts the connection. Speaks HTTP/1.1 and HTTP/2 to the client, HTTP/1.1 to the server.
 */
export class FaultProxy implements AsyncDisposable {
  readonly server: string;
  readonly requests: ProxiedRequest[] = [];
  /** Asked for every request. */
  fault: Fault | undefined;
  readonly #plane: Plane;
  readonly #listener: Http2SecureServer;
  readonly #agent: Agent;
  readonly #sockets = new Set<Socket>();
  #refusing = false;

  private constructor(plane: Plane, port: number, certificate: { cert: string; key: string }) {
    this.#plane = plane;
    this.server = `https://127.0.0.1:${port}`;
    this.#agent = new Agent({ keepAlive: true, ca: plane.caData });
    this.#listener = createSecureServer({ allowHTTP1: true, ...certificate });
    this.#listener.on("connection", (socket: Socket) => {
      if (this.#refusing) {
        socket.destroy();
        return;
      }
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#listener.on("request", (request, response) => void this.#serve(request, response));
    // A connection that breaks is what this proxy is for.
    this.#listener.on("sessionError", () => undefined);
    this.#listener.on("tlsClientError", () => undefined);
  }

  static async start(plane: Plane): Promise<FaultProxy> {
    const port = await freePort();
    const proxy = new FaultProxy(plane, port, await plane.certificate());
    await new Promise<void>((resolve) => proxy.#listener.listen(port, "127.0.0.1", resolve));
    return proxy;
  }

  /** A kubeconfig that leads through the proxy. */
  kubeconfigFor(token: string): string {
    return this.#plane.kubeconfigFor({ token, server: this.server });
  }

  /** Breaks every connection; new ones are welcome. */
  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Breaks every connection and refuses new ones until {@link heal}. */
  cut(): void {
    this.#refusing = true;
    this.disconnect();
  }

  heal(): void {
    this.#refusing = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#agent.destroy();
    await new Promise<void>((resolve) => this.#listener.close(() => resolve()));
  }

  async #serve(incoming: Http2ServerRequest, outgoing: Http2ServerResponse): Promise<void> {
    let body = "";
    try {
      incoming.setEncoding("utf8");
      for await (const chunk of incoming) body += chunk as string;
    } catch {
      return;
    }
    const url = new URL(incoming.url, this.server);
    const request = { method: incoming.method, path: url.pathname, query: url.searchParams, body };
    this.requests.push(request);
    const answer = await this.fault?.(request);
    if (answer === HANG_UP) {
      breakOff(outgoing);
      return;
    }
    if (answer !== undefined) {
      outgoing.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      if (answer.pour !== undefined) {
        // The client breaks it off.
        await pipeline(Readable.from(answer.pour), outgoing).catch(() => undefined);
        return;
      }
      outgoing.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
      return;
    }
    this.#forward(incoming, outgoing, body);
  }

  #forward(incoming: Http2ServerRequest, outgoing: Http2ServerResponse, body: string): void {
    const headers = withoutConnectionHeaders(incoming.headers);
    if (body !== "") headers["content-length"] = String(Buffer.byteLength(body));
    const upstream = httpsRequest(
      new URL(incoming.url, this.#plane.server),
      { method: incoming.method, agent: this.#agent, headers },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, withoutConnectionHeaders(response.headers));
        response.on("data", (chunk: Buffer) => outgoing.write(chunk));
        response.once("end", () => outgoing.end());
        // A stream of the server that breaks off must break off for the client too, not end well.
        response.once("error", () => breakOff(outgoing));
      },
    );
    upstream.once("error", () => {
      if (!outgoing.headersSent) outgoing.writeHead(503);
      outgoing.end();
    });
    outgoing.once("close", () => upstream.destroy());
    upstream.end(body === "" ? undefined : body);
  }
}

/** The compatibility API of HTTP/2 hands out HTTP/1.1 responses too, which have no stream. */
function breakOff(outgoing: Http2ServerResponse): void {
  const stream = outgoing.stream as Http2ServerResponse["stream"] | undefined;
  if (stream === undefined) outgoing.socket.destroy();
  else stream.destroy();
}

/** HTTP/2 forbids the headers that speak of the connection, and HTTP/1.1 does not know HTTP/2's pseudo headers. */
function withoutConnectionHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":") || HOP_BY_HOP.has(name)) continue;
    kept[name] = value;
  }
  return kept;
}

const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "host",
  "content-length",
  "accept-encoding",
]);
