import type { Transition } from "./transitions.ts";
import type { ClusterValue, ObjectValue } from "./values.ts";

/** What one commit changed of one object or cluster. */
export type Change =
  | { of: "object"; before: ObjectValue | undefined; after: ObjectValue | undefined }
  | { of: "cluster"; name: string; before: ClusterValue | undefined; after: ClusterValue | undefined }
  | { of: "transition"; transition: Transition };

export type Logged = Change & { version: number };

/** Units that the log holds; see {@link weightOf}. */
const DEFAULT_CAPACITY = 65_536;

/** The last changes, in order. Readers keep a position of their own, so that a slow reader costs nothing. */
export class ChangeLog {
  readonly #capacity: number;
  #entries: Logged[] = [];
  /** Entries of the array that are gone. */
  #dropped = 0;
  /** Position of the first entry of the array. */
  #base = 0;
  #weight = 0;
  /** Version of the last entry that is gone. */
  #forgotten: number;

  constructor(version: number, capacity = DEFAULT_CAPACITY) {
    this.#forgotten = version;
    this.#capacity = capacity;
  }

  /** Position behind the last entry. */
  get end(): number {
    return this.#base + this.#entries.length;
  }

  get first(): number {
    return this.#base + this.#dropped;
  }

  append(entry: Logged): void {
    this.#entries.push(entry);
    this.#weight += weightOf(entry);
    while (this.#weight > this.#capacity && this.#dropped < this.#entries.length - 1) this.#dropFirst();
    if (this.#dropped > 1024 && this.#dropped * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#dropped);
      this.#base += this.#dropped;
      this.#dropped = 0;
    }
  }

  /** Undefined if the log has forgotten the entry. */
  at(position: number): Logged | undefined {
    return position < this.first ? undefined : this.#entries[position - this.#base];
  }

  /** Position of the first entry after the version; undefined if the log has forgotten entries after it. */
  after(version: number): number | undefined {
    if (version < this.#forgotten) return undefined;
    let low = this.#dropped;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle] as Logged).version <= version) low = middle + 1;
      else high = middle;
    }
    return this.#base + low;
  }

  #dropFirst(): void {
    const entry = this.#entries[this.#dropped] as Logged;
    this.#weight -= weightOf(entry);
    this.#forgotten = entry.version;
    // The array goes on holding the slot for a while, and must not hold the rows.
    this.#entries[this.#dropped] = { of: "cluster", name: "", before: undefined, after: undefined, version: 0 };
    this.#dropped += 1;
  }
}

/** An entry keeps an object as it was, with a list as long as the object has clusters. */
function weightOf(entry: Logged): number {
  return entry.of === "object" ? 1 + (entry.before?.placed.length ?? 0) / 16 : 1;
}
