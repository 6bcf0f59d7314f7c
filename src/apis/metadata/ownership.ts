import type { ObjectMeta } from "./meta.ts";
import { CONTROLLER_CLASS_LABEL } from "./wellknown.ts";

/**
 * Which of several releases of Meridian on one hub owns an object, so that one release can hand objects to the next while both run.
 *
 * A label of the object names the class of controllers that is to own the object. Each class has a finalizer of its own, and the first
 * of these finalizers in `metadata.finalizers` names the owner: at every moment exactly one class or none, the same for every reader. A
 * class claims an object by putting its own finalizer in front, in one write, and only while the object is not being deleted; the class
 * that owned it before then stops writing and takes its own finalizer away. Until then that class goes on as before, so that nothing
 * happens to an object that names a class which no manager serves.
 */

/** The class of what names none. */
export const DEFAULT_CLASS = "default";

/** A DNS label, short enough to end the name of a finalizer. */
export const CLASS_PATTERN = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** The classes that one manager serves. */
export type Classes = ReadonlySet<string>;

/** What an object is to the manager that reads it. */
export type Ownership =
  /** Another class owns the object, or nobody does: this manager writes nothing. */
  | "Foreign"
  /** This manager owns the object. */
  | "Owned"
  /** Another class owns the object, and it names this manager: the manager learns what is on the members, then claims the object. */
  | "Claimable"
  /** This manager owns the object, and it names another class: the manager goes on until that class has claimed the object. */
  | "Yielding"
  /** Another class has claimed the object: this manager writes nothing but its own finalizer away. */
  | "Yielded";

/** The class that an object names: the one that is to own it. */
export function classOf({ labels }: Pick<ObjectMeta, "labels">): string {
  const named = labels?.[CONTROLLER_CLASS_LABEL];
  return named === undefined || named === "" ? DEFAULT_CLASS : named;
}

/** The finalizer of a class; `base` is that of the default class. */
export function finalizerOf(base: string, name: string): string {
  return name === DEFAULT_CLASS ? base : `${base}.${name}`;
}

/** Classes whose finalizers an object has, in their order: the first one owns the object. */
export function holdersOf(base: string, { finalizers = [] }: Pick<ObjectMeta, "finalizers">): string[] {
  return finalizers.flatMap((finalizer) => holderOf(base, finalizer) ?? []);
}

/** What an object is to a manager of these classes; `base` is the finalizer of the default class. */
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
  // The API server takes no new finalizer on an object that is being deleted: the class that owns it finishes the deletion.
  if (isNamed && !isDeleted) return "Claimable";
  return holders.some((holder) => classes.has(holder)) ? "Yielded" : "Foreign";
}

/** Whether the manager answers for the object: propagates it, deletes its member objects, writes its status. */
export function isResponsible(ownership: Ownership): boolean {
  return ownership === "Owned" || ownership === "Yielding";
}

/**
 * The finalizers of an object that this manager owns: that of the named class, in front of those of other managers, and no other of
 * this manager's. The same array when nothing changes. For `Owned` and, at the moment of claiming, `Claimable`.
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

/** A JSON patch that writes the finalizers, and that the server refuses (422) where the UID or the finalizers are not those that were seen. */
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

/** The finalizers without this manager's. */
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
