import { Agent, type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest, type RequestOptions as TlsOptions } from "node:https";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { ApiError, type ClusterConfig, type Credentials, guardedLookup } from "../../runtime/index.ts";
import { handshake, portForwardPath, Tunnel } from "./portForward.ts";

/** One GET request. The caller reads the body, or destroys it. */
export interface Asking {
  path: string;
  accept: string;
  signal: AbortSignal;
}

/** A way to a server of the query API, with the person's own credentials. */
export interface Way extends Disposable {
  /** For a person, such as `the pod meridian-0`. */
  readonly name: string;
  ask(asking: Asking): Promise<IncomingMessage>;
}

/** To the API server, which passes requests of an APIService on. */
export function throughHub(config: ClusterConfig): Way {
  return {
    name: "the hub's APIService",
    ask: async ({ path, accept, signal }) => answered(await hubRequest(config, path, { accept }), signal),
    [Symbol.dispose]: () => undefined,
  };
}

/** To a manager of this machine, without TLS: the caller has made sure that it is this machine. */
export function atAddress(address: URL, credentials: Credentials): Way {
  return {
    name: `the manager at ${address.origin}`,
    async ask({ path, accept, signal }) {
      const { hostname: host, port } = address;
      const headers = await withToken({ accept }, credentials);
      return await answered(httpRequest({ host, port, path, headers }), signal);
    },
    [Symbol.dispose]: () => undefined,
  };
}

export interface PodPorts {
  namespace: string;
  pod: string;
  /** Takes tokens. */
  plain: number;
  /** Takes client certificates. Absent: the manager has no such port. */
  tls?: number;
}

/** To a port of the manager's pod, through the API server. */
export async function throughPod(config: ClusterConfig, { namespace, pod, plain, tls }: PodPorts): Promise<Way> {
  const { credentials } = config;
  const certificate = await credentials.clientCertificate?.();
  const hasToken = (await credentials.authorization()) !== undefined;
  const isEncrypted = !hasToken && certificate !== undefined && tls !== undefined;
  const port = isEncrypted ? tls : plain;
  const open = async (): Promise<Duplex> => {
    const tunnel = await openTunnel(config, portForwardPath(namespace, pod, port));
    if (!isEncrypted) return tunnel;
    // The API server has proven itself, and the tunnel ends in the pod. The key of the certificate never leaves here.
    return connectTls({ socket: tunnel, ...certificate, rejectUnauthorized: false });
  };
  const agent = new TunnelAgent(open);
  return {
    name: `the pod ${pod}`,
    async ask({ path, accept, signal }) {
      const headers = await withToken({ accept, host: "127.0.0.1" }, credentials);
      return await answered(httpRequest({ agent, host: "127.0.0.1", port, path, headers }), signal);
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

const MOST_TUNNELS = 4;

class TunnelAgent extends Agent {
  readonly #open: () => Promise<Duplex>;

  constructor(open: () => Promise<Duplex>) {
    super({ keepAlive: true, maxSockets: MOST_TUNNELS });
    this.#open = open;
  }

  override createConnection(
    _options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.#open().then(
      (stream) => callback?.(null, stream),
      (error: unknown) => callback?.(error as Error, undefined as unknown as Duplex),
    );
  }
}

async function openTunnel(config: ClusterConfig, path: string): Promise<Tunnel> {
  const { headers, check } = handshake();
  const { promise, resolve, reject } = Promise.withResolvers<Tunnel>();
  const request = await hubRequest(config, path, headers);
  request.once("upgrade", (answer, socket, head) => {
    try {
      check(answer);
      resolve(new Tunnel(socket, head));
    } catch (error) {
      socket.destroy();
      reject(error as Error);
    }
  });
  request.once("response", (answer) => void failureOf(answer).then(reject, reject));
  request.once("error", reject);
  request.setTimeout(OPENING_MS, () => request.destroy(new Error("no answer in 10 s")));
  request.end();
  return await promise;
}

const OPENING_MS = 10_000;

async function hubRequest(config: ClusterConfig, path: string, headers: Record<string, string>) {
  const { server, caData, insecure = false, tlsServerName, credentials } = config;
  const { protocol, hostname: host, port, pathname } = new URL(server);
  const prefix = pathname.replace(/\/$/, "");
  const certificate = await credentials.clientCertificate?.();
  const options: TlsOptions = {
    ...{ agent: false, host: host.replace(/^\[|\]$/g, ""), port, path: `${prefix}${path}` },
    headers: await withToken(headers, credentials),
    lookup: guardedLookup,
    ...certificate,
    rejectUnauthorized: !insecure,
    ...(caData === undefined ? {} : { ca: caData }),
    ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
  };
  return protocol === "http:" ? httpRequest(options) : httpsRequest(options);
}

async function withToken(headers: Record<string, string>, credentials: Credentials): Promise<Record<string, string>> {
  const authorization = await credentials.authorization();
  return authorization === undefined ? headers : { ...headers, authorization };
}

async function answered(request: ReturnType<typeof httpRequest>, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const onAbort = (): void => void request.destroy(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  request.once("close", () => signal.removeEventListener("abort", onAbort));
  if (signal.aborted) onAbort();
  request.once("error", reject);
  request.once("response", resolve);
  request.end();
  const answer = await promise;
  if ((answer.statusCode ?? 500) < 400) return answer;
  throw await failureOf(answer);
}

const LONGEST_REFUSAL = 65_536;

/** The server's own words, if it answers as Kubernetes does. */
async function failureOf(answer: IncomingMessage): Promise<ApiError> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LONGEST_REFUSAL) break;
  }
  const code = answer.statusCode ?? 500;
  const { reason, message } = statusIn(Buffer.concat(chunks).toString("utf8"));
  const after = Number(answer.headers["retry-after"]);
  const wait = Number.isFinite(after) ? { retryAfterMs: after * 1_000 } : {};
  return new ApiError(code, reason ?? "Unknown", message ?? `the answer has the code ${code}`, wait);
}

function statusIn(text: string): { reason?: string; message?: string } {
  try {
    return (JSON.parse(text) ?? {}) as { reason?: string; message?: string };
  } catch {
    return {};
  }
}
