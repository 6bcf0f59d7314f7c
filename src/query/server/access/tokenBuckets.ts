import { RequestError } from "../answers/index.ts";

export interface BucketLimits {
  perSecond: number;
  burst: number;
}

/** A token bucket for each key. A key that was idle until its bucket was full again is forgotten. */
export class TokenBuckets {
  readonly #buckets = new Map<string, { tokens: number; at: number }>();
  readonly #limits: BucketLimits;
  readonly #now: () => number;
  readonly #most: number;

  /** `now`: milliseconds that never run backwards. */
  constructor(limits: BucketLimits, now: () => number, most = 10_000) {
    this.#limits = limits;
    this.#now = now;
    this.#most = most;
  }

  /** @throws {RequestError} 429 with the time after which a token is there */
  take(key: string): void {
    const { perSecond, burst } = this.#limits;
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    this.#buckets.delete(key);
    if (this.#buckets.size >= this.#most) this.#makeRoom(now);
    const left = tokens < 1 ? tokens : tokens - 1;
    this.#buckets.set(key, { tokens: left, at: now });
    if (tokens >= 1) return;
    const seconds = Math.max(1, Math.ceil((1 - tokens) / perSecond));
    throw new RequestError(429, `more than ${perSecond} requests a second; ask again in ${seconds} s`, seconds);
  }

  /** Full buckets go first, then the one that was used longest ago. */
  #makeRoom(now: number): void {
    const fullAfter = (this.#limits.burst / this.#limits.perSecond) * 1000;
    let first: string | undefined;
    for (const [key, { at }] of this.#buckets) {
      first ??= key;
      // The order is that of the last use.
      if (now - at < fullAfter) break;
      this.#buckets.delete(key);
    }
    if (first !== undefined) this.#buckets.delete(first);
  }
}
