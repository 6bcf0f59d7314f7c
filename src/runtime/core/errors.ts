import type { ApiStatus } from "../types.ts";

/** The server answered, and the answer is no. Fit for a status: it holds the server's own message, never a request body. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** However long a server asks everybody to stay away: it is asked again after so long, and may say the same once more. */
  static readonly LONGEST_WAIT_MS = 60_000;
  /** HTTP status code. */
  readonly status: number;
  /** `reason` of the answer: NotFound, Conflict, Forbidden, Invalid… */
  readonly reason: string;
  /** The server's own words. */
  readonly apiMessage: string;
  readonly details?: ApiStatus["details"];
  /** How long the server asks us to stay away, as far as that is obeyed. */
  readonly retryAfterMs?: number;
  /** Names of the health checks that fail, when the answer is one of `/readyz`, `/livez` or `/healthz`. */
  readonly failedChecks: readonly string[];
  /** A 404 of the path: the server does not serve the kind, or not in that version. Nothing follows for any object. */
  readonly ofPath: boolean;

  constructor(
    status: number,
    reason: string,
    apiMessage: string,
    extra: {
      message?: string;
      details?: ApiStatus["details"];
      retryAfterMs?: number | undefined;
      failedChecks?: readonly string[];
      ofPath?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(extra.message ?? apiMessage, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.status = status;
    this.reason = reason;
    this.apiMessage = apiMessage;
    this.failedChecks = extra.failedChecks ?? [];
    this.ofPath = extra.ofPath ?? false;
    if (extra.details !== undefined) this.details = extra.details;
    if (extra.retryAfterMs !== undefined)
      this.retryAfterMs = Math.min(Math.max(0, extra.retryAfterMs), ApiError.LONGEST_WAIT_MS);
  }
}

export type TransportReason =
  | "ConnectionRefused"
  | "ConnectionReset"
  | "Unreachable"
  | "Timeout"
  | "DNS"
  | "TLS"
  | "Aborted"
  | "Protocol"
  /** The answer, or what it adds up to, is more than anybody here takes. */
  | "TooLarge"
  /** The answer, or the list, goes on, but for longer than anybody here waits. */
  | "TooSlow";

/** The server answers, but not as an API server does: what it sends is malformed, or without measure. */
const MISBEHAVIOUR: ReadonlySet<TransportReason> = new Set(["Protocol", "TooLarge", "TooSlow"]);

/**
 * The server was not reached, or the connection broke off before the answer was complete: a write may or may not have
 * happened. The message is fit for a status.
 */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly reason: TransportReason;
  /** Method and path, where the message names them. */
  readonly endpoint?: string;

  constructor(reason: TransportReason, message: string, cause?: unknown, endpoint?: string) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    if (endpoint !== undefined) this.endpoint = endpoint;
  }
}

/** A write was not sent because the Lease is, or may be, no longer held. */
export class NotLeaderError extends Error {
  override readonly name = "NotLeaderError";
}

/** A reconcile was broken off at its deadline. The cause says what it was doing. */
export class ReconcileTimeoutError extends Error {
  override readonly name = "ReconcileTimeoutError";
  readonly reason = "ReconcileTimeout";

  constructor(timeoutMs: number, cause?: unknown) {
    const text = `the reconcile was broken off after ${timeoutMs / 1000} s; it is tried again`;
    super(text, cause === undefined ? undefined : { cause });
  }
}

/** The cluster does not serve this kind, as of a discovery just made. */
export class KindNotServedError extends Error {
  override readonly name = "KindNotServedError";
  readonly group: string;
  readonly kind: string;
  readonly version?: string;

  constructor(cluster: string, wanted: { group: string; version?: string | undefined; kind: string }) {
    const version = wanted.version === undefined ? "" : `/${wanted.version}`;
    const where = wanted.group === "" ? (wanted.version ?? "the core group") : `${wanted.group}${version}`;
    super(`cluster ${cluster} does not serve ${wanted.kind} of ${where}`);
    this.group = wanted.group;
    this.kind = wanted.kind;
    if (wanted.version !== undefined) this.version = wanted.version;
  }
}

export type CredentialsReason =
  /** Not a kubeconfig, or what it points at is not in it. */
  | "InvalidKubeconfig"
  /** It asks for something that this caller does not allow: a program, a file, no TLS verification, a forbidden address. */
  | "Refused"
  /** No kubeconfig anywhere. */
  | "NotConfigured"
  /** The file, program or server that should give the credential failed. */
  | "Unavailable";

/** There are no usable credentials for a cluster. The message says what to do and never contains a secret. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
  readonly reason: CredentialsReason;

  constructor(reason: CredentialsReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

export function isApiError(error: unknown): error is ApiError {
  return error instanceof ApiError;
}

export function isTransportError(error: unknown): error is TransportError {
  return error instanceof TransportError;
}

/** The server answers, and what it sends is malformed or without measure. */
export function isMisbehaviour(error: unknown): error is TransportError {
  return isTransportError(error) && MISBEHAVIOUR.has(error.reason);
}

/** The same error; where the server misbehaves, one that names the endpoint. */
export function locatedAt(error: unknown, endpoint: string): unknown {
  if (!isMisbehaviour(error) || error.endpoint !== undefined) return error;
  return new TransportError(error.reason, `${endpoint}: ${error.message}`, error, endpoint);
}

/** The server serves the kind, and the object (or its namespace) does not exist. */
export function isNotFound(error: unknown): error is ApiError {
  return isMissing(error) && !error.ofPath;
}

/** The server does not serve the kind, or not in that version. Objects of the kind may exist all the same. */
export function isUnserved(error: unknown): error is ApiError {
  return isMissing(error) && error.ofPath;
}

/** Any 404. A list or a watch is answered with it only where the kind is not served. */
export function isMissing(error: unknown): error is ApiError {
  return isApiError(error) && error.status === 404;
}

/** The answer, or undefined when the object does not exist ({@link isNotFound}). Rejects with every other error. */
export async function ifFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A stale resourceVersion, a precondition that failed, or fields that belong to another manager. */
export function isConflict(error: unknown): error is ApiError {
  return isApiError(error) && error.status === 409 && error.reason !== "AlreadyExists";
}

export function isAlreadyExists(error: unknown): error is ApiError {
  return isApiError(error) && error.status === 409 && error.reason === "AlreadyExists";
}

export function isUnauthorized(error: unknown): error is ApiError {
  return isApiError(error) && error.status === 401;
}

export function isForbidden(error: unknown): error is ApiError {
  return isApiError(error) && error.status === 403;
}

/** The server takes the request for nobody's: it came without credentials, or with some that this server does not look at. */
export function isAnonymous(error: unknown): error is ApiError {
  return isForbidden(error) && error.apiMessage.includes('User "system:anonymous"');
}

/** The server knows who asks, and they may not. */
export function lacksRight(error: unknown): error is ApiError {
  return isForbidden(error) && !isAnonymous(error);
}

/** The object breaks the rules of its kind; sending it again will not help. */
export function isInvalid(error: unknown): error is ApiError {
  return isApiError(error) && error.status === 422;
}

/** The resourceVersion or continue token is too old: list again. */
export function isExpired(error: unknown): error is ApiError {
  return isApiError(error) && (error.status === 410 || error.reason === "Expired" || error.reason === "Gone");
}

/** The server is up but cannot answer now: busy, starting, stopping, or a part behind it is away. */
export function isServerTrouble(error: unknown): error is ApiError {
  return (
    isApiError(error) &&
    (error.status === 429 ||
      error.status === 502 ||
      error.status === 503 ||
      error.status === 504 ||
      error.reason === "ServerTimeout")
  );
}
