import { defined, type ObjectRef, refKey } from "../../apis/index.ts";
import { errorReason, errorType, type Logger, redactText } from "../logging/index.ts";

export type EventDrop = "queue_full" | "failed";

/** What is told of an Event. */
interface Lost {
  regarding: ObjectRef & { uid?: string };
  reason: string;
  note: string;
}

export interface DroppedEventsOptions {
  logger: Logger;
  /** Epoch milliseconds. */
  now: () => number;
  /** Aborted when the process ends, or leads no more: Events that were still waiting then are no news. */
  signal?: AbortSignal;
}

/** One cause is told of so often; in between its Events are counted. */
const REPEAT_MS = 10 * 60_000;
/** Causes are few: names of errors. */
const MAX_CAUSES = 32;

/** Tells of Events that were not written: of each cause one, with what it says, and later how many more there were. */
export class DroppedEvents {
  readonly #options: DroppedEventsOptions;
  readonly #told = new Map<string, { at: number; since: number }>();

  constructor(options: DroppedEventsOptions) {
    this.#options = options;
  }

  drop(cause: EventDrop, { regarding, reason, note }: Lost, error?: unknown): void {
    const because = cause === "queue_full" ? "EventQueueFull" : (errorReason(error) ?? errorType(error));
    const { logger, now, signal } = this.#options;
    const fields = {
      cause,
      event_reason: because,
      event: { reason, note: redactText(note) },
      object: refKey(regarding),
      resource_uid: regarding.uid,
      ...defined({ err: error }),
    };
    const told = this.#told.get(because);
    const isTold = told !== undefined && now() - told.at < REPEAT_MS;
    if (isTold) told.since += 1;
    if (isTold || signal?.aborted === true) return logger.debug(fields, "an Event was not written");
    if (told === undefined && this.#told.size >= MAX_CAUSES) this.#told.clear();
    this.#told.set(because, { at: now(), since: 0 });
    logger.warn({ ...fields, dropped_before: told?.since ?? 0 }, "an Event was not written");
  }
}
