import type { KubeObject } from "../types.ts";

/** A change of one object. */
export interface StoreEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  /** Revision of the change. Revisions increase across all resources of a store. */
  revision: number;
  /** The object after the change. A deleted object has its last state, with the revision of the deletion. */
  object: KubeObject;
  /** The object before the change; undefined for a new object. */
  old: KubeObject | undefined;
}

/** The requested revision is no longer in the history, so later changes are unknown. */
export class RevisionExpired extends Error {
  override readonly name = "RevisionExpired";
  readonly revision: number;
  /** The oldest known revision. */
  readonly oldest: number;

  constructor(revision: number, oldest: number) {
    super(`too old resource version: ${revision} (${oldest})`);
    this.revision = revision;
    this.oldest = oldest;
  }
}

/** The latest changes of one resource, oldest first. */
export class History {
  #events: StoreEvent[] = [];
  /** Changes up to this revision are forgotten. */
  #forgotten: number;

  /** `revision`: the store's revision before the first change. */
  constructor(revision: number) {
    this.#forgotten = revision;
  }

  get length(): number {
    return this.#events.length;
  }

  add(event: StoreEvent): void {
    this.#events.push(event);
  }

  /** The changes after that revision. Throws {@link RevisionExpired}. */
  since(revision: number): StoreEvent[] {
    if (revision < this.#forgotten) throw new RevisionExpired(revision, this.#forgotten);
    return this.#events.slice(this.#after(revision));
  }

  /** True if anything changed after that revision. Throws {@link RevisionExpired}. */
  changedSince(revision: number): boolean {
    if (revision < this.#forgotten) throw new RevisionExpired(revision, this.#forgotten);
    return this.#after(revision) < this.#events.length;
  }

  /** Forgets all but the latest `count` changes. */
  keepLatest(count: number): void {
    const dropped = this.#events.length - count;
    if (dropped <= 0) return;
    this.#forgotten = this.#events[dropped - 1]?.revision ?? this.#forgotten;
    this.#events = this.#events.slice(dropped);
  }

  /** Forgets all changes up to that revision. Older revisions then expire. */
  forget(revision: number): void {
    this.#events = this.#events.slice(this.#after(revision));
    this.#forgotten = Math.max(this.#forgotten, revision);
  }

  /** Index of the first newer event. */
  #after(revision: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.revision ?? Infinity) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
