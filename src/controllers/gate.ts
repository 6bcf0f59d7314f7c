import type { Deletion } from "../clusters/index.ts";
import type { Hub } from "./hub.ts";

/**
 * Whether something may be deleted. Closed until every cache of the hub has synced and every object that was there then has been planned
 * once: an object without a plan has no rows, and what it runs would look like something that nobody wants.
 *
 * An object that cannot be planned does not hold up the whole fleet: deletes stay closed for what names it as its owner, and in its
 * namespace, where all that it could ask for is.
 */
export class DeletionGate {
  readonly #hub: Hub;
  readonly #opened: (namespace: string | undefined) => void;
  /** Neither planned nor given up for now. */
  #awaited: Set<string> | undefined;
  readonly #failed = new Set<string>();

  /** `opened`: told when deletes that were not allowed may be now, of one namespace or of all. */
  constructor(hub: Hub, opened: (namespace: string | undefined) => void) {
    this.#hub = hub;
    this.#opened = opened;
  }

  /** The caches have synced: these objects have to be planned first. */
  expect(owners: Iterable<string>): void {
    this.#awaited = new Set(owners);
    if (this.#awaited.size === 0) this.#opened(undefined);
  }

  planned(owner: string): void {
    if (this.#awaited?.delete(owner) === true) {
      if (this.#awaited.size === 0) this.#opened(undefined);
      return;
    }
    if (!this.#failed.delete(owner)) return;
    const namespace = namespaceOf(owner);
    if (this.settled && !this.#isDoubtful(namespace)) this.#opened(namespace);
  }

  /** It was tried, and could not be planned. Says nothing of an object that has been planned before: its rows are there. */
  failed(owner: string): void {
    if (this.#awaited?.delete(owner) !== true) return;
    this.#failed.add(owner);
    if (this.#awaited.size === 0) this.#opened(undefined);
  }

  /** Every object that was there has been planned, or it is known that it cannot be. */
  get settled(): boolean {
    return this.#awaited?.size === 0;
  }

  /** Whether all that is wanted in the namespace of that object is known. */
  isKnownAround(owner: string): boolean {
    return this.settled && !this.#isDoubtful(namespaceOf(owner));
  }

  deletesAllowed({ cluster, namespace, owners }: Deletion): boolean {
    if (!this.settled || !this.#hub.synced || this.#hub.deletionsHeld) return false;
    if (this.#failed.size > 0) {
      if (this.#isDoubtful(namespace)) return false;
      for (const owner of owners) if (this.#failed.has(owner)) return false;
    }
    const member = this.#hub.clusters.get(cluster);
    if (member === undefined) return false;
    // A MemberCluster that is taken away without draining keeps what runs there.
    return member.metadata.deletionTimestamp === undefined || member.spec.deletionPolicy === "Drain";
  }

  /** Whether an object without a plan could ask for something there; what is in no namespace, any of them could. */
  #isDoubtful(namespace: string | undefined): boolean {
    if (namespace === undefined) return this.#failed.size > 0;
    for (const owner of this.#failed) if ((namespaceOf(owner) ?? namespace) === namespace) return true;
    return false;
  }
}

/** Of a hub object by its key; undefined when it is cluster-scoped. */
function namespaceOf(owner: string): string | undefined {
  const [, , namespace = ""] = owner.split("/");
  return namespace === "" ? undefined : namespace;
}
