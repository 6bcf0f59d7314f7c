import type { ExportReport, OtlpAttribute, OtlpSender } from "../otlp/index.ts";
import { type MetricFamily, otlpMetric, type OtlpMetric, partsOf } from "./metricPoints.ts";

export interface MetricExportOptions {
  families: () => AsyncIterable<MetricFamily>;
  sender: OtlpSender;
  report: ExportReport;
  resource: readonly OtlpAttribute[];
  version: string;
  intervalMs: number;
  /** Start of the process, in epoch milliseconds. */
  startedAt: number;
  /** Epoch milliseconds. */
  now: () => number;
  /** The timer must not keep the process alive. */
  after: (ms: number, callback: () => void) => Disposable;
  /** Lets other work of the process go on. */
  pause: () => Promise<void> | undefined;
}

/** A thousand members have a hundred thousand series: one request would be large for a collector, and for this process. */
const MOST_IN_REQUEST = 2_000;

/** Sends the metrics at an interval. An export that takes longer delays the next one. */
export class MetricExport {
  readonly #options: MetricExportOptions;
  #timer: Disposable | undefined;
  #exporting: Promise<void> | undefined;
  #isOver = false;

  constructor(options: MetricExportOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** Sends the last values. Nothing is sent afterwards. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    await this.#exporting;
    await this.#export();
  }

  #schedule(): void {
    if (this.#isOver) return;
    this.#timer = this.#options.after(this.#options.intervalMs, () => {
      this.#exporting = this.#export().finally(() => this.#schedule());
    });
  }

  async #export(): Promise<void> {
    const { families, startedAt, now, pause, report } = this.#options;
    const times = { startedAt, now: now() };
    let metrics: OtlpMetric[] = [];
    let size = 0;
    try {
      for await (const family of families()) {
        await pause();
        for (const { part, points } of partsOf(otlpMetric(family, times), MOST_IN_REQUEST)) {
          if (size + points > MOST_IN_REQUEST) {
            await this.#send(metrics, size);
            metrics = [];
            size = 0;
          }
          metrics.push(part);
          size += points;
        }
      }
      if (size > 0) await this.#send(metrics, size);
    } catch (error) {
      report.failed(size, error instanceof Error ? error : undefined);
    }
  }

  async #send(metrics: readonly OtlpMetric[], points: number): Promise<void> {
    const { sender, report, resource, version } = this.#options;
    const scopeMetrics = [{ scope: { name: "meridian", version }, metrics }];
    try {
      await sender.send({ resourceMetrics: [{ resource: { attributes: resource }, scopeMetrics }] });
      report.succeeded();
    } catch (error) {
      report.failed(points, error instanceof Error ? error : undefined);
    }
  }
}
