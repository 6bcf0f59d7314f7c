import type { OperationsEvent, Severity } from "../operations/index.ts";
import { type OtlpAttribute, otlpAttributes, unixNano } from "../otlp/index.ts";

/** A log record in OTLP's JSON encoding. */
export interface OtlpLogRecord {
  timeUnixNano: string;
  observedTimeUnixNano: string;
  severityNumber: number;
  severityText: string;
  body: { stringValue: string };
  attributes: OtlpAttribute[];
  traceId?: string;
  spanId?: string;
  eventName?: string;
}

/** OpenTelemetry's numbers. */
const LEVELS: Readonly<Record<string, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 };
const SEVERITIES: Readonly<Record<Severity, number>> = { INFO: 9, WARNING: 13, ERROR: 17, CRITICAL: 21 };

const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;

/** A line of the log. Undefined for a text that is no line of the log. */
export function recordOfLine(line: string, observedAt: number): OtlpLogRecord | undefined {
  const fields = parsed(line);
  if (fields === undefined) return undefined;
  const { level, time, msg, trace_id, span_id, ...rest } = fields;
  const at = Date.parse(textOf(time));
  return {
    ...times(Number.isNaN(at) ? observedAt : at, observedAt),
    severityNumber: LEVELS[textOf(level)] ?? 0,
    severityText: textOf(level).toUpperCase(),
    body: { stringValue: textOf(msg) },
    attributes: otlpAttributes(rest),
    ...spanOf(trace_id, span_id),
  };
}

export function recordOfEvent(event: OperationsEvent, observedAt: number): OtlpLogRecord {
  const { occurred_at, severity, message, trace_id, span_id, stream: _stream, ...rest } = event;
  return {
    ...times(Date.parse(occurred_at), observedAt),
    severityNumber: SEVERITIES[severity],
    severityText: severity,
    body: { stringValue: message },
    attributes: otlpAttributes(rest),
    ...spanOf(trace_id, span_id),
    eventName: "meridian.decision",
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function times(at: number, observedAt: number) {
  return { timeUnixNano: unixNano(at), observedTimeUnixNano: unixNano(observedAt) };
}

function spanOf(traceId: unknown, spanId: unknown): Pick<OtlpLogRecord, "traceId" | "spanId"> {
  return {
    ...(typeof traceId === "string" && TRACE_ID.test(traceId) ? { traceId } : {}),
    ...(typeof spanId === "string" && SPAN_ID.test(spanId) ? { spanId } : {}),
  };
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    // No line of the log.
    return undefined;
  }
}
