import { defined } from "../../apis/index.ts";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Returns the current faults, one sentence each, without secrets; empty if there are none. */
export type HealthCheck = () => readonly string[] | Promise<readonly string[]>;

export interface ServeOptions {
  /** 0 takes any free port. */
  port: number;
  /** Address to listen on; default: all addresses. */
  host?: string;
  healthz: HealthCheck;
  readyz: HealthCheck;
  metrics: () => Promise<{ contentType: string; body: string }>;
  /** Takes requests for other paths. False: nothing was done, and the answer is 404. */
  others?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface HttpServing extends AsyncDisposable {
  readonly port: number;
  /** Stops listening. Resolves when running requests are answered, at most a second later. */
  close(): Promise<void>;
}

const CLOSE_DEADLINE_MS = 1_000;
const HEAD_BYTES = 32_768;
const HEAD_WITHIN_MS = 10_000;
const MOST_CONNECTIONS = 2_000;

/** Serves `/metrics`, `/healthz`, `/readyz` and what `others` takes. Rejects if the server cannot listen on the port. */
export async function serveHttp(options: ServeOptions): Promise<HttpServing> {
  const server = createServer({ maxHeaderSize: HEAD_BYTES, headersTimeout: HEAD_WITHIN_MS }, (request, response) => {
    if (!isOwn(pathOf(request)) && options.others?.(request, response) === true) return;
    const reply = (answered: Reply): void => {
      // A connection that stays open would delay the close.
      if (!server.listening) response.setHeader("connection", "close");
      send(request, response, answered);
    };
    answer(options, request).then(reply, (error: unknown) =>
      reply({ status: 500, body: `${error instanceof Error ? error.message : String(error)}\n` }),
    );
  });
  server.maxConnections = MOST_CONNECTIONS;
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ port: options.port, ...defined({ host: options.host }) }, resolve);
  await listening;
  server.off("error", reject);
  const close = (): Promise<void> => {
    const { promise, resolve: closed } = Promise.withResolvers<void>();
    const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_DEADLINE_MS);
    // An error here only means that the server was closed already.
    server.close(() => {
      clearTimeout(deadline);
      closed();
    });
    server.closeIdleConnections();
    return promise;
  };
  return { port: (server.address() as AddressInfo).port, close, [Symbol.asyncDispose]: close };
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/";
}

function isOwn(path: string): boolean {
  return path === "/metrics" || path === "/healthz" || path === "/readyz";
}

interface Reply {
  status: number;
  body: string;
  contentType?: string;
  allow?: string;
}

async function answer(options: ServeOptions, request: IncomingMessage): Promise<Reply> {
  const [pathname = "/", query = ""] = (request.url ?? "/").split("?", 2);
  if (!isOwn(pathname)) return { status: 404, body: "not found\n" };
  if (request.method !== "GET" && request.method !== "HEAD")
    return { status: 405, body: "method not allowed\n", allow: "GET, HEAD" };
  if (pathname === "/metrics") return { status: 200, ...(await options.metrics()) };
  const check = pathname === "/healthz" ? options.healthz : options.readyz;
  return health(pathname.slice(1), await check(), new URLSearchParams(query).has("verbose"));
}

function health(name: string, failing: readonly string[], verbose: boolean): Reply {
  if (failing.length === 0) return { status: 200, body: verbose ? `${name} check passed\n` : "ok" };
  return { status: 503, body: `${failing.map((check) => `[-] ${check}\n`).join("")}${name} check failed\n` };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, contentType = "text/plain; charset=utf-8", allow }: Reply,
): void {
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(body),
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    ...defined({ allow }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
