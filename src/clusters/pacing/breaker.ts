/**
 * Circuit breaker of a lane. Open while contact with the member is lost, and after a run of requests that did not reach
 * the member. Half-open afterwards: one trial request at a time decides. Pure: time is an argument, in milliseconds of
 * a monotonic clock.
 */
export class Breaker {
  #contact = false;
  #failures = 0;
  #openUntil = 0;

  /** How many requests in a row may fail to reach the member before the breaker opens. */
  static readonly THRESHOLD = 5;
  static readonly FIRST_PAUSE_MS = 500;
  static readonly LONGEST_PAUSE_MS = 10_000;

  /** Takes the pool's verdict whether the member answers. Contact closes the breaker. */
  setContact(ok: boolean): void {
    this.#contact = ok;
    if (ok) this.#failures = 0;
    if (ok) this.#openUntil = 0;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#openUntil = 0;
  }

  unreached(monotonic: number): void {
    this.#failures += 1;
    if (this.#failures < Breaker.THRESHOLD) return;
    const pause = Breaker.FIRST_PAUSE_MS * 2 ** (this.#failures - Breaker.THRESHOLD);
    this.#openUntil = monotonic + Math.min(pause, Breaker.LONGEST_PAUSE_MS);
  }

  /** `Closed`: requests are sent freely. `HalfOpen`: one at a time. `Open`: none before `retryAt` or renewed contact. */
  state(monotonic: number): { kind: "Closed" } | { kind: "HalfOpen" } | { kind: "Open"; retryAt: number | undefined } {
    if (!this.#contact) return { kind: "Open", retryAt: undefined };
    if (this.#failures < Breaker.THRESHOLD) return { kind: "Closed" };
    if (monotonic < this.#openUntil) return { kind: "Open", retryAt: this.#openUntil };
    return { kind: "HalfOpen" };
  }
}
