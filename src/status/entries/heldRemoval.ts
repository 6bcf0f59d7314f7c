import { type ObjectRef, type Reason, shortMessage, shortName, type Told, told } from "../../apis/index.ts";
import type { Why } from "../../desiredstate/types.ts";
import { isWanted } from "./rows.ts";
import type { RowView } from "../types.ts";

const TERMINATING: Reason = "Terminating";
const REMOVING: Reason = "Removing";
const CONFIRMING: Reason = "Confirming";
/** Reasons of a removal that nothing refuses: their sentence says all there is to say. */
const UNREFUSED: ReadonlySet<string | undefined> = new Set([TERMINATING, REMOVING, CONFIRMING]);

export function isUnrefused(reason: string | undefined): boolean {
  return UNREFUSED.has(reason);
}

/** The cluster's own garbage collection takes these off once what depends on the object is gone: nobody has to do anything. */
const COLLECTING: ReadonlySet<string> = new Set(["foregroundDeletion", "orphan"]);

/** The member object is being deleted, and a finalizer there keeps it. */
export function isHeldThere({ finalizers = [] }: RowView): boolean {
  return finalizers.some((finalizer) => !COLLECTING.has(finalizer));
}

/** Why what is to be there cannot be made: what is there is being deleted, and a finalizer keeps it. */
export function whyNotReplaced(rows: readonly RowView[]): ReturnType<typeof finalizerHolds> | undefined {
  const held = rows.filter((row) => isWanted(row) && !row.inSync && isHeldThere(row));
  const [first] = held;
  return first === undefined ? undefined : finalizerHolds(first.ref, first.finalizers ?? [], held.length - 1);
}

/** What the removal of member objects from a cluster that answers waits for, where it takes longer than removals do. */
export function whyNotRemoved(rows: readonly RowView[]): Why {
  const held = rows.filter(isHeldThere);
  const [first] = held;
  if (first !== undefined) return finalizerHolds(first.ref, first.finalizers ?? [], held.length - 1);
  const [going] = rows.filter(({ finalizers }) => finalizers !== undefined);
  if (going !== undefined)
    return { reason: TERMINATING, message: shortMessage(`${named(going.ref)} is being deleted by the cluster`) };
  const [left] = rows;
  if (left !== undefined)
    return { reason: REMOVING, message: shortMessage(`${named(left.ref)} is still to be deleted`) };
  return { reason: CONFIRMING, message: "nothing is seen there, and that nothing is there is not certain yet" };
}

/** Which finalizers hold a member object that is being deleted, and what frees it. The finalizer is what has to be read: the object's name gives way. */
export function finalizerHolds(ref: ObjectRef, finalizers: readonly string[], others = 0): Why & Pick<Told, "detail"> {
  const more = others === 0 ? "" : ` (and ${others} more)`;
  const names = [ref.name, ...[40, 16, 10].map((length) => shortName(ref.name, length))];
  const subjects = [...names.map((name) => `${ref.kind} ${name}${more} has `), `${ref.kind}${more} has `, ""];
  return { reason: TERMINATING, ...told(heldTexts(subjects, finalizers)) };
}

/** That finalizers hold something, and what frees it: after the first of these words, or where that is too long after one of the others. */
export function heldTexts(subjects: readonly string[], finalizers: readonly string[]): [string, ...string[]] {
  const [first = "", ...others] = finalizers;
  const noun = others.length === 0 ? "finalizer" : "finalizers";
  const frees = `mend its controller or remove ${others.length === 0 ? "it" : "them"}`;
  const brief = `${first}${others.length === 0 ? "" : ` and ${others.length} more`}`;
  const [whole = "", ...shorter] = [finalizers.join(", "), brief].flatMap((list) =>
    subjects.map((subject) => `${subject}${noun} ${list}; ${frees}`),
  );
  return [whole, ...shorter, `${noun} ${brief}`];
}

function named({ kind, name }: ObjectRef): string {
  return `${kind} ${shortName(name)}`;
}
