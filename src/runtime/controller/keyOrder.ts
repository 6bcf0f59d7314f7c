/** `Change`: something has changed now. `Backlog`: what was there when the process began. */
export type KeyClass = "Change" | "Backlog";

/** Of so many keys that are taken while both classes wait, one is of the backlog, so that the backlog never starves. */
export const BACKLOG_SHARE = 8;

/** Waiting keys in the order in which they are taken: changes first, each class first in, first out. */
export class KeyOrder<K extends string> {
  readonly #classes = new Map<K, KeyClass>();
  readonly #changes = new Fifo<K>();
  readonly #backlog = new Fifo<K>();
  /** Changes that were taken since the last key of the backlog. */
  #taken = 0;

  /** Adds the key. A key of the backlog that has changed goes among the changes; the reverse changes nothing. */
  add(key: K, of: KeyClass): void {
    const before = this.#classes.get(key);
    if (before === "Change" || before === of) return;
    this.#classes.set(key, of);
    (of === "Change" ? this.#changes : this.#backlog).push(key);
  }

  take(): { key: K; class: KeyClass } | undefined {
    const first = this.#taken >= BACKLOG_SHARE - 1 ? "Backlog" : "Change";
    const found = this.#takeOf(first) ?? this.#takeOf(first === "Change" ? "Backlog" : "Change");
    if (found === undefined) return undefined;
    this.#taken = found.class === "Change" ? this.#taken + 1 : 0;
    this.#classes.delete(found.key);
    return found;
  }

  clear(): void {
    this.#classes.clear();
    this.#changes.clear();
    this.#backlog.clear();
  }

  #takeOf(wanted: KeyClass): { key: K; class: KeyClass } | undefined {
    const keys = wanted === "Change" ? this.#changes : this.#backlog;
    // A key that has moved to the other class is still in the list of the backlog.
    for (let key = keys.shift(); key !== undefined; key = keys.shift())
      if (this.#classes.get(key) === wanted) return { key, class: wanted };
    return undefined;
  }
}

/** An array whose first item is removed without moving the others. */
class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head += 1;
    if (this.#head === this.#items.length || this.#head > 1024) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}
