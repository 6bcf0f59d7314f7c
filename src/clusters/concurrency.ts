/** How many requests a lane has under way, adapted to what its member can take. Pure: time comes in as an argument. */
export interface ConcurrencyOptions {
  start: number;
  min: number;
  max: number;
  /** Latency below this many milliseconds is never a sign of overload, however much it grew. */
  latencyFloorMs: number;
}

export const DEFAULT_CONCURRENCY: ConcurrencyOptions = { start: 16, min: 1, max: 32, latencyFloorMs: 250 };

/** Successes in a row that earn one more request at a time. */
const RUN_OF_SUCCESSES = 64;
/** Halving answers one bout of trouble: answers to requests that were already under way do not halve again. */
const HALVE_AT_MOST_EVERY_MS = 1000;
const FAST = 0.2;
const SLOW = 0.01;

/**
 * Additive increase, multiplicative decrease: halved on 429 and when recent latency is more than twice what is usual for this
 * member, one more after a run of successes.
 */
export class AdaptiveConcurrency {
  #limit: number;
  #run = 0;
  #recentMs: number | undefined;
  #usualMs: number | undefined;
  #halvedAt = Number.NEGATIVE_INFINITY;
  readonly #options: ConcurrencyOptions;

  constructor(options: ConcurrencyOptions = DEFAULT_CONCURRENCY) {
    this.#options = options;
    this.#limit = options.start;
  }

  get limit(): number {
    return this.#limit;
  }

  succeeded(latencyMs: number, monotonic: number): void {
    this.#recentMs = blend(this.#recentMs, latencyMs, FAST);
    this.#usualMs = blend(this.#usualMs, latencyMs, SLOW);
    if (this.#recentMs > this.#options.latencyFloorMs && this.#recentMs > 2 * this.#usualMs) {
      this.#halve(monotonic);
      return;
    }
    this.#run += 1;
    if (this.#run < RUN_OF_SUCCESSES) return;
    this.#run = 0;
    this.#limit = Math.min(this.#options.max, this.#limit + 1);
  }

  throttled(monotonic: number): void {
    this.#halve(monotonic);
  }

  #halve(monotonic: number): void {
    this.#run = 0;
    if (monotonic - this.#halvedAt < HALVE_AT_MOST_EVERY_MS) return;
    this.#halvedAt = monotonic;
    this.#limit = Math.max(this.#options.min, Math.floor(this.#limit / 2));
    this.#recentMs = this.#usualMs;
  }
}

function blend(before: number | undefined, value: number, weight: number): number {
  return before === undefined ? value : before + weight * (value - before);
}
