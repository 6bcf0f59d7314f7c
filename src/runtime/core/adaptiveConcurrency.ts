const START = 16;
const LEAST = 1;
const MOST = 32;
/** Less is never a sign of overload. */
const LATENCY_FLOOR_MS = 250;

/** Successes in a row that earn one more request at a time. */
const RUN_OF_SUCCESSES = 64;
/** Answers to requests that were already under way do not halve the limit again. */
const HALVE_AT_MOST_EVERY_MS = 1000;
/** Above this multiple of the lowest latency requests queue in the member. */
const QUEUEING = 2;
/** The lowest latency is that of the last one to two windows, so that it rises on a slower member. */
const WINDOW_MS = 60_000;
const FAST = 0.2;
const SLOW = 0.01;

/**
 * Number of concurrent requests of a lane: additive increase after a run of successes, multiplicative decrease on 429
 * and doubled latency. Above the start it grows only while latency stays near its lowest: on a distant member more
 * requests are faster, in a busy one they only queue. Pure.
 */
export class AdaptiveConcurrency {
  #limit = START;
  #run = 0;
  #recentMs: number | undefined;
  #usualMs: number | undefined;
  #leastMs = Number.POSITIVE_INFINITY;
  #leastBeforeMs = Number.POSITIVE_INFINITY;
  #windowSince = Number.NEGATIVE_INFINITY;
  #halvedAt = Number.NEGATIVE_INFINITY;

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
    this.#run += 1;
    if (this.#run < RUN_OF_SUCCESSES) return;
    this.#run = 0;
    const isQueueing = this.#recentMs > QUEUEING * Math.min(this.#leastMs, this.#leastBeforeMs);
    if (this.#limit < START || !isQueueing) this.#limit = Math.min(MOST, this.#limit + 1);
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
    this.#limit = Math.max(LEAST, Math.floor(this.#limit / 2));
    this.#recentMs = this.#usualMs;
  }
}

function blend(before: number | undefined, value: number, weight: number): number {
  return before === undefined ? value : before + weight * (value - before);
}
