import type { Clock } from "../../runtime/index.ts";

/** `soon` for transient failures, `slowly` for answers that stay the same until something changes. */
export type Pace = "soon" | "slowly";

const PACES: Record<Pace, { firstMs: number; longestMs: number }> = {
  soon: { firstMs: 100, longestMs: 10_000 },
  slowly: { firstMs: 2_000, longestMs: 30_000 },
};

/** A scheduled retry. The same attempt waits for it; a different attempt is made at once. */
export interface Retry {
  attempt: string | undefined;
  /** Monotonic milliseconds. */
  until: number;
}

interface Waiting extends Retry {
  attempts: number;
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

  /** The retry that the key waits for. */
  retryOf(key: string): Retry | undefined {
    const waiting = this.#keys.get(key);
    return waiting?.timer === undefined ? undefined : waiting;
  }

  /** Drops the scheduled retry of another attempt. */
  keepOnly(key: string, attempt: string): void {
    const retry = this.retryOf(key);
    if (retry !== undefined && retry.attempt !== attempt) this.forget(key);
  }

  schedule(key: string, attempt: string | undefined, pace: Pace, callback: () => void): void {
    const before = this.#keys.get(key);
    before?.timer?.[Symbol.dispose]();
    const attempts = before === undefined || before.attempt !== attempt ? 0 : before.attempts;
    const { firstMs, longestMs } = PACES[pace];
    const delay = Math.min(longestMs, firstMs * 2 ** Math.min(attempts, 16)) * (0.75 + this.#random() / 2);
    const until = this.#clock.monotonic() + delay;
    const waiting: Waiting = { attempts: attempts + 1, attempt, until, timer: undefined };
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
