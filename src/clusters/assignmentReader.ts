import { defined, refKey } from "../apis/index.ts";
import type { Logger } from "../observability/index.ts";
import {
  InOrder,
  PROTOCOL_VERSION,
  type SetSummary,
  type WorkDelta,
  type WorkMessage,
  type WorkProgress,
  type WorkSource,
} from "../ports/index.ts";
import { backoffDelay, type Clock } from "../runtime/index.ts";

/** Where the work goes. */
export interface Assignee {
  /** A planner of another epoch: what was taken before acknowledges nothing of this planner's work. */
  beginEpoch(epoch: number): void;
  /** Keys of the member objects that have a row. */
  withRows(): Iterable<string>;
  /** Checksum of the rows that were taken in this epoch. */
  readonly checksum: number;
  take(delta: Exclude<WorkDelta, Control>): Promise<void>;
  /** Takes these rows away. */
  withdraw(keys: Iterable<string>): void;
  /** All rows of the cluster were taken. */
  tookAll(): void;
  /** The stream has ended. Another one follows. */
  endStream(): void;
}

type Control = { kind: "NotSynced" | "Start" | "End" | "Heartbeat" };

export interface AssignmentReaderOptions {
  cluster: string;
  source: WorkSource;
  assignee: Assignee;
  clock: Clock;
  /** Between 0 and 1, for jitter. */
  random: () => number;
  logger: Logger;
  /** Milliseconds without a message after which the stream is asked for again. Undefined: the planner runs in this process. */
  silentAfterMs: number | undefined;
}

const ASK_AGAIN = { baseMs: 1_000, capMs: 30_000 };

/** Why a stream of work is given up and asked for again. */
export class BrokenAssignmentError extends Error {
  override readonly name = "BrokenAssignmentError";
}

/**
 * Follows the work of one cluster. A stream that ends, fails, falls silent or loses messages is asked for again, from
 * the last point at which both sides had the same rows. Until then the worker keeps the rows that it has.
 */
export class AssignmentReader {
  readonly #options: AssignmentReaderOptions;
  #epoch = 0;
  /** Rows of an earlier epoch or stream that were not sent again yet. */
  readonly #unconfirmed = new Set<string>();
  #progress: WorkProgress | undefined;
  /** Streams in a row that brought no work. */
  #attempts = 0;

  constructor(options: AssignmentReaderOptions) {
    this.#options = options;
  }

  /** Every row up to this point was taken. Undefined before the first complete set. */
  get progress(): WorkProgress | undefined {
    return this.#progress;
  }

  /** Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { cluster, clock, random, logger } = this.#options;
    while (!signal.aborted) {
      this.#attempts += 1;
      try {
        await this.#follow(signal);
        if (signal.aborted) return;
        logger.warn({ cluster, event_reason: "AssignmentEnded" }, "the assignment of a cluster ended; asking again");
      } catch (err) {
        if (signal.aborted) return;
        logger.error({ cluster, err, event_reason: "AssignmentFailed" }, "the assignment of a cluster broke off");
      }
      await clock
        .sleep(backoffDelay(Math.max(1, this.#attempts), { ...ASK_AGAIN, random }), signal)
        .catch(() => undefined);
    }
  }

  /** Follows one stream to its end. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { cluster, source, assignee, clock, silentAfterMs } = this.#options;
    const order = new InOrder<WorkMessage>();
    const end = new AbortController();
    const silent = new BrokenAssignmentError("the planner has sent nothing for too long");
    let timer: Disposable | undefined;
    const listen = (): void => {
      timer?.[Symbol.dispose]();
      if (silentAfterMs !== undefined) timer = clock.after(silentAfterMs, () => end.abort(silent));
    };
    const request = { version: PROTOCOL_VERSION, ...defined({ since: this.#progress }) };
    listen();
    try {
      for await (const message of source.assignment(cluster, request, AbortSignal.any([signal, end.signal]))) {
        if (signal.aborted) return;
        listen();
        const ready = order.take(message, message.kind === "Heartbeat");
        if (ready === "Gap") throw new BrokenAssignmentError("a message of the planner was lost");
        for (const delta of ready) {
          await this.#take(delta);
          if (delta.kind !== "NotSynced" && delta.kind !== "Start") this.#attempts = 0;
          if (signal.aborted) return;
        }
      }
    } finally {
      timer?.[Symbol.dispose]();
      end.abort();
      assignee.endStream();
    }
    if (end.signal.reason === silent) throw silent;
  }

  async #take(delta: WorkDelta): Promise<void> {
    const { assignee } = this.#options;
    switch (delta.kind) {
      case "NotSynced":
        return;
      case "Start":
        this.#start(delta.epoch, delta.since);
        return;
      case "Rows":
        for (const { ref } of delta.rows) this.#unconfirmed.delete(refKey(ref));
        await assignee.take(delta);
        return;
      case "End":
        assignee.withdraw(this.#unconfirmed);
        this.#unconfirmed.clear();
        assignee.tookAll();
        this.#compare(delta);
        return;
      case "Heartbeat": {
        const { revision, checksum } = delta;
        if (revision !== undefined && checksum !== undefined) this.#compare({ revision, checksum });
        return;
      }
      case "Expected":
      case "Kinds":
      case "Capacity":
        await assignee.take(delta);
    }
  }

  #start(epoch: number, since: number | undefined): void {
    if (epoch < this.#epoch)
      throw new BrokenAssignmentError(`the planner has the epoch ${epoch}, and an earlier one had ${this.#epoch}`);
    const { assignee } = this.#options;
    if (epoch > this.#epoch) {
      this.#epoch = epoch;
      this.#progress = undefined;
      assignee.beginEpoch(epoch);
    }
    if (since !== undefined) return;
    for (const key of assignee.withRows()) this.#unconfirmed.add(key);
  }

  /** Both sides must have the same rows now. Otherwise the next stream begins with the whole set. */
  #compare({ revision, checksum }: SetSummary): void {
    if (this.#options.assignee.checksum === checksum) {
      this.#progress = { epoch: this.#epoch, revision };
      return;
    }
    this.#progress = undefined;
    throw new BrokenAssignmentError("the worker has other rows than the planner has sent");
  }
}
