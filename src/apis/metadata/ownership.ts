import type { ObjectMeta } from "./meta.ts";
import { CONTROLLER_CLASS_LABEL } from "./wellknown.ts";

/**
 * Ownership of objects when several releases of Meridian run on one hub, and one hands objects to the next. A label of
 * the object names the class of controllers that is to own the object. Each class has its own finalizer, and the first
 * of these in `metadata.finalizers` names the owner: one or none, the same for every reader. A class claims an object
 * by putting its finalizer in front, in one write, and never while the object is being deleted. The former owner goes
 * on until then, and afterwards only removes its own finalizer. So an object keeps its owner if no manager serves the
 * class that the object names.
 */

/** Class of an object without the label. */
export const DEFAULT_CLASS = "default";

/** A DNS label, short enough to end the name of a finalizer. */
export const CLASS_PATTERN = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

export type Classes = ReadonlySet<string>;

/** Relation of an object to the manager that reads it. */
export type Ownership =
  /** Another class owns the object, or nobody does: this manager writes nothing. */
  | "Foreign"
  /** This manager owns the object. */
  | "Owned"
  /**
   * Another class owns the object and it names a class of this manager, which observes the members and then claims it.
   */
  | "Claimable"
  /** This manager owns the object and it names another class: the manager goes on until that class has claimed it. */
  | "Yielding"
  /** Another class has claimed the object: this manager only removes its own finalizer. */
  | "Yielded";

/** The class that is to own the object. */
export function classOf({ labels }: Pick<ObjectMeta, "labels">): string {
  const named = labels?.[CONTROLLER_CLASS_LABEL];
  return named === undefined || named === "" ? DEFAULT_CLASS : named;
}

/** `base` is the finalizer of the default class. */
export function finalizerOf(base: string, name: string): string {
  return name === DEFAULT_CLASS ? base : `${base}.${name}`;
}

/** In order; the first class owns the object. */
export function holdersOf(base: string, { finalizers = [] }: Pick<ObjectMeta, "finalizers">): string[] {
  return finalizers.flatMap((finalizer) => holderOf(base, finalizer) ?? []);
}

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
 * Finalizers of an object that this manager owns or claims: that of the named class before those of other managers, and
 * no other of its own. The same array when nothing changes.
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

/** The server refuses the patch (422) if the UID or the finalizers have changed since they were read. */
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
