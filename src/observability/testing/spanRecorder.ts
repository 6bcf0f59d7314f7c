import { type ReadableSpan, type SpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Tracer } from "../tracing/tracing.ts";

/** A tracer whose spans are kept, in the order in which they end. */
export function recordSpans(): { tracer: Tracer; spans: ReadableSpan[] } {
  const spans: ReadableSpan[] = [];
  const keep: SpanProcessor = {
    onStart: () => undefined,
    onEnd: (span) => void spans.push(span),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  return { tracer: new TracerProvider({ spanProcessors: [keep] }).getTracer("test"), spans };
}
