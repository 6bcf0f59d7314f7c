/** Messages that are kept while an earlier one is missing. */
const MOST_EARLY = 64;

/**
 * Puts the numbered messages of one stream in order. A message that came before is dropped, a message that came too
 * early is kept.
 */
export class InOrder<T extends { seq: number }> {
  #next = 0;
  /** Number of the missing message at the last call of {@link isStuck}. */
  #missing: number | undefined;
  readonly #early = new Map<number, T>();

  /**
   * The messages that are now in order. `Gap`: a message is lost, since too many came after it, or since it was missing at
   * two signs of life in a row.
   */
  take(message: T, isSignOfLife = false): readonly T[] | "Gap" {
    const ready = this.#ready(message);
    return isSignOfLife && this.isStuck() ? "Gap" : ready;
  }

  #ready(message: T): readonly T[] | "Gap" {
    if (message.seq < this.#next) return [];
    if (message.seq > this.#next) {
      this.#early.set(message.seq, message);
      return this.#early.size > MOST_EARLY ? "Gap" : [];
    }
    if (this.#early.size === 0) {
      this.#next += 1;
      return [message];
    }
    const ready: T[] = [];
    for (let next: T | undefined = message; next !== undefined; next = this.#early.get(this.#next)) {
      this.#early.delete(next.seq);
      ready.push(next);
      this.#next += 1;
    }
    return ready;
  }

  /**
   * True if the message that is missing now was missing at the last call, too. Called with each sign of life: a message
   * may come late by less than the time between two of them.
   */
  isStuck(): boolean {
    const missing = this.#early.size === 0 ? undefined : this.#next;
    const isStuck = missing !== undefined && missing === this.#missing;
    this.#missing = missing;
    return isStuck;
  }
}
