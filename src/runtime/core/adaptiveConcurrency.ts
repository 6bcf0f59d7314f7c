/** Bounds and pace of an {@link AdaptiveConcurrency}. */
export interface ConcurrencyBounds {
  least: number;
  start: number;
  most: number;
  /** Successes in a row that earn one more at a time. */
  runOfSuccesses: number;
  /** The same until the first halving. Default: {@link runOfSuccesses}. */
  firstRuns?: number;
}

/** Less is never a sign of overload. */
const LATENCY_FLOOR_MS = 250;

/** Answers to requests that were already under way do not halve the limit again. */
const HALVE_AT_MOST_EVERY_MS = 1000;
/** Above this multiple of the lowest latency requests queue in the member. */
const QUEUEING = 2;
/** The lowest latency is that of the last one to two windows, so that it rises on a slower member. */
const WINDOW_MS = 60_000;
const FAST = 0.2;
const SLOW = 0.01;

/**
 * A number of things that may be under way at once at one server: additive increase after a run of successes,
 * multiplicative decrease on 429 and doubled latency. Above the start it grows only while latency stays near its
 * lowest: at a distant server more requests are faster, in a busy one they only queue. Pure.
 */
export class AdaptiveConcurrency {
  readonly #bounds: ConcurrencyBounds;
  #limit: number;
  #run = 0;
  #recentMs: number | undefined;
  #usualMs: number | undefined;
  #leastMs = Number.POSITIVE_INFINITY;
  #leastBeforeMs = Number.POSITIVE_INFINITY;
  #windowSince = Number.NEGATIVE_INFINITY;
  #halvedAt = Number.NEGATIVE_INFINITY;

  constructor(bounds: ConcurrencyBounds) {
    this.#bounds = bounds;
    this.#limit = bounds.start;
  }

  get limit(): number {
    return this.#limit;
  }

  succeeded(latencyMs: number, monotonic: number): void {
    this.#recentMs = blend(this.#recentMs, latencyMs, FAST);
    this.#usualMs = blend(this.#usualMs, latencyMs, SLOW);
    this.#noteLeast(latencyMs, monotonic);
    if (this.#recentMs > LATENCY_FLOOR_MS && this.#recentMs > 2 * this.#usualMs) {
      this.#halve(monotonic);
      return;
    }
    const { start, most, runOfSuccesses, firstRuns = runOfSuccesses } = this.#bounds;
    const needed = this.#halvedAt === Number.NEGATIVE_INFINITY ? firstRuns : runOfSuccesses;
    this.#run += 1;
    if (this.#run < needed) return;
    this.#run = 0;
    const isQueueing = this.#recentMs > QUEUEING * Math.min(this.#leastMs, this.#leastBeforeMs);
    if (this.#limit < start || !isQueueing) this.#limit = Math.min(most, this.#limit + 1);
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
    this.#limit = Math.max(this.#bounds.least, Math.floor(this.#limit / 2));
    this.#recentMs = this.#usualMs;
  }
}

function blend(before: number | undefined, value: number, weight: number): number {
  return before === undefined ? value : before + weight * (value - before);
}
