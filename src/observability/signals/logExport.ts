import type { OperationsEvent } from "../operations/index.ts";
import type { ExportReport, OtlpAttribute, OtlpSender } from "../otlp/index.ts";
import { type OtlpLogRecord, recordOfEvent, recordOfLine } from "./logRecords.ts";

export interface LogExportOptions {
  sender: OtlpSender;
  report: ExportReport;
  resource: readonly OtlpAttribute[];
  version: string;
  /** Epoch milliseconds. */
  now: () => number;
  /** The timer must not keep the process alive. */
  after: (ms: number, callback: () => void) => Disposable;
}

const MOST_WAITING = 4_096;
const MOST_IN_REQUEST = 512;
const WAIT_MS = 2_000;

/** Sends log lines and operations events, gathered. One request is under way at a time; what does not fit is dropped. */
export class LogExport {
  readonly #options: LogExportOptions;
  #waiting: (string | OperationsEvent)[] = [];
  #timer: Disposable | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: LogExportOptions) {
    this.#options = options;
  }

  /** A line of the log, or an operations event. It is encoded when it is sent. */
  add(item: string | OperationsEvent): void {
    if (this.#waiting.length >= MOST_WAITING) return this.#options.report.overflowed(1);
    this.#waiting.push(item);
    if (this.#sending !== undefined) return;
    if (this.#waiting.length >= MOST_IN_REQUEST) this.#send();
    else this.#timer ??= this.#options.after(WAIT_MS, () => this.#send());
  }

  /** Sends what waits. */
  async flush(): Promise<void> {
    await this.#sending;
    while (this.#waiting.length > 0) {
      this.#send();
      await this.#sending;
    }
  }

  #send(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#sending !== undefined || this.#waiting.length === 0) return;
    const items = this.#waiting.splice(0, MOST_IN_REQUEST);
    this.#sending = this.#request(items).finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length >= MOST_IN_REQUEST) this.#send();
      else if (this.#waiting.length > 0) this.#timer ??= this.#options.after(WAIT_MS, () => this.#send());
    });
  }

  async #request(items: readonly (string | OperationsEvent)[]): Promise<void> {
    const { sender, report } = this.#options;
    try {
      await sender.send(this.#bodyOf(items));
      report.succeeded();
    } catch (error) {
      report.failed(items.length, error instanceof Error ? error : undefined);
    }
  }

  #bodyOf(items: readonly (string | OperationsEvent)[]): object {
    const { resource, version, now } = this.#options;
    const at = now();
    const logRecords = items.flatMap(
      (item): OtlpLogRecord | [] => (typeof item === "string" ? recordOfLine(item, at) : recordOfEvent(item, at)) ?? [],
    );
    const scopeLogs = [{ scope: { name: "meridian", version }, logRecords }];
    return { resourceLogs: [{ resource: { attributes: resource }, scopeLogs }] };
  }
}
