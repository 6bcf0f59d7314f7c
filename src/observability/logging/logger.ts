import { pino, type DestinationStream, type Logger } from "pino";
import type { SpanContext } from "@opentelemetry/api";
import { standardOutput } from "./logOutput.ts";
import { isSecretKey, redact, redactText } from "./redaction.ts";

export type { Logger } from "pino";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  level: LogLevel;
  /** Standard output when absent. */
  destination?: DestinationStream;
  /** Fields about the process, in every line. */
  attributes?: Readonly<Record<string, string>>;
}

/** Fields that connect a line with a trace and an object. */
export interface LogContext {
  reconcileId?: string | undefined;
  resourceUid?: string | undefined;
  cluster?: string | undefined;
  /** Key of the hub object. */
  object?: string | undefined;
  /** Span with which the change began, for a line of another trace. */
  change?: SpanContext | undefined;
}

/** pino's number of the level `error`; `fatal` is higher. */
const ERROR = 50;

/**
 * Writes one JSON object per line. An error under `err` becomes `stack_trace`, `event_reason` and `error`; a line of
 * level `error` without it gets the stack of the call. Credentials are replaced wherever they appear.
 */
export function createLogger({ level, destination, attributes }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: attributes === undefined || Object.keys(attributes).length === 0 ? null : { ...attributes },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), bindings: fields, log: fields },
      // `fields` expands the error; pino's own serializer would print the error a second time.
      serializers: { err: (value: unknown) => value },
      hooks: {
        streamWrite: redactText,
        logMethod(args, method, number) {
          if (number >= ERROR) withStack(args);
          method.apply(this, args);
        },
      },
    },
    destination ?? standardOutput(),
  );
}

/** Fields that connect all lines of one object, one reconcile and one trace. */
export function logContext(span: SpanContext | undefined, context: LogContext = {}): Record<string, string> {
  const fields: Record<string, string> = {};
  if (span !== undefined) fields["trace_id"] = span.traceId;
  const { change } = context;
  if (change !== undefined && change.traceId !== span?.traceId) fields["change_trace_id"] = change.traceId;
  if (context.reconcileId !== undefined) fields["reconcile_id"] = context.reconcileId;
  if (context.object !== undefined) fields["object"] = context.object;
  if (context.resourceUid !== undefined) fields["resource_uid"] = context.resourceUid;
  if (context.cluster !== undefined) fields["cluster"] = context.cluster;
  return fields;
}

/** Adds the stack of the log call, so that an error which nobody threw can be located. */
function withStack(args: unknown[]): void {
  const [first] = args;
  if (first instanceof Error) return;
  const hasFields = typeof first === "object" && first !== null;
  const given: { err?: unknown } = hasFields ? first : {};
  if (given.err !== undefined) return;
  const here: { stack?: string } = {};
  Error.captureStackTrace(here, withStack);
  args.splice(0, hasFields ? 1 : 0, { event_reason: "InternalError", ...given, stack_trace: here.stack ?? "" });
}

function fields(given: Record<string, unknown>): Record<string, unknown> {
  if (isPlain(given)) return given;
  const { err, ...rest } = given;
  const clean = redact(rest) as Record<string, unknown>;
  if (err === undefined) return clean;
  const type = errorType(err);
  return {
    ...clean,
    event_reason: clean["event_reason"] ?? errorReason(err) ?? type,
    error: { type, message: redactText(errorMessage(err)), ...causes(err) },
    stack_trace: redactText(stackOf(err)),
  };
}

/** No nested value, no error, no name of a secret: secrets within strings are replaced in the whole line later. */
function isPlain(given: Record<string, unknown>): boolean {
  for (const key in given) {
    const value = given[key];
    if (isSecretKey(key) || (typeof value === "object" && value !== null) || key === "err") return false;
  }
  return true;
}

export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return error.name === "Error" ? error.constructor.name : error.name;
}

export function errorReason(error: unknown): string | undefined {
  const reason: unknown = error instanceof Error && "reason" in error ? error.reason : undefined;
  return typeof reason === "string" && reason !== "" ? reason : undefined;
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}

function causes(error: unknown): { causes?: string[] } {
  const found: string[] = [];
  let cause: unknown = error instanceof Error ? error.cause : undefined;
  while (cause !== undefined && cause !== null && found.length < 5) {
    found.push(redactText(`${errorType(cause)}: ${errorMessage(cause)}`));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return found.length === 0 ? {} : { causes: found };
}
