import { Emitter } from "../../runtime/index.ts";

/**
 * The hub objects that were planned since this process began to lead. A Secret on a member may be a dependency of an
 * unplanned object, so nothing is removed before every object was planned once.
 *
 * For an object that cannot be planned, only removals of its copies and in its namespace wait.
 */
export class PlanningProgress {
  /** More may be removed now, in the named namespace or (undefined) anywhere. */
  readonly advanced = new Emitter<{ namespace: string | undefined }>();
  /** Emitted when {@link hasBegun} or {@link isComplete} becomes true. */
  readonly stages = new Emitter<void>();
  /** Objects that were neither planned nor given up yet; undefined before the hub's caches have synced. */
  #awaited: Set<string> | undefined;
  readonly #failed = new Set<string>();

  /** The hub's caches have synced: these objects are to be planned first. */
  begin(owners: Iterable<string>): void {
    this.#awaited = new Set(owners);
    this.stages.emit();
    this.#noteEnd();
  }

  planned(owner: string): void {
    if (this.#awaited?.delete(owner) === true) {
      this.#noteEnd();
      return;
    }
    if (!this.#failed.delete(owner)) return;
    const namespace = namespaceOf(owner);
    if (this.isComplete && !this.#isDoubtful(namespace)) this.advanced.emit({ namespace });
  }

  /** An attempt to plan the object failed. The rows of an object that was planned before remain. */
  failed(owner: string): void {
    if (this.#awaited?.delete(owner) !== true) return;
    this.#failed.add(owner);
    this.#noteEnd();
  }

  #noteEnd(): void {
    if (!this.isComplete) return;
    this.stages.emit();
    this.advanced.emit({ namespace: undefined });
  }

  /** The hub's caches have synced, so that the objects to plan are known. */
  get hasBegun(): boolean {
    return this.#awaited !== undefined;
  }

  /** Every object that existed at the start was planned or has failed. */
  get isComplete(): boolean {
    return this.#awaited?.size === 0;
  }

  /** True if all wanted member objects in the namespace of the hub object are known. */
  isKnownAround(owner: string): boolean {
    return this.isComplete && !this.#failed.has(owner) && !this.#isDoubtful(namespaceOf(owner));
  }

  /** True if all wanted member objects in the namespace are known. `undefined` stands for cluster-scoped objects. */
  isKnownIn(namespace: string | undefined): boolean {
    return this.isComplete && !this.#isDoubtful(namespace);
  }

  /** True if an object without a plan could need objects there. Any object could need a cluster-scoped object. */
  #isDoubtful(namespace: string | undefined): boolean {
    if (namespace === undefined) return this.#failed.size > 0;
    for (const owner of this.#failed) if ((namespaceOf(owner) ?? namespace) === namespace) return true;
    return false;
  }
}

/** Namespace in the key of a hub object; undefined if the object is cluster-scoped. */
function namespaceOf(owner: string): string | undefined {
  const [, , namespace = ""] = owner.split("/");
  return namespace === "" ? undefined : namespace;
}
