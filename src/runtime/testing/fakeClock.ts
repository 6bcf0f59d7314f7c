import type { Clock } from "../core/clock.ts";

interface Timer {
  at: number;
  order: number;
  fire: () => void;
}

/**
 * Clock that stands still until the test moves it. Timers fire in the order of their time. Promises and timers that a
 * timer causes run before the next timer.
 */
export class FakeClock implements Clock {
  #now: number;
  #monotonic = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  /** `start`: wall time at the beginning, epoch milliseconds. */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
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

  /** Resolves at once: no time passes during work, so no work is ever long. */
  nextTurn(): Promise<void> {
    return Promise.resolve();
  }

  /** Number of waiting timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves time on by `ms`, and fires the timers that fall due. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settle();
    for (let due = this.#next(end); due !== undefined; due = this.#next(end)) {
      this.#timers.delete(due);
      this.#moveTo(due.at);
      due.fire();
      await settle();
    }
    this.#moveTo(end);
  }

  /** Sets the wall clock alone, as an operator or NTP does. */
  jumpTo(now: number): void {
    this.#now = now;
  }

  #moveTo(monotonic: number): void {
    if (monotonic <= this.#monotonic) return;
    this.#now += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }

  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    }
    return next;
  }
}

/** Lets all ready promise reactions run, with everything that they queue. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
