/**
 * Circuit breaker of a lane: open without contact, and after a run of requests that did not reach the member; then
 * half-open. Pure: time is an argument, in monotonic milliseconds.
 */
export class Breaker {
  #contact = false;
  #failures = 0;
  #openUntil = 0;

  /** Requests in a row that may fail to reach the member. */
  static readonly THRESHOLD = 5;
  static readonly FIRST_PAUSE_MS = 500;
  static readonly LONGEST_PAUSE_MS = 10_000;

  /** Contact closes the breaker. */
  setContact(ok: boolean): void {
    this.#contact = ok;
    if (ok) this.#failures = 0;
    if (ok) this.#openUntil = 0;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#openUntil = 0;
  }

  /** True if this failure has opened the breaker. */
  unreached(monotonic: number): boolean {
    this.#failures += 1;
    if (this.#failures < Breaker.THRESHOLD) return false;
    const pause = Breaker.FIRST_PAUSE_MS * 2 ** (this.#failures - Breaker.THRESHOLD);
    this.#openUntil = monotonic + Math.min(pause, Breaker.LONGEST_PAUSE_MS);
    return this.#failures === Breaker.THRESHOLD;
  }

  /** `HalfOpen`: one request at a time. `Open`: none before `retryAt` or renewed contact. */
  state(monotonic: number): { kind: "Closed" } | { kind: "HalfOpen" } | { kind: "Open"; retryAt: number | undefined } {
    if (!this.#contact) return { kind: "Open", retryAt: undefined };
    if (this.#failures < Breaker.THRESHOLD) return { kind: "Closed" };
    if (monotonic < this.#openUntil) return { kind: "Open", retryAt: this.#openUntil };
    return { kind: "HalfOpen" };
  }
}
