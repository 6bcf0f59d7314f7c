import { pino, type DestinationStream, type Logger } from "pino";
import type { Span } from "@opentelemetry/api";
import { redact, redactText } from "./redaction.ts";

export type { Logger } from "pino";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  level: LogLevel;
  /** Where the lines are written; standard output when absent. */
  destination?: DestinationStream;
}

/** Fields that connect a line with a trace and an object. */
export interface LogContext {
  reconcileId?: string;
  resourceUid?: string;
  cluster?: string;
}

/**
 * A logger that writes one JSON object per line. An error under `err` becomes the fields `stack_trace`, `event_reason` and
 * `error` (type, message, causes); credentials are replaced wherever they appear.
 */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), bindings: fields, log: fields },
      // `fields` expands the error; pino's own serializer would print the error a second time.
      serializers: { err: (value: unknown) => value },
      hooks: { streamWrite: redactText },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
}

/** The bindings for `logger.child`: lines of one reconcile name its trace and object. */
export function logContext(span: Span | undefined, context: LogContext = {}): Record<string, string> {
  const bindings: Record<string, string> = {};
  if (span !== undefined) bindings["trace_id"] = span.spanContext().traceId;
  if (context.reconcileId !== undefined) bindings["reconcile_id"] = context.reconcileId;
  if (context.resourceUid !== undefined) bindings["resource_uid"] = context.resourceUid;
  if (context.cluster !== undefined) bindings["cluster"] = context.cluster;
  return bindings;
}

function fields(given: Record<string, unknown>): Record<string, unknown> {
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

/** Name of the error's class. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return error.name === "Error" ? error.constructor.name : error.name;
}

function errorReason(error: unknown): string | undefined {
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
