import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { ClusterConfig } from "../credentials/types.ts";
import { staticCredentials } from "../credentials/providers.ts";
import { CA, SERVER } from "./certificates.ts";

/** Request that the test's handler receives. */
export interface SeenRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** CN of the client certificate. */
  user: string | undefined;
  httpVersion: string;
}

export type Handler = (request: SeenRequest, response: Http2ServerResponse) => void;

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: SeenRequest[];
  /** Number of connections accepted so far. */
  readonly connections: number;
  /** Configuration for this server, without credentials by default. */
  config(overrides?: Partial<ClusterConfig>): ClusterConfig;
  /** Breaks every connection. */
  sever(): void;
}

/** An HTTP/2 (and 1.1) server on loopback with a certificate of the tests' authority. */
export async function startTestServer(
  handler: Handler,
  certificate: { cert: string; key: string } = SERVER,
): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  const server = createSecureServer({
    ...certificate,
    ca: CA,
    requestCert: true,
    rejectUnauthorized: false,
    allowHTTP1: true,
  });
  server.on("request", (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const socket = request.httpVersion === "1.1" ? request.socket : request.stream.session?.socket;
      const cn = (socket as TLSSocket | undefined)?.getPeerCertificate().subject?.CN;
      const seen: SeenRequest = {
        method: request.method,
        path: request.url,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        user: Array.isArray(cn) ? cn[0] : cn,
        httpVersion: request.httpVersion,
      };
      requests.push(seen);
      handler(seen, response);
    });
  });
  server.on("sessionError", () => undefined);
  const { port, sockets, close } = await listen(server as unknown as Server);
  const url = `https://127.0.0.1:${port}`;
  return {
    url,
    requests,
    get connections() {
      return sockets.accepted;
    },
    config: (overrides = {}) => ({
      server: url,
      caData: CA,
      currentNamespace: "default",
      credentials: staticCredentials({}),
      ...overrides,
    }),
    sever: () => sockets.destroy(),
    [Symbol.asyncDispose]: close,
  };
}

/** Starts a server that accepts connections and never answers, like a half-open peer. */
export async function startSilentServer(): Promise<AsyncDisposable & { url: string }> {
  const { port, close } = await listen(createServer());
  return { url: `https://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}

class Sockets {
  accepted = 0;
  readonly #open = new Set<Socket>();

  add(socket: Socket): void {
    this.accepted++;
    this.#open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#open.delete(socket));
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

async function listen(server: Server): Promise<{ port: number; sockets: Sockets; close: () => Promise<void> }> {
  const sockets = new Sockets();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      sockets.destroy();
    });
  return { port: (server.address() as AddressInfo).port, sockets, close };
}

export function sendJson(
  response: Http2ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Answers with a `v1.Status`. */
export function sendStatus(
  response: Http2ServerResponse,
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
  details?: unknown,
): void {
  sendJson(
    response,
    { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message, details },
    code,
    headers,
  );
}
