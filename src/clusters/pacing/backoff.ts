import type { Clock } from "../../runtime/index.ts";

/** `soon` for transient failures, `slowly` for answers that stay the same until something changes. */
export type Pace = "soon" | "slowly";

const PACES: Record<Pace, { firstMs: number; longestMs: number }> = {
  soon: { firstMs: 100, longestMs: 10_000 },
  slowly: { firstMs: 2_000, longestMs: 30_000 },
};

interface Waiting {
  attempts: number;
  /** A different attempt starts with the first delay again. */
  attempt: string | undefined;
  timer: Disposable | undefined;
}

/** Exponential backoff with jitter for each key, on an injected clock. */
export class Backoffs {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #keys = new Map<string, Waiting>();

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** True while the same attempt waits. A different one drops the scheduled retry. */
  isWaiting(key: string, attempt?: string): boolean {
    const waiting = this.#keys.get(key);
    if (waiting?.timer === undefined) return false;
    if (waiting.attempt === attempt) return true;
    this.forget(key);
    return false;
  }

  schedule(key: string, attempt: string | undefined, pace: Pace, callback: () => void): void {
    const before = this.#keys.get(key);
    before?.timer?.[Symbol.dispose]();
    const attempts = before === undefined || before.attempt !== attempt ? 0 : before.attempts;
    const { firstMs, longestMs } = PACES[pace];
    const delay = Math.min(longestMs, firstMs * 2 ** Math.min(attempts, 16)) * (0.75 + this.#random() / 2);
    const waiting: Waiting = { attempts: attempts + 1, attempt, timer: undefined };
    waiting.timer = this.#clock.after(delay, () => {
      waiting.timer = undefined;
      callback();
    });
    this.#keys.set(key, waiting);
  }

  forget(key: string): void {
    this.#keys.get(key)?.timer?.[Symbol.dispose]();
    this.#keys.delete(key);
  }

  clear(): void {
    for (const key of [...this.#keys.keys()]) this.forget(key);
  }
}
