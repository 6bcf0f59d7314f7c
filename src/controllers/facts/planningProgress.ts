import { Emitter } from "../../runtime/index.ts";

/**
 * Which hub objects have been planned since this process began to lead. A Secret on a member may be needed by an object that has no plan
 * yet, so nothing is removed before every object that was there at the start has been planned once.
 *
 * An object that cannot be planned does not hold up the whole fleet: removals wait for the copies of that object, and in its namespace,
 * which bounds what the object could ask for.
 */
export class PlanningProgress {
  /** More may be removed now: in the namespace that is named, or anywhere. */
  readonly advanced = new Emitter<{ namespace: string | undefined }>();
  /** Objects that were neither planned nor given up yet; undefined before the hub's caches have synced. */
  #awaited: Set<string> | undefined;
  readonly #failed = new Set<string>();

  /** The hub's caches have synced: these objects are to be planned first. */
  begin(owners: Iterable<string>): void {
    this.#awaited = new Set(owners);
    if (this.#awaited.size === 0) this.advanced.emit({ namespace: undefined });
  }

  planned(owner: string): void {
    if (this.#awaited?.delete(owner) === true) {
      if (this.#awaited.size === 0) this.advanced.emit({ namespace: undefined });
      return;
    }
    if (!this.#failed.delete(owner)) return;
    const namespace = namespaceOf(owner);
    if (this.isComplete && !this.#isDoubtful(namespace)) this.advanced.emit({ namespace });
  }

  /** An attempt to plan the object failed. Changes nothing for an object that was planned before: its rows stand. */
  failed(owner: string): void {
    if (this.#awaited?.delete(owner) !== true) return;
    this.#failed.add(owner);
    if (this.#awaited.size === 0) this.advanced.emit({ namespace: undefined });
  }

  /** Every object that was there has been planned, or cannot be. */
  get isComplete(): boolean {
    return this.#awaited?.size === 0;
  }

  /** Whether everything that is wanted in the namespace of that hub object is known. */
  isKnownAround(owner: string): boolean {
    return this.isComplete && !this.#failed.has(owner) && !this.#isDoubtful(namespaceOf(owner));
  }

  /** Whether everything that is wanted in that namespace of the members is known; undefined for cluster-scoped objects. */
  isKnownIn(namespace: string | undefined): boolean {
    return this.isComplete && !this.#isDoubtful(namespace);
  }

  /** Whether an object without a plan could ask for objects of the namespace; any of them could ask for a cluster-scoped one. */
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
