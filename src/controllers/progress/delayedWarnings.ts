import type { EventRecord, EventRecorder } from "../../observability/index.ts";
import type { Clock } from "../../runtime/index.ts";

/** By then, one command that applies an object with its policy and dependencies is done, in any order. */
const GRACE_MS = 3_000;

/** Events of type Warning that are recorded only when they are still true some seconds later. */
export class DelayedWarnings implements Disposable {
  readonly #clock: Clock;
  readonly #events: Pick<EventRecorder, "record">;
  readonly #waiting = new Map<string, Disposable>();
  #ended = false;

  constructor({ clock, events }: { clock: Clock; events: Pick<EventRecorder, "record"> }) {
    this.#clock = clock;
    this.#events = events;
  }

  /** Records the warning later, if it is still true. Replaces a waiting warning with the same key. */
  warn(key: string, record: EventRecord, isStillTrue: () => boolean): void {
    if (this.#ended) return;
    this.#waiting.get(key)?.[Symbol.dispose]();
    const timer = this.#clock.after(GRACE_MS, () => {
      this.#waiting.delete(key);
      if (isStillTrue()) this.#events.record(record);
    });
    this.#waiting.set(key, timer);
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    for (const timer of this.#waiting.values()) timer[Symbol.dispose]();
    this.#waiting.clear();
  }
}
