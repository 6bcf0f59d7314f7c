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
/** Recent latency beyond so many times the least means that requests wait in the member for each other. */
const QUEUEING = 2;
/** The least latency is that of the last one to two such windows, so that a member that stays slower gets a new least latency. */
const WINDOW_MS = 60_000;
const FAST = 0.2;
const SLOW = 0.01;

/**
 * Additive increase, multiplicative decrease: halved on 429 and when recent latency is more than twice what is usual for this
 * member, one more after a run of successes. Beyond the start it grows only while latency stays near its least: over a long way more
 * requests at a time are faster, in a member that is busy they only wait for each other and cost connections.
 */
export class AdaptiveConcurrency {
  #limit: number;
  #run = 0;
  #recentMs: number | undefined;
  #usualMs: number | undefined;
  #leastMs = Number.POSITIVE_INFINITY;
  #leastBeforeMs = Number.POSITIVE_INFINITY;
  #windowSince = Number.NEGATIVE_INFINITY;
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
    this.#noteLeast(latencyMs, monotonic);
    if (this.#recentMs > this.#options.latencyFloorMs && this.#recentMs > 2 * this.#usualMs) {
      this.#halve(monotonic);
      return;
    }
    this.#run += 1;
    if (this.#run < RUN_OF_SUCCESSES) return;
    this.#run = 0;
    const { start, max } = this.#options;
    const isQueueing = this.#recentMs > QUEUEING * Math.min(this.#leastMs, this.#leastBeforeMs);
    if (this.#limit < start || !isQueueing) this.#limit = Math.min(max, this.#limit + 1);
  }

  throttled(monotonic: number): void {
    this.#halve(monotonic);
  }

  #noteLeast(latencyMs: number, monotonic: number): void {
    if (monotonic - this.#windowSince >= WINDOW_MS) {
      this.#windowSince = monotonic;
      this.#leastBeforeMs = this.#leastMs;
      this.#leastMs = Number.POSITIVE_INFINITY;
    }
    this.#leastMs = Math.min(this.#leastMs, latencyMs);
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
