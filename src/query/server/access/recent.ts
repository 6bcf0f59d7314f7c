/** Values by key that expire. The oldest entry makes room for a new one. */
export class Recent<V> {
  readonly #entries = new Map<string, { value: V; until: number }>();
  readonly #most: number;
  readonly #now: () => number;

  /** `now`: milliseconds that never run backwards. */
  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > this.#now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: V, ms: number): void {
    this.#entries.delete(key);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#most) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { value, until: this.#now() + ms });
  }

  /** Only if the entry still has this value. */
  delete(key: string, value: V): void {
    if (this.#entries.get(key)?.value === value) this.#entries.delete(key);
  }
}
