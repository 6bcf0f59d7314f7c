import type { KubeObject } from "../types.ts";

/** One change of one object. */
export interface StoreEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  /** Of this change; revisions grow through all resources of one store. */
  revision: number;
  /** As it is after the change; as it last was, with the revision of its deletion, when it is gone. */
  object: KubeObject;
  /** As it was before; undefined when it is new. */
  old: KubeObject | undefined;
}

/** The revision that is asked for is no longer known, so nobody can say what has happened since. */
export class RevisionExpired extends Error {
  override readonly name = "RevisionExpired";
  readonly revision: number;
  /** The oldest revision that is known. */
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

  /** `revision`: that of the store before the first change. */
  constructor(revision: number) {
    this.#forgotten = revision;
  }

  get length(): number {
    return this.#events.length;
  }

  add(event: StoreEvent): void {
    this.#events.push(event);
  }

  /** What happened after that revision. Throws {@link RevisionExpired}. */
  since(revision: number): StoreEvent[] {
    if (revision < this.#forgotten) throw new RevisionExpired(revision, this.#forgotten);
    return this.#events.slice(this.#after(revision));
  }

  /** Whether anything happened after that revision. Throws {@link RevisionExpired}. */
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

  /** Forgets everything up to that revision; nothing below it can be asked for any more. */
  forget(revision: number): void {
    this.#events = this.#events.slice(this.#after(revision));
    this.#forgotten = Math.max(this.#forgotten, revision);
  }

  /** Index of the first event that is newer. */
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
