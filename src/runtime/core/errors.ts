import type { ApiStatus } from "../types.ts";

/** The server answered with an error. May be shown in a status: it holds no request body. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** A server that asks for a longer wait is asked again after this time. */
  static readonly LONGEST_WAIT_MS = 60_000;
  readonly status: number;
  /** NotFound, Conflict, Forbidden, Invalid… */
  readonly reason: string;
  /** The server's own words. */
  readonly apiMessage: string;
  readonly details?: ApiStatus["details"];
  /** Retry-After of the answer, at most {@link ApiError.LONGEST_WAIT_MS}. */
  readonly retryAfterMs?: number;
  /** If the answer is from `/readyz`, `/livez` or `/healthz`. */
  readonly failedChecks: readonly string[];
  /** A 404 of the path: the kind is not served, or not in that version, which says nothing about any object. */
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
  /** Answer or list beyond a size limit. */
  | "TooLarge"
  /** Answer or list beyond a time limit. */
  | "TooSlow";

const MISBEHAVIOUR: ReadonlySet<TransportReason> = new Set(["Protocol", "TooLarge", "TooSlow"]);

/** The server was not reached, or the connection broke: a write may have happened. May be shown in a status. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly reason: TransportReason;
  /** Method and path, if the message names them. */
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

/** A reconcile was aborted at its deadline. `cause`: error of the interrupted step. */
export class ReconcileTimeoutError extends Error {
  override readonly name = "ReconcileTimeoutError";
  readonly reason = "ReconcileTimeout";

  constructor(timeoutMs: number, cause?: unknown) {
    const text = `the reconcile was broken off after ${timeoutMs / 1000} s; it is tried again`;
    super(text, cause === undefined ? undefined : { cause });
  }
}

/** By a fresh discovery. */
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
  /** No kubeconfig, or a reference to a missing entry. */
  | "InvalidKubeconfig"
  /** A program, file, address or TLS without verification that the caller forbids. */
  | "Refused"
  | "NotConfigured"
  /** The source of the credential failed. */
  | "Unavailable";

/** No usable credentials. The message says what to do and never contains a secret. */
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

/** The server answers, but its answers are malformed, too large or too slow. */
export function isMisbehaviour(error: unknown): error is TransportError {
  return isTransportError(error) && MISBEHAVIOUR.has(error.reason);
}

/** For a misbehaving server, an error that names the endpoint. */
export function locatedAt(error: unknown, endpoint: string): unknown {
  if (!isMisbehaviour(error) || error.endpoint !== undefined) return error;
  return new TransportError(error.reason, `${endpoint}: ${error.message}`, error, endpoint);
}

/** The kind is served; the object or its namespace does not exist. */
export function isNotFound(error: unknown): error is ApiError {
  return isMissing(error) && !error.ofPath;
}

/** The kind is not served, or not in that version. Its objects may exist all the same. */
export function isUnserved(error: unknown): error is ApiError {
  return isMissing(error) && error.ofPath;
}

/** Any 404. For a list or a watch: the kind is not served. */
export function isMissing(error: unknown): error is ApiError {
  return isApiError(error) && error.status === 404;
}

/** Undefined when the object does not exist ({@link isNotFound}). */
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

/** No credentials, or some that the server does not check. */
export function isAnonymous(error: unknown): error is ApiError {
  return isForbidden(error) && error.apiMessage.includes('User "system:anonymous"');
}

/** Not for an anonymous user. */
export function lacksRight(error: unknown): error is ApiError {
  return isForbidden(error) && !isAnonymous(error);
}

/** Sending the object again will not help. */
export function isInvalid(error: unknown): error is ApiError {
  return isApiError(error) && error.status === 422;
}

/** List again. */
export function isExpired(error: unknown): error is ApiError {
  return isApiError(error) && (error.status === 410 || error.reason === "Expired" || error.reason === "Gone");
}

/** The server cannot answer now: busy, starting, stopping, or without a backend. */
export function isServerTrouble(error: unknown): error is ApiError {
  if (!isApiError(error)) return false;
  return [429, 502, 503, 504].includes(error.status) || error.reason === "ServerTimeout";
}
