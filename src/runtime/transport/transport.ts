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
  /** Connections for requests other than watches, each with one request at a time; they are opened as they are needed. */
  maxSockets?: number;
  /** From sending a request to the head of its answer. */
  requestTimeoutMs?: number;
  connectTimeoutMs?: number;
  /** From the head of an answer to its end. */
  readingTimeoutMs?: number;
  /** A watch on which nothing comes for so long is dead; an idle one gets a bookmark every minute. */
  watchIdleTimeoutMs?: number;
}

export interface TransportRequest {
  method: Dispatcher.HttpMethod;
  /** With query, below the path of the server. */
  path: string;
  accept: string;
  contentType?: string;
  body?: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  /** Asked at the last moment: when the request has a connection, and nothing of it has been sent. What it throws is thrown. */
  beforeSend?: (() => void) | undefined;
}

interface Agents {
  certificate: ClientCertificate | undefined;
  requests: Agent;
  watches: Agent;
}

/** As many requests as a lane has under way at most, and some for probes and reads. */
const CONNECTIONS = 40;
/** Well below the time after which servers and load balancers close an idle connection, so that no request meets the closing. */
const KEEP_ALIVE_MS = 30_000;
/** For an answer: a server that sends a byte now and then is never silent for long. */
const LONGEST_READING_MS = 60_000;
/** Bytes of one server that nobody has read yet: of answers, and of events of watches that are not complete. */
const MOST_UNREAD = 64 << 20;

/**
 * The connections to one cluster: one pair of undici Agents, so that watches never take the place of requests. Watches share
 * one HTTP/2 connection. Requests go over HTTP/1.1: with one request on a connection at a time it costs a fifth less CPU on
 * either side, and a connection that hangs holds up one request, not a hundred. The server's certificate is always verified, redirects are never followed, and a credential goes nowhere but to the
 * server it belongs to.
 */
export class Transport implements AsyncDisposable {
  /** Names the host, for messages. */
  readonly host: string;
  /** The same with the port. */
  readonly address: string;
  readonly unread = new ByteBudget(MOST_UNREAD);
  /** Whether the last request carried an Authorization header. */
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

  /** Sends a request and reads the whole answer, whatever its status. */
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

  /** Sends a request and answers with the head; the body is read piece by piece, with {@link readFrom}. */
  stream(request: TransportRequest): Promise<ResponseHead & { body: BodyReader }> {
    return this.#authorized(
      request,
      this.#facts,
      (agents, headers) =>
        openStream(agents.watches, this.#dispatchOptions(request, headers), { ...request, budget: this.unread }),
      (answer) => answer.body.close(),
    );
  }

  /** The next piece of a body, with errors translated like those of requests. */
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

  /** Sends with the current credentials; when they are refused and there may be others, once more with those. */
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
      // Undici takes a body for unusual where a method need not have one, and would close the connection after each DELETE.
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
        // What a server says it would keep is not asked for beyond that.
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
      // What is under way on the old certificate ends by itself.
      void current.requests.close();
      void current.watches.close();
    }
    return next;
  }

  /** Made once for all connections: to parse the certificates costs as much as a handshake. */
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
        // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
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
