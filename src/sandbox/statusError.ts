import { defined } from "../apis/index.ts";
import type { FailureStatus, FieldError } from "./types.ts";

/** The subject of a failure: the resource's plural or the kind, as the API server names it for that failure. */
export interface Subject {
  group: string;
  /** The plural name for most failures, the kind for Invalid. */
  kind: string;
  name: string;
}

/** A refusal of the API server. The client gets its Status unchanged. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: FailureStatus;

  constructor(status: FailureStatus) {
    super(status.message);
    this.status = status;
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): string {
    return this.status.reason ?? "";
  }
}

/** A failure with its code and reason, in the form of the API server. */
export function failure(
  code: number,
  reason: string,
  message: string,
  details?: FailureStatus["details"],
): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...defined({ details }),
    code,
  });
}

/** A server's Status for an error without a reason: code 500. */
export function unexplained(message: string): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
}

/** `deployments.apps "web" not found`. */
export function notFound({ group, kind, name }: Subject): StatusError {
  return failure(
    404,
    "NotFound",
    `${qualified(kind, group)} "${name}" not found`,
    subjectDetails({ group, kind, name }),
  );
}

export function alreadyExists({ group, kind, name }: Subject): StatusError {
  return failure(
    409,
    "AlreadyExists",
    `${qualified(kind, group)} "${name}" already exists`,
    subjectDetails({ group, kind, name }),
  );
}

export function conflict({ group, kind, name }: Subject, why: string): StatusError {
  return failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualified(kind, group)} "${name}": ${why}`,
    subjectDetails({ group, kind, name }),
  );
}

export function badRequest(message: string): StatusError {
  return failure(400, "BadRequest", message);
}

/** The kind, not the plural, is the subject of an Invalid. */
export function invalid(subject: Subject, errors: readonly FieldError[]): StatusError {
  // The message says a repeated error once; the causes list it each time.
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return failure(422, "Invalid", `${qualified(subject.kind, subject.group)} "${subject.name}" is invalid: ${list}`, {
    ...subjectDetails(subject),
    causes: errors.map(({ reason, field, message }) => ({ reason, message, field })),
  });
}

function qualified(kind: string, group: string): string {
  return group === "" ? kind : `${kind}.${group}`;
}

function subjectDetails({ group, kind, name }: Subject) {
  return { name, ...(group === "" ? {} : { group }), kind };
}
