import type { KubeObject, ResourceName, SandboxClock } from "../types.ts";
import { Collection } from "./collection.ts";
import { deepFreeze } from "../freeze.ts";
import type { StoreEvent } from "./history.ts";
import { Journal } from "./journal.ts";

export interface StoreOptions {
  clock: SandboxClock;
  /** Folder that stores the objects; without it they end with the process. */
  directory?: string;
}

/** Number of changes kept per resource while changes arrive. */
const REMEMBERED_BUSY = 1000;
/**
 * Number of changes kept after {@link QUIET_MS} without changes: enough for a cut watch to continue, and little memory
 * for an idle cluster.
 */
const REMEMBERED_IDLE = 50;
const QUIET_MS = 75_000;

/** Another write changed or deleted the object. The caller has to read again and decide again. */
export class StaleWrite extends Error {
  override readonly name = "StaleWrite";
}

/** All objects of one API server. Every change gets the next revision, which becomes the object's resourceVersion. */
export class Store implements Disposable {
  readonly #collections = new Map<string, Collection>();
  /** Collections by the identity of a name, a lookup that is faster than by text. */
  #byName = new WeakMap<ResourceName, Collection>();
  readonly #clock: SandboxClock;
  readonly #journal: Journal | undefined;
  #revision = 0;
  /** Revision at which this process's history begins. */
  #begin = 0;
  #trimming: Disposable | undefined;
  readonly #untold: { collection: Collection; event: StoreEvent }[] = [];
  #publishing = false;

  /** Loads the folder. Throws {@link FolderInUse} and {@link JournalDamaged}. */
  constructor({ clock, directory }: StoreOptions) {
    this.#clock = clock;
    if (directory === undefined) return;
    this.#journal = new Journal(directory);
    try {
      this.#revision = this.#journal.read({
        place: (resource, object) => this.collection(resource).place(deepFreeze(object)),
        displace: (resource, namespace, name) => this.collection(resource).displace(namespace, name),
      });
    } catch (error) {
      this.#journal[Symbol.dispose]();
      throw error;
    }
    this.#begin = this.#revision;
    this.#byName = new WeakMap();
    for (const [key, before] of this.#collections) {
      const collection = new Collection(before.resource, this.#begin);
      for (const object of before.list()) collection.place(object);
      this.#collections.set(key, collection);
    }
  }

  /** Revision of the latest change. */
  get revision(): number {
    return this.#revision;
  }

  /** The objects of a resource; empty for an unknown resource. */
  collection(resource: ResourceName): Collection {
    const known = this.#byName.get(resource);
    if (known !== undefined) return known;
    const key = `${resource.group}/${resource.plural}`;
    let collection = this.#collections.get(key);
    if (collection === undefined) {
      collection = new Collection({ group: resource.group, plural: resource.plural }, this.#begin);
      this.#collections.set(key, collection);
    }
    this.#byName.set(resource, collection);
    return collection;
  }

  collections(): IterableIterator<Collection> {
    return this.#collections.values();
  }

  /**
   * Writes an object in place of `old`; undefined for a new object. Returns the stored object: frozen, with its
   * resourceVersion. Throws {@link StaleWrite} when `old` is not the stored object.
   */
  put(resource: ResourceName, object: KubeObject, old: KubeObject | undefined): KubeObject {
    const collection = this.collection(resource);
    const { namespace, name } = object.metadata;
    if (collection.get(namespace, name) !== old) throw new StaleWrite();
    const revision = this.#revision + 1;
    const kept = deepFreeze(atRevision(object, revision));
    this.#journal?.put(revision, resource, kept);
    this.#revision = revision;
    collection.place(kept);
    this.#publish(collection, { type: old === undefined ? "ADDED" : "MODIFIED", revision, object: kept, old });
    return kept;
  }

  /** Deletes `old`. Returns its last state, with the revision of the deletion. Throws {@link StaleWrite}. */
  remove(resource: ResourceName, old: KubeObject): KubeObject {
    const collection = this.collection(resource);
    const { namespace, name } = old.metadata;
    if (collection.get(namespace, name) !== old) throw new StaleWrite();
    const revision = this.#revision + 1;
    const gone = deepFreeze(atRevision(old, revision));
    this.#journal?.remove(revision, resource, namespace, name);
    this.#revision = revision;
    collection.displace(namespace, name);
    this.#publish(collection, { type: "DELETED", revision, object: gone, old });
    return gone;
  }

  /** Forgets the history. Requests for an older revision then get the error that it expired. */
  compact(): void {
    for (const { history } of this.#collections.values()) history.forget(this.#revision);
    this.#begin = this.#revision;
  }

  /** Unlocks the folder. All writes are on disk already. */
  [Symbol.dispose](): void {
    this.#trimming?.[Symbol.dispose]();
    this.#trimming = undefined;
    this.#journal?.[Symbol.dispose]();
  }

  /**
   * A handler may write again. The new event is published after the current one, so all handlers see all events in
   * order.
   */
  #publish(collection: Collection, event: StoreEvent): void {
    collection.history.add(event);
    if (collection.history.length > 2 * REMEMBERED_BUSY) collection.history.keepLatest(REMEMBERED_BUSY);
    this.#trimming ??= this.#clock.after(QUIET_MS, () => this.#trim());
    this.#untold.push({ collection, event });
    if (this.#publishing) return;
    this.#publishing = true;
    try {
      for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift()) {
        next.collection.notify(next.event);
      }
    } finally {
      this.#publishing = false;
    }
    if (this.#journal?.isLong() === true) this.#journal.rewrite(this.#revision, this.#collections.values());
  }

  #trim(): void {
    this.#trimming = undefined;
    for (const { history } of this.#collections.values()) history.keepLatest(REMEMBERED_IDLE);
  }
}

function atRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
