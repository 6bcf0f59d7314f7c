import { QueryError } from "../../types.ts";

type FailureCode = 400 | 401 | 403 | 404 | 405 | 406 | 410 | 413 | 414 | 429 | 500 | 503;

const REASONS: Readonly<Record<FailureCode, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  410: "Expired",
  413: "RequestEntityTooLarge",
  414: "RequestURITooLong",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
};

/** A request that is refused. The message is for its sender. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: FailureCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: FailureCode, message: string, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** `v1.Status`, as an API server answers. */
export interface StatusBody {
  kind: "Status";
  apiVersion: "v1";
  metadata: Record<string, never>;
  status: "Failure";
  message: string;
  reason: string;
  details?: { retryAfterSeconds: number };
  code: number;
}

/** Undefined: the error is ours, and its message is not for the sender. */
export function statusOf(error: unknown): StatusBody | undefined {
  if (error instanceof QueryError) return body(error.status, error.reason, error.message);
  if (error instanceof RequestError)
    return body(error.code, REASONS[error.code], error.message, error.retryAfterSeconds);
  return undefined;
}

export function internalError(): StatusBody {
  return body(500, REASONS[500], "the query failed; the manager's log says why");
}

function body(code: number, reason: string, message: string, retryAfterSeconds?: number): StatusBody {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    code,
  };
}
