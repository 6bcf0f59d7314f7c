import { kindKeyOf, type ObjectRef } from "../../apis/index.ts";
import { readabilityKey } from "../../desiredstate/index.ts";
import type { MemberWatch } from "./memberWatch.ts";

/**
 * The watches of one session, and how far they know the member together. The watch of namespaces counts for the removal
 * of namespaces alone.
 */
export class MemberWatches {
  /** By {@link readabilityKey}. */
  readonly #watches = new Map<string, MemberWatch>();
  readonly #isPerNamespace: boolean;

  /** `isPerNamespace`: each watch shows one namespace. */
  constructor(isPerNamespace: boolean) {
    this.#isPerNamespace = isPerNamespace;
  }

  [Symbol.iterator](): IterableIterator<MemberWatch> {
    return this.#watches.values();
  }

  add(watch: MemberWatch): void {
    this.#watches.set(watch.key, watch);
  }

  delete(watch: MemberWatch): void {
    this.#watches.delete(watch.key);
  }

  /** The watch that shows the object, if any. */
  of({ apiVersion, kind, namespace }: ObjectRef): MemberWatch | undefined {
    return this.#watches.get(
      readabilityKey(kindKeyOf({ apiVersion, kind }), this.#isPerNamespace ? namespace : undefined),
    );
  }

  *essential(): Iterable<MemberWatch> {
    for (const watch of this.#watches.values()) if (watch.isEssential) yield watch;
  }

  /** True when every watch knows its objects or has failed, and at least one knows them. */
  get areReadAsFarAsCanBe(): boolean {
    let known = 0;
    for (const { isKnown, failure } of this.essential()) {
      if (isKnown) known += 1;
      else if (failure === undefined) return false;
    }
    return known > 0;
  }

  /** True when an object that is missing from some watch may still exist. */
  get areInDoubt(): boolean {
    for (const { informer, isLost } of this.essential())
      if (!isLost && (informer.deletionsHeld || informer.isBehind)) return true;
    return false;
  }

  get holdDeletions(): boolean {
    for (const { informer, isLost } of this.#watches.values()) if (!isLost && informer.deletionsHeld) return true;
    return false;
  }
}
