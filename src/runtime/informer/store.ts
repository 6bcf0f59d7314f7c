import { compareResourceVersions } from "../core/index.ts";

export interface Entry<T> {
  uid: string;
  resourceVersion: string;
  /** Approximate size over the wire. */
  bytes?: number;
  object: T;
}

export interface Change<T> {
  type: "Added" | "Updated" | "Deleted";
  key: string;
  object: T;
  old?: T;
}

export type Indexers<T> = Readonly<Record<string, (object: T) => string[]>>;

/** Objects by key and by the values of indexers. Knows nothing of servers. */
export class Store<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #indexes = new Map<string, { valuesOf: (object: T) => string[]; keys: Map<string, Set<string>> }>();

  constructor(indexers: Indexers<T> = {}) {
    for (const [name, valuesOf] of Object.entries(indexers)) this.#indexes.set(name, { valuesOf, keys: new Map() });
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry<T> | undefined {
    return this.#entries.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  entries(): IterableIterator<[string, Entry<T>]> {
    return this.#entries.entries();
  }

  /** Keys of the objects for which the indexer returned this value. Throws if there is no such indexer. */
  indexed(index: string, value: string): ReadonlySet<string> {
    const found = this.#indexes.get(index);
    if (found === undefined) throw new Error(`no index ${index}; there are: ${[...this.#indexes.keys()].join(", ")}`);
    return found.keys.get(value) ?? NO_KEYS;
  }

  /** Stores the entry, unless this version or a later one is known; `force`: versions are of another history. */
  put(key: string, entry: Entry<T>, force = false): Change<T>[] {
    const before = this.#entries.get(key);
    if (before === undefined) {
      this.#set(key, entry, undefined);
      return [{ type: "Added", key, object: entry.object }];
    }
    const age = compareResourceVersions(entry.resourceVersion, before.resourceVersion);
    if (before === entry || (age <= 0 && !force)) return [];
    this.#set(key, entry, before);
    if (before.uid !== entry.uid) {
      return [
        { type: "Deleted", key, object: before.object },
        { type: "Added", key, object: entry.object },
      ];
    }
    return [{ type: "Updated", key, object: entry.object, old: before.object }];
  }

  delete(key: string): Change<T>[] {
    const before = this.#entries.get(key);
    if (before === undefined) return [];
    this.#entries.delete(key);
    for (const { valuesOf, keys } of this.#indexes.values()) removeKey(keys, valuesOf(before.object), key);
    return [{ type: "Deleted", key, object: before.object }];
  }

  #set(key: string, entry: Entry<T>, before: Entry<T> | undefined): void {
    this.#entries.set(key, entry);
    for (const { valuesOf, keys } of this.#indexes.values()) {
      const values = valuesOf(entry.object);
      if (before !== undefined) {
        const old = valuesOf(before.object);
        // Most changes are to a status, and leave every index unchanged.
        if (old.length === values.length && old.every((value, at) => value === values[at])) continue;
        removeKey(keys, old, key);
      }
      for (const value of values) {
        const members = keys.get(value);
        if (members === undefined) keys.set(value, new Set([key]));
        else members.add(key);
      }
    }
  }
}

function removeKey(index: Map<string, Set<string>>, values: readonly string[], key: string): void {
  for (const value of values) {
    const members = index.get(value);
    members?.delete(key);
    if (members?.size === 0) index.delete(value);
  }
}

const NO_KEYS: ReadonlySet<string> = new Set();
