import { Gathering } from "../logging/index.ts";
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
  readonly #gathering: Gathering<string | OperationsEvent>;

  constructor(options: LogExportOptions) {
    this.#options = options;
    const { after, report } = options;
    this.#gathering = new Gathering({
      ...{
        weigh: () => 1,
        most: MOST_WAITING,
        enough: MOST_IN_REQUEST,
        atOnce: MOST_IN_REQUEST,
        waitMs: WAIT_MS,
        after,
      },
      take: (items) => this.#request(items),
      dropped: () => report.overflowed(1),
    });
  }

  /** A line of the log, or an operations event. It is encoded when it is sent. */
  add(item: string | OperationsEvent): void {
    this.#gathering.add(item);
  }

  /** Sends what waits. */
  flush(): Promise<void> {
    return this.#gathering.flush();
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
