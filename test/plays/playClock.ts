import type { Clock } from "../../src/runtime/index.ts";

interface Timer {
  at: number;
  order: number;
  fire: () => void;
}

/**
 * Clock of a play: stands still until the play lets the next timer fire. A seed decides which one of several timers
 * that are due at the same moment fires first; without a seed they fire in the order in which they were set.
 */
export class PlayClock implements Clock {
  /** Numbers in [0, 1), or undefined for the order in which timers were set. */
  random: (() => number) | undefined;
  #now: number;
  #monotonic = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  /** `start`: wall time at the beginning, epoch milliseconds. */
  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, callback: () => void): Disposable {
    const timer: Timer = { at: this.#monotonic + Math.max(ms, 0), order: this.#order++, fire: callback };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        timer[Symbol.dispose]();
        reject(signal?.reason as Error);
      };
      const timer = this.after(ms, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Resolves at once: no time passes during work. */
  nextTurn(): Promise<void> {
    return Promise.resolve();
  }

  /** Number of timers set so far. */
  get timersSet(): number {
    return this.#order;
  }

  /**
   * Fires one timer that is due until `end` (monotonic), and moves the time there. Without such a timer the time moves
   * to `end`. Returns false if no timer was left.
   */
  fireNext(end: number): boolean {
    const due = this.#next(end);
    this.#moveTo(due?.at ?? end);
    if (due === undefined) return false;
    this.#timers.delete(due);
    due.fire();
    return true;
  }

  #moveTo(monotonic: number): void {
    if (monotonic <= this.#monotonic) return;
    this.#now += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }

  #next(end: number): Timer | undefined {
    let first: Timer[] = [];
    for (const timer of this.#timers) {
      if (timer.at > end || timer.at > (first[0]?.at ?? Infinity)) continue;
      if (timer.at === first[0]?.at) first.push(timer);
      else first = [timer];
    }
    if (this.random !== undefined) return first[Math.floor(this.random() * first.length)];
    return first.toSorted((a, b) => a.order - b.order)[0];
  }
}
