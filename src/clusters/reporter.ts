import type { Logger } from "../observability/index.ts";
import {
  PROTOCOL_VERSION,
  type Report,
  type ReportAnswer,
  type ReportChannel,
  type ReportSink,
} from "../ports/index.ts";
import { type Clock, every } from "../runtime/index.ts";
import { Reopening } from "./reopening.ts";

export interface ReporterOptions {
  cluster: string;
  sink: ReportSink;
  /** Unique for the worker. */
  worker: string;
  clock: Clock;
  /** Between 0 and 1, for jitter. */
  random: () => number;
  logger: Logger;
  /** Milliseconds between two signs of life. Undefined: the receiver runs in this process. */
  heartbeatMs: number | undefined;
  /** Sends everything that the worker knows, by {@link Reporter.send}. Called at the begin of each session. */
  everything: () => void;
}

type Parts = Omit<Report, "seq">;

/** Observations in one report. */
const OBSERVATIONS_AT_A_TIME = 500;

/**
 * Reports on one cluster, in sessions. Without a session nothing is sent: a new session begins with everything that the
 * worker knows. A session that the receiver ends is replaced by another.
 */
export class Reporter implements Disposable {
  readonly #options: ReporterOptions;
  #epoch: number | undefined;
  #channel: ReportChannel | undefined;
  #sessions = 0;
  #seq = 0;
  readonly #reopening: Reopening;
  #heartbeat: Disposable | undefined;
  #hasEnded = false;

  constructor(options: ReporterOptions) {
    this.#options = options;
    const { clock, random } = options;
    this.#reopening = new Reopening({ clock, random, open: () => this.#begin() });
  }

  /** Begins a session in this epoch. */
  open(epoch: number): void {
    if (this.#hasEnded) return;
    this.#epoch = epoch;
    this.#reopening.succeeded();
    this.#begin();
  }

  get isOpen(): boolean {
    return this.#channel !== undefined;
  }

  /** Sends these parts. Many observations are sent in several reports, the other parts in the last one. */
  send({ observations = [], ...parts }: Parts): void {
    let rest = observations;
    while (rest.length > OBSERVATIONS_AT_A_TIME) {
      this.#send({ observations: rest.slice(0, OBSERVATIONS_AT_A_TIME) });
      rest = rest.slice(OBSERVATIONS_AT_A_TIME);
    }
    this.#send(rest.length === 0 ? parts : { ...parts, observations: rest });
  }

  [Symbol.dispose](): void {
    this.#hasEnded = true;
    this.#close();
    this.#reopening[Symbol.dispose]();
  }

  #begin(): void {
    this.#close();
    this.#reopening[Symbol.dispose]();
    const { cluster, sink, worker, heartbeatMs } = this.#options;
    const epoch = this.#epoch;
    if (epoch === undefined) return;
    this.#sessions += 1;
    this.#seq = 0;
    const number = this.#sessions;
    const answer = (answer: ReportAnswer): void => {
      if (number === this.#sessions) this.#answered(answer);
    };
    try {
      this.#channel = sink.open(cluster, { version: PROTOCOL_VERSION, worker, number, epoch }, answer);
    } catch (err) {
      this.#failed(err);
    }
    // A receiver in this process may have ended the session already.
    if (this.#reopening.isPending) {
      this.#close();
      return;
    }
    this.#options.everything();
    if (heartbeatMs !== undefined) this.#heartbeat = every(this.#options.clock, heartbeatMs, () => this.#send({}));
  }

  /** Where the receiver takes nothing, the next session says all. */
  #send(parts: Parts): void {
    if (this.#channel === undefined) return;
    const report: Report = { ...parts, seq: this.#seq };
    this.#seq += 1;
    try {
      this.#channel.send(report);
      if (parts.complete !== undefined) this.#reopening.succeeded();
    } catch (err) {
      this.#failed(err);
    }
  }

  #answered({ kind, why }: ReportAnswer): void {
    const { cluster, logger } = this.#options;
    logger.info({ cluster, why, event_reason: `Report${kind}` }, "the session of a cluster's reports begins anew");
    this.#openAgain();
  }

  #failed(err: unknown): void {
    const { cluster, logger } = this.#options;
    logger.error({ cluster, err, event_reason: "ReportFailed" }, "a report of member objects was not taken");
    this.#openAgain();
  }

  #openAgain(): void {
    this.#close();
    if (!this.#hasEnded) this.#reopening.afterFailure();
  }

  #close(): void {
    this.#heartbeat?.[Symbol.dispose]();
    const channel = this.#channel;
    this.#channel = undefined;
    channel?.[Symbol.dispose]();
  }
}
