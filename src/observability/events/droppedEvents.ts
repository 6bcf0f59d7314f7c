import { defined, type ObjectRef, refKey } from "../../apis/index.ts";
import { errorReason, errorType, type Logger, redactText } from "../logging/index.ts";

export type EventDrop = "queue_full" | "failed";

interface Lost {
  regarding: ObjectRef & { uid?: string };
  reason: string;
  note: string;
}

export interface DroppedEventsOptions {
  logger: Logger;
  /** Epoch milliseconds. */
  now: () => number;
  /** Aborted when the process ends or loses its leadership: what still waits then causes no warning. */
  signal?: AbortSignal;
}

/** Between two warnings of one cause Events are only counted. */
const REPEAT_MS = 10 * 60_000;
/** Causes are names of errors, so there are few. */
const MAX_CAUSES = 32;

/** Logs Events that were not written: for each cause one with its text, and later the number of further ones. */
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
