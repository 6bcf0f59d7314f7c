import type { ObjectMeta } from "./meta.ts";
import { CONTROLLER_CLASS_LABEL } from "./wellknown.ts";

/**
 * Which of several releases of Meridian on one hub carries an object, so that one can hand it to the next while it runs.
 *
 * A label of the object names the class that is to carry it. Each class has a finalizer of its own, and the first of these in
 * `metadata.finalizers` says who does: so there is exactly one, or nobody yet, at every moment and for everybody who looks. The next one
 * takes over by putting its own in front, in one write and only while the object is not being deleted; the one before then stops, and
 * takes its own away. Before that it goes on as if nothing had been said: a class that no manager serves takes nothing.
 */

/** The class of what names none. */
export const DEFAULT_CLASS = "default";

/** A DNS label, short enough to end the name of a finalizer. */
export const CLASS_PATTERN = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** The classes that one manager serves. */
export type Classes = ReadonlySet<string>;

export type Standing =
  /** Another class's, or nobody's of those that this manager serves: it writes nothing there. */
  | "Ignore"
  /** This manager's. */
  | "Carry"
  /** Another carries it, and it is to be this manager's: it gets to know everything about it, and then puts its finalizer in front. */
  | "TakeOver"
  /** Still this manager's, though it is to be another's: it goes on until that one has taken over. */
  | "HoldUntilTakenOver"
  /** Another has taken over: nothing is written any more, and the finalizer of this manager goes. */
  | "Release";

/** The class that is to carry an object. */
export function classOf({ labels }: Pick<ObjectMeta, "labels">): string {
  const named = labels?.[CONTROLLER_CLASS_LABEL];
  return named === undefined || named === "" ? DEFAULT_CLASS : named;
}

/** The finalizer of a class; `base` is that of the default class. */
export function finalizerOf(base: string, name: string): string {
  return name === DEFAULT_CLASS ? base : `${base}.${name}`;
}

/** Classes whose finalizers an object has, in their order: the first one carries it. */
export function holdersOf(base: string, { finalizers = [] }: Pick<ObjectMeta, "finalizers">): string[] {
  return finalizers.flatMap((finalizer) => holderOf(base, finalizer) ?? []);
}

/** What a manager of these classes is to an object. */
export function standingOf(
  base: string,
  metadata: Pick<ObjectMeta, "labels" | "finalizers" | "deletionTimestamp">,
  classes: Classes,
): Standing {
  const isWanted = classes.has(classOf(metadata));
  const holders = holdersOf(base, metadata);
  const [carrier] = holders;
  if (carrier === undefined) return isWanted ? "Carry" : "Ignore";
  const isDeleted = metadata.deletionTimestamp !== undefined;
  if (classes.has(carrier)) return isWanted || isDeleted ? "Carry" : "HoldUntilTakenOver";
  // A finalizer cannot be put in front of a deletion: who carried it then sees it through.
  if (isWanted && !isDeleted) return "TakeOver";
  return holders.some((holder) => classes.has(holder)) ? "Release" : "Ignore";
}

/** Whether a manager with that standing answers for the object: writes it to members, deletes it there, tells its status. */
export function isResponsible(standing: Standing): boolean {
  return standing === "Carry" || standing === "HoldUntilTakenOver";
}

/**
 * The finalizers with that of the wanted class, in front of those of other managers, and no other of this manager's. The same array when
 * it is so already. For standing `Carry` and, at the moment of taking over, `TakeOver`.
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
