import type { Keys } from "./sources.ts";
import type { TimeSlice } from "./timeSlice.ts";

export interface KeyFeedOptions<K extends string> {
  add: (key: K, afterMs: number) => void;
  slice: TimeSlice;
  /** Reading the keys of an event failed; the rest of them is lost. */
  failed: (error: unknown) => void;
}

/** Brings the keys of sources into a queue: single keys at once, many of them as fast as the event loop stays free. */
export class KeyFeed<K extends string> implements Disposable {
  readonly #options: KeyFeedOptions<K>;
  #waiting: { keys: Iterator<K | undefined>; afterMs: number }[] = [];
  #reading = false;

  constructor(options: KeyFeedOptions<K>) {
    this.#options = options;
  }

  take(keys: Keys<K>, afterMs = 0): void {
    if (keys === undefined) return;
    if (typeof keys === "string") {
      this.#options.add(keys, afterMs);
      return;
    }
    this.#waiting.push({ keys: keys[Symbol.iterator](), afterMs });
    if (!this.#reading) void this.#read();
  }

  /** What was not read by then is not enqueued any more. */
  [Symbol.dispose](): void {
    this.#waiting = [];
  }

  async #read(): Promise<void> {
    const { add, slice, failed } = this.#options;
    this.#reading = true;
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      try {
        const next = batch.keys.next();
        if (next.done === true) this.#waiting.shift();
        else if (next.value !== undefined) add(next.value, batch.afterMs);
      } catch (error) {
        this.#waiting.shift();
        failed(error);
      }
      while (slice.spent) await slice.next();
    }
    this.#reading = false;
  }
}
