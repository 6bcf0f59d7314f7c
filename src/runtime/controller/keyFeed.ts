import type { KeyUrgency } from "./keyOrder.ts";
import type { Keys } from "./sources.ts";
import { type TimeSlice } from "../core/index.ts";

export interface KeyFeedOptions<K extends string> {
  add: (key: K, afterMs: number, of: KeyUrgency) => void;
  slice: TimeSlice;
  /** Called when reading the keys of an event failed. The remaining keys of the event are lost. */
  failed: (error: unknown) => void;
}

/** Passes keys from sources to a queue, many keys in time slices, so that the event loop stays free. */
export class KeyFeed<K extends string> implements Disposable {
  readonly #options: KeyFeedOptions<K>;
  #waiting: { keys: Iterator<K | undefined>; afterMs: number; class: KeyUrgency }[] = [];
  #reading = false;

  constructor(options: KeyFeedOptions<K>) {
    this.#options = options;
  }

  take(keys: Keys<K>, afterMs = 0, of: KeyUrgency = "Change"): void {
    if (keys === undefined) return;
    if (typeof keys === "string") {
      this.#options.add(keys, afterMs, of);
      return;
    }
    const iterator = keys[Symbol.iterator]();
    if (!this.#reading && this.#readNow(iterator, afterMs, of)) return;
    this.#waiting.push({ keys: iterator, afterMs, class: of });
    if (!this.#reading) void this.#read();
  }

  /** Drops keys that were not read yet. */
  [Symbol.dispose](): void {
    this.#waiting = [];
  }

  /** Reads keys until the time slice is spent. False if that happened before the end. */
  #readNow(keys: Iterator<K | undefined>, afterMs: number, of: KeyUrgency): boolean {
    const { add, slice, failed } = this.#options;
    try {
      for (let next = keys.next(); next.done !== true; next = keys.next()) {
        if (next.value !== undefined) add(next.value, afterMs, of);
        if (slice.spent) return false;
      }
    } catch (error) {
      failed(error);
    }
    return true;
  }

  async #read(): Promise<void> {
    const { slice } = this.#options;
    this.#reading = true;
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      while (slice.spent) await slice.next();
      if (this.#waiting[0] === batch && this.#readNow(batch.keys, batch.afterMs, batch.class)) this.#waiting.shift();
    }
    this.#reading = false;
  }
}
