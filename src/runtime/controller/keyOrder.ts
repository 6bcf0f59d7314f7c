/** `Change`: something has changed now. `Backlog`: what was there when the process began. */
export type KeyClass = "Change" | "Backlog";

/**
 * How a key is added. `Wake`: what the object waits for may have come. A key of the backlog that is woken stays there:
 * a start wakes many objects that are still to be planned.
 */
export type KeyUrgency = KeyClass | "Wake";

/** Of so many keys that are taken while both classes wait, one is of the backlog, so that the backlog never starves. */
export const BACKLOG_SHARE = 8;

/** Waiting keys in the order in which they are taken: changes first, each class first in, first out. */
export class KeyOrder<K extends string> {
  readonly #classes = new Map<K, KeyClass>();
  readonly #changes = new Fifo<K>();
  readonly #backlog = new Fifo<K>();
  /** Number of waiting keys of the backlog. */
  #left = 0;
  /** Changes that were taken since the last key of the backlog, while keys of the backlog waited. */
  #taken = 0;

  /** Adds the key. A key of the backlog that has changed goes among the changes; the reverse changes nothing. */
  add(key: K, urgency: KeyUrgency): void {
    const before = this.#classes.get(key);
    const of = urgency === "Wake" ? (before ?? "Change") : urgency;
    if (before === "Change" || before === of) return;
    this.#classes.set(key, of);
    if (before === "Backlog") this.#left -= 1;
    if (of === "Backlog") this.#left += 1;
    (of === "Change" ? this.#changes : this.#backlog).push(key);
  }

  take(): { key: K; class: KeyClass } | undefined {
    const first = this.#taken >= BACKLOG_SHARE - 1 ? "Backlog" : "Change";
    const found = this.#takeOf(first) ?? this.#takeOf(first === "Change" ? "Backlog" : "Change");
    if (found === undefined) return undefined;
    this.#classes.delete(found.key);
    if (found.class === "Backlog") this.#left -= 1;
    this.#taken = found.class === "Change" && this.#left > 0 ? this.#taken + 1 : 0;
    return found;
  }

  clear(): void {
    this.#classes.clear();
    this.#changes.clear();
    this.#backlog.clear();
    this.#left = 0;
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
