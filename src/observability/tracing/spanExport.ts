import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import { type Logger, redactText } from "../logging/index.ts";

export type SpanDrop = "queue_full" | "failed";

export interface SpanExportOptions {
  exporter: SpanExporter;
  endpoint: string;
  logger: Logger | undefined;
  onDrop: ((cause: SpanDrop, spans: number) => void) | undefined;
  monotonic: () => number;
}

const REPEAT_MS = 10 * 60_000;
/** For a collector that comes and goes. */
const PAUSE_MS = 60_000;

/** Tells of a collector that accepts no spans, and counts the lost spans. */
export class SpanExport implements SpanExporter {
  readonly #options: SpanExportOptions;
  #isFailing = false;
  #toldAt: number | undefined;
  /** Spans in the queue before this exporter. */
  #queued = 0;

  constructor(options: SpanExportOptions) {
    this.#options = options;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    this.#queued -= spans.length;
    this.#options.exporter.export(spans, (result) => {
      if (result.code === 0) this.#isFailing = false;
      else this.#failed(spans.length, result.error);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#options.exporter.shutdown();
  }

  /** Counts the spans that do not fit into the queue, which does not report them. */
  counting(queue: SpanProcessor, size: number): SpanProcessor {
    return {
      onStart: (span, context) => queue.onStart(span, context),
      onEnd: (span) => {
        const isRecorded = (span.spanContext().traceFlags & 1) === 1;
        if (isRecorded && this.#queued >= size) this.#options.onDrop?.("queue_full", 1);
        else if (isRecorded) this.#queued += 1;
        queue.onEnd(span);
      },
      forceFlush: () => queue.forceFlush(),
      shutdown: () => queue.shutdown(),
    };
  }

  #failed(spans: number, error: Error | undefined): void {
    const { onDrop, logger, endpoint, monotonic } = this.#options;
    onDrop?.("failed", spans);
    const now = monotonic();
    const pause = this.#isFailing ? REPEAT_MS : PAUSE_MS;
    if (this.#toldAt !== undefined && now - this.#toldAt < pause) return;
    this.#isFailing = true;
    this.#toldAt = now;
    logger?.warn(
      { event_reason: "TracesNotExported", endpoint, spans },
      `the collector ${endpoint} takes no traces: ${redactText(textOf(error))}`,
    );
  }
}

/** For an HTTP answer the exporter's message holds only the server's words, so the status is put before them. */
function textOf(error: (Error & { code?: unknown }) | undefined): string {
  if (error === undefined) return "no reason was given";
  const { code, message } = error;
  return [typeof code === "number" ? String(code) : "", message].filter((part) => part !== "").join(" ");
}
