import type { ObjectMeta } from "./meta.ts";
import { CONTROLLER_CLASS_LABEL } from "./wellknown.ts";

/**
 * Ownership of objects when several releases of Meridian run on one hub. One release can hand objects to the next while
 * both run.
 *
 * A label of the object names the class of controllers that is to own the object. Each class has its own finalizer, and
 * the first of these finalizers in `metadata.finalizers` names the owner. So at every moment an object has one owner or
 * none, the same for every reader.
 *
 * A class claims an object by putting its finalizer in front, in one write, and only while the object is not being
 * deleted. The former owner then stops writing and removes its own finalizer. Until then the former owner goes on as
 * before. So an object keeps its owner if no manager serves the class that the object names.
 */

/** Class of an object without the label. */
export const DEFAULT_CLASS = "default";

/** A DNS label, short enough to end the name of a finalizer. */
export const CLASS_PATTERN = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** The classes that one manager serves. */
export type Classes = ReadonlySet<string>;

/** Relation of an object to the manager that reads it. */
export type Ownership =
  /** Another class owns the object, or nobody does: this manager writes nothing. */
  | "Foreign"
  /** This manager owns the object. */
  | "Owned"
  /**
   * Another class owns the object, but the object names a class of this manager. The manager first observes the
   * members, then claims the object.
   */
  | "Claimable"
  /**
   * This manager owns the object, but the object names another class. The manager goes on until that class has claimed
   * the object.
   */
  | "Yielding"
  /** Another class has claimed the object: this manager only removes its own finalizer. */
  | "Yielded";

/** Class that is to own an object, as its label says. */
export function classOf({ labels }: Pick<ObjectMeta, "labels">): string {
  const named = labels?.[CONTROLLER_CLASS_LABEL];
  return named === undefined || named === "" ? DEFAULT_CLASS : named;
}

/** Finalizer of a class; `base` is the finalizer of the default class. */
export function finalizerOf(base: string, name: string): string {
  return name === DEFAULT_CLASS ? base : `${base}.${name}`;
}

/** Classes whose finalizers an object has, in order. The first class owns the object. */
export function holdersOf(base: string, { finalizers = [] }: Pick<ObjectMeta, "finalizers">): string[] {
  return finalizers.flatMap((finalizer) => holderOf(base, finalizer) ?? []);
}

/** Relation of an object to a manager of these classes; `base` is the finalizer of the default class. */
export function ownershipOf(
  base: string,
  metadata: Pick<ObjectMeta, "labels" | "finalizers" | "deletionTimestamp">,
  classes: Classes,
): Ownership {
  const isNamed = classes.has(classOf(metadata));
  const holders = holdersOf(base, metadata);
  const [owner] = holders;
  if (owner === undefined) return isNamed ? "Owned" : "Foreign";
  const isDeleted = metadata.deletionTimestamp !== undefined;
  if (classes.has(owner)) return isNamed || isDeleted ? "Owned" : "Yielding";
  // The API server accepts no new finalizer on an object that is being deleted, so the class that owns it finishes the
  // deletion.
  if (isNamed && !isDeleted) return "Claimable";
  return holders.some((holder) => classes.has(holder)) ? "Yielded" : "Foreign";
}

/** Returns whether the manager propagates the object, deletes its member objects and writes its status. */
export function isResponsible(ownership: Ownership): boolean {
  return ownership === "Owned" || ownership === "Yielding";
}

/**
 * Finalizers of an object that this manager owns. The finalizer of the named class comes before those of other
 * managers, and this manager's other finalizers are removed. Returns the same array when nothing changes. For `Owned`
 * and, at the moment of claiming, `Claimable`.
 */
export function claimed(
  base: string,
  metadata: Pick<ObjectMeta, "labels" | "finalizers">,
  classes: Classes,
): readonly string[] {
  const { finalizers = [] } = metadata;
  const own = finalizerOf(base, classOf(metadata));
  const [first, ...others] = finalizers.filter((one) => holderOf(base, one) !== undefined);
  const isOnlyOwn = !others.some((one) => classes.has(holderOf(base, one) ?? ""));
  if (first === own && isOnlyOwn) return finalizers;
  const at = first === undefined ? finalizers.length : finalizers.indexOf(first);
  const before = finalizers.slice(0, at);
  return [...before, own, ...unclaimed(base, { finalizers: finalizers.slice(at) }, classes)];
}

/**
 * JSON patch that writes the finalizers. The server refuses the patch (422) if the UID or the finalizers have changed
 * since they were read.
 */
export function finalizersPatch(
  { uid, finalizers = [] }: { uid?: string; finalizers?: readonly string[] },
  next: readonly string[],
): object[] {
  const path = "/metadata/finalizers";
  return [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path, value: finalizers.length === 0 ? null : finalizers },
    next.length === 0 ? { op: "remove", path } : { op: "add", path, value: next },
  ];
}

/** The finalizers without those of this manager. */
export function unclaimed(
  base: string,
  { finalizers = [] }: Pick<ObjectMeta, "finalizers">,
  classes: Classes,
): readonly string[] {
  return finalizers.filter((one) => !classes.has(holderOf(base, one) ?? ""));
}

function holderOf(base: string, finalizer: string): string | undefined {
  if (finalizer === base) return DEFAULT_CLASS;
  const name = finalizer.startsWith(`${base}.`) ? finalizer.slice(base.length + 1) : "";
  return CLASS_PATTERN.test(name) ? name : undefined;
}
