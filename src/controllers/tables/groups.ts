const NOTHING: ReadonlySet<never> = new Set();

/** Sets of values by key. A key without values is not kept. */
export class Groups<T> {
  readonly #sets = new Map<string, Set<T>>();

  get size(): number {
    return this.#sets.size;
  }

  values(): Iterable<ReadonlySet<T>> {
    return this.#sets.values();
  }

  of(key: string): ReadonlySet<T> {
    return this.#sets.get(key) ?? NOTHING;
  }

  /** True if it is the first value of the key. */
  add(key: string, value: T): boolean {
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([value]));
    else set.add(value);
    return set === undefined;
  }

  /** True if it was the last value of the key. */
  delete(key: string, value: T): boolean {
    const set = this.#sets.get(key);
    set?.delete(value);
    return set?.size === 0 && this.#sets.delete(key);
  }
}

/** Numbers by key. A key that was counted down to zero is not kept. */
export class Counts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Returns the new number. */
  add(key: string, change: 1 | -1): number {
    const count = this.of(key) + change;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
    return count;
  }
}
