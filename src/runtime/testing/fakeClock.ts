import type { Clock } from "../core/clock.ts";

interface Timer {
  at: number;
  fire: () => void;
}

/**
 * Clock that stands still until the test moves it. Timers fire in the order of their time. Promises and timers that a
 * timer causes run before the next timer.
 */
export class FakeClock implements Clock {
  #now: number;
  #monotonic = 0;
  #timersSet = 0;
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
    const timer: Timer = { at: this.#monotonic + Math.max(ms, 0), fire: callback };
    this.#timersSet += 1;
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

  /** Number of timers set so far. */
  get timersSet(): number {
    return this.#timersSet;
  }

  /** Moves time on by `ms`, and fires the timers that fall due. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    do await reactions();
    while (this.fireNext(end));
  }

  /** Moves time on, and then lets work that needs no time run to its end. */
  async settle(ms = 0): Promise<void> {
    await this.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) await this.advance(0);
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
    let first: Timer[] = [];
    for (const timer of this.#timers) {
      if (timer.at > end || timer.at > (first[0]?.at ?? Infinity)) continue;
      if (timer.at === first[0]?.at) first.push(timer);
      else first = [timer];
    }
    return this.firstOf(first);
  }

  /** Chooses among timers of the same moment, which come in the order in which they were set. */
  protected firstOf<T>(timers: readonly T[]): T | undefined {
    return timers[0];
  }
}

/** Lets all ready promise reactions run, with everything that they queue. */
function reactions(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
