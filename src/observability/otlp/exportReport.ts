import { type Logger, redactText } from "../logging/index.ts";
import type { Signal } from "./collector.ts";

export type ExportDrop = "queue_full" | "failed";

export interface ExportReportOptions {
  signal: Signal;
  /** Host and port of the collector. */
  endpoint: string;
  /** Name of the log field with the number of lost items. */
  items: string;
  logger: Logger | undefined;
  onDrop: ((cause: ExportDrop, items: number) => void) | undefined;
  monotonic: () => number;
}

const REASONS: Readonly<Record<Signal, string>> = {
  traces: "TracesNotExported",
  metrics: "MetricsNotExported",
  logs: "LogsNotExported",
};

const REPEAT_MS = 10 * 60_000;
/** For a collector that comes and goes. */
const PAUSE_MS = 60_000;

/** Counts what a collector did not take, and warns about that, at first and then every ten minutes. */
export class ExportReport {
  readonly #options: ExportReportOptions;
  #isFailing = false;
  #toldAt: number | undefined;

  constructor(options: ExportReportOptions) {
    this.#options = options;
  }

  succeeded(): void {
    this.#isFailing = false;
  }

  /** What did not fit into the queue. */
  overflowed(items: number): void {
    this.#options.onDrop?.("queue_full", items);
  }

  failed(items: number, error: Error | undefined): void {
    const { signal, onDrop, logger, endpoint, monotonic, items: name } = this.#options;
    onDrop?.("failed", items);
    const now = monotonic();
    const pause = this.#isFailing ? REPEAT_MS : PAUSE_MS;
    if (this.#toldAt !== undefined && now - this.#toldAt < pause) return;
    this.#isFailing = true;
    this.#toldAt = now;
    logger?.warn(
      { event_reason: REASONS[signal], endpoint, [name]: items },
      `the collector ${endpoint} takes no ${signal}: ${redactText(textOf(error))}`,
    );
  }
}

/** For an HTTP answer the exporter's message holds only the server's words, so the status is put before them. */
function textOf(error: (Error & { code?: unknown }) | undefined): string {
  if (error === undefined) return "no reason was given";
  const { code, message } = error;
  return [typeof code === "number" ? String(code) : "", message].filter((part) => part !== "").join(" ");
}
