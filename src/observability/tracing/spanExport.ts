import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import type { ExportReport } from "../otlp/index.ts";

export interface SpanExportOptions {
  exporter: SpanExporter;
  report: ExportReport;
}

/** Reports a collector that accepts no spans, and counts the lost spans. */
export class SpanExport implements SpanExporter {
  readonly #options: SpanExportOptions;
  /** Spans in the queue before this exporter. */
  #queued = 0;

  constructor(options: SpanExportOptions) {
    this.#options = options;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    const { exporter, report } = this.#options;
    this.#queued -= spans.length;
    exporter.export(spans, (result) => {
      if (result.code === 0) report.succeeded();
      else report.failed(spans.length, result.error);
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
        if (isRecorded && this.#queued >= size) this.#options.report.overflowed(1);
        else if (isRecorded) this.#queued += 1;
        queue.onEnd(span);
      },
      forceFlush: () => queue.forceFlush(),
      shutdown: () => queue.shutdown(),
    };
  }
}
