import { createSecureContext, type SecureContext } from "node:tls";
import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import { trimEnd } from "../../apis/index.ts";
import { addressOf, guardedLookup, hostOf } from "../credentials/index.ts";
import type { ClientCertificate, ClusterConfig, Credentials } from "../credentials/types.ts";
import { NotLeaderError, TransportError } from "../core/index.ts";
import { type Answer, type BodyReader, ByteBudget, exchange, openStream, type ResponseHead } from "./exchange.ts";
import { asTransportError, type ConnectionFacts } from "./transportErrors.ts";

export interface TransportOptions {
  /** Connections for requests other than watches; each carries one request at a time. */
  maxSockets?: number;
  /** From sending a request to the head of its answer. */
  requestTimeoutMs?: number;
  connectTimeoutMs?: number;
  /** From the head of an answer to its end. */
  readingTimeoutMs?: number;
  /** An idle watch gets a bookmark every minute. */
  watchIdleTimeoutMs?: number;
}

export interface TransportRequest {
  method: Dispatcher.HttpMethod;
  /** With query, relative to the path of the server. */
  path: string;
  accept: string;
  contentType?: string;
  body?: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  /** Of a stream: a connection of its own, on which the server may be silent for so many milliseconds. */
  alone?: { idleTimeoutMs: number | undefined } | undefined;
  /** Called when the request has a connection and nothing has been sent. Its error fails the request. */
  beforeSend?: (() => void) | undefined;
}

interface Agents {
  certificate: ClientCertificate | undefined;
  requests: Agent;
  watches: Agent;
}

/** Concurrent requests of a lane, plus some for probes and reads. */
const CONNECTIONS = 40;
/** Well below the idle timeout of servers and load balancers. */
const KEEP_ALIVE_MS = 30_000;
/** For an answer: a server that sends a byte now and then is never silent for long. */
const LONGEST_READING_MS = 60_000;
/** Bytes of one server: answers, and incomplete events of watches. */
const MOST_UNREAD = 64 << 20;

/**
 * Connections to one cluster. Watches share one HTTP/2 connection. Requests use HTTP/1.1, one at a time on a connection:
 * a fifth less CPU, and a hanging connection delays one request. Certificates are verified unless `insecure`. Redirects
 * are never followed, and a credential is sent only to its own server.
 */
export class Transport implements AsyncDisposable {
  readonly host: string;
  /** Host and port. */
  readonly address: string;
  readonly unread = new ByteBudget(MOST_UNREAD);
  /** The last request carried an Authorization header. */
  usesTokens = false;
  readonly #config: ClusterConfig;
  readonly #credentials: Credentials;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #connections: number;
  readonly #facts: ConnectionFacts;
  readonly #readingTimeoutMs: number;
  #agents: Agents | undefined;
  #closed = false;

  constructor(config: ClusterConfig, options: TransportOptions = {}) {
    const url = new URL(config.server);
    this.#config = config;
    this.#credentials = config.credentials;
    this.#origin = url.origin;
    this.#prefix = trimEnd(url.pathname, "/");
    this.#readingTimeoutMs = options.readingTimeoutMs ?? LONGEST_READING_MS;
    this.#connections = options.maxSockets ?? CONNECTIONS;
    this.host = hostOf(url);
    this.address = addressOf(url);
    this.#facts = {
      host: this.host,
      address: this.address,
      ...(config.tlsServerName === undefined ? {} : { tlsServerName: config.tlsServerName }),
      ownCa: config.caData !== undefined,
      connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
      requestTimeoutMs: options.requestTimeoutMs ?? 15_000,
      idleTimeoutMs: options.watchIdleTimeoutMs ?? 90_000,
    };
  }

  /** Reads the whole answer, whatever its status. */
  request(request: TransportRequest): Promise<Answer> {
    const timeout = request.timeoutMs ?? this.#facts.requestTimeoutMs;
    return this.#authorized(
      request,
      { ...this.#facts, requestTimeoutMs: timeout, idleTimeoutMs: timeout },
      (agents, headers) =>
        exchange(
          agents.requests,
          { ...this.#dispatchOptions(request, headers), headersTimeout: timeout, bodyTimeout: timeout },
          { ...request, budget: this.unread, longestMs: this.#readingTimeoutMs },
        ),
    );
  }

  /** Resolves with the head. The body is read with {@link readFrom}. */
  stream(request: TransportRequest): Promise<ResponseHead & { body: BodyReader }> {
    const { alone } = request;
    const bodyTimeout = alone?.idleTimeoutMs ?? this.#facts.idleTimeoutMs;
    return this.#authorized(
      request,
      { ...this.#facts, idleTimeoutMs: bodyTimeout },
      (agents, headers) =>
        openStream(
          // On a shared connection, a reader who pauses would hold up the watches.
          alone === undefined ? agents.watches : agents.requests,
          { ...this.#dispatchOptions(request, headers), bodyTimeout },
          { ...request, budget: this.unread },
        ),
      (answer) => answer.body.close(),
    );
  }

  async readFrom(body: BodyReader, signal: AbortSignal | undefined): Promise<Buffer | undefined> {
    try {
      return await body.read();
    } catch (error) {
      throw this.#translated(error, signal, this.#facts);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const agents = this.#agents;
    this.#agents = undefined;
    if (agents === undefined) return;
    await Promise.all([agents.requests.destroy(null), agents.watches.destroy(null)]);
  }

  /** If the server refuses the credentials and others may exist, sends once more. */
  async #authorized<T extends ResponseHead>(
    request: TransportRequest,
    facts: ConnectionFacts,
    send: (agents: Agents, headers: Record<string, string>) => Promise<T>,
    discard?: (answer: T) => void,
  ): Promise<T> {
    try {
      for (let attempt = 1; ; attempt++) {
        const authorization = await this.#credentials.authorization();
        this.usesTokens = authorization !== undefined;
        const agents = this.#agentsFor(await this.#credentials.clientCertificate?.());
        request.signal?.throwIfAborted();
        const answer = await send(agents, headersOf(request, authorization));
        if (answer.status >= 300 && answer.status < 400) {
          discard?.(answer);
          throw new TransportError(
            "Protocol",
            `${this.host} answered with a redirect (${answer.status}), which is never followed`,
          );
        }
        if (answer.status !== 401 || attempt > 1 || this.#credentials.invalidate?.(authorization) !== true)
          return answer;
        discard?.(answer);
      }
    } catch (error) {
      throw this.#translated(error, request.signal, facts);
    }
  }

  #translated(error: unknown, signal: AbortSignal | undefined, facts: ConnectionFacts): Error {
    if (signal?.aborted === true) return signal.reason as Error;
    if (error instanceof NotLeaderError) return error;
    return asTransportError(error, facts);
  }

  #dispatchOptions(request: TransportRequest, headers: Record<string, string>): Dispatcher.DispatchOptions {
    return {
      origin: this.#origin,
      path: this.#prefix + request.path,
      method: request.method,
      headers,
      body: request.body ?? null,
      // Otherwise undici would close the connection after a DELETE with a body.
      reset: false,
    };
  }

  #agentsFor(certificate: ClientCertificate | undefined): Agents {
    if (this.#closed) throw new TransportError("Aborted", "the client was closed");
    const current = this.#agents;
    if (current !== undefined && current.certificate === certificate) return current;
    const context = this.#secureContext(certificate);
    const next: Agents = {
      certificate,
      requests: this.#agent(context, {
        connections: this.#connections,
        allowH2: false,
        keepAliveTimeout: KEEP_ALIVE_MS,
        // Against longer times that a server announces.
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
      }),
      watches: this.#agent(context, {
        allowH2: true,
        headersTimeout: Math.max(this.#facts.requestTimeoutMs, 30_000),
        bodyTimeout: this.#facts.idleTimeoutMs,
      }),
    };
    this.#agents = next;
    if (current !== undefined) {
      // Running requests end by themselves.
      void current.requests.close();
      void current.watches.close();
    }
    return next;
  }

  /** For all connections: parsing the certificates costs as much as a handshake. */
  #secureContext(certificate: ClientCertificate | undefined): SecureContext {
    const { caData } = this.#config;
    return createSecureContext({
      minVersion: "TLSv1.2",
      ...(caData === undefined ? {} : { ca: caData }),
      ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key }),
    });
  }

  #agent(secureContext: SecureContext, options: Agent.Options): Agent {
    const { tlsServerName, insecure } = this.#config;
    return new Agent({
      ...options,
      connect: {
        timeout: this.#facts.connectTimeoutMs,
        lookup: guardedLookup,
        secureContext,
        // So that NODE_TLS_REJECT_UNAUTHORIZED cannot turn the verification off.
        rejectUnauthorized: insecure !== true,
        ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
      },
    });
  }
}

function headersOf(request: TransportRequest, authorization: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {
    accept: request.accept,
    "accept-encoding": "identity",
    "user-agent": "meridian",
  };
  if (request.contentType !== undefined) headers["content-type"] = request.contentType;
  if (authorization !== undefined) headers["authorization"] = authorization;
  return headers;
}
