import { type ObjectRef, type Reason, shortMessage, shortName, type Told, told } from "../../apis/index.ts";
import type { Why } from "../../desiredstate/types.ts";
import { isWanted } from "./rows.ts";
import type { RowView } from "../types.ts";

const TERMINATING: Reason = "Terminating";
const REMOVING: Reason = "Removing";
const CONFIRMING: Reason = "Confirming";
/** Reasons of a removal that nothing rejects: their message is complete. */
const UNREFUSED: ReadonlySet<string | undefined> = new Set([TERMINATING, REMOVING, CONFIRMING]);

export function isUnrefused(reason: string | undefined): boolean {
  return UNREFUSED.has(reason);
}

/** Finalizers of the cluster's garbage collector, which removes them once the dependents are gone. Nobody has to act. */
const COLLECTING: ReadonlySet<string> = new Set(["foregroundDeletion", "orphan"]);

/** True if the member object is being deleted and a finalizer holds it. */
export function isHeldThere({ finalizers = [] }: RowView): boolean {
  return finalizers.some((finalizer) => !COLLECTING.has(finalizer));
}

/** Why a wanted object cannot be created: its old copy is being deleted and a finalizer holds it. */
export function whyNotReplaced(rows: readonly RowView[]): ReturnType<typeof finalizerHolds> | undefined {
  const held = rows.filter((row) => isWanted(row) && !row.inSync && isHeldThere(row));
  const [first] = held;
  return first === undefined ? undefined : finalizerHolds(first.ref, first.finalizers ?? [], held.length - 1);
}

/** Obstacle to a removal that takes longer than usual, on a cluster in contact. */
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

/**
 * Names the finalizers that hold a member object, and the remedy. The finalizer must be readable, so the object's name
 * is shortened first.
 */
export function finalizerHolds(ref: ObjectRef, finalizers: readonly string[], others = 0): Why & Pick<Told, "detail"> {
  const more = others === 0 ? "" : ` (and ${others} more)`;
  const names = [ref.name, ...[40, 16, 10].map((length) => shortName(ref.name, length))];
  const subjects = [...names.map((name) => `${ref.kind} ${name}${more} has `), `${ref.kind}${more} has `, ""];
  return { reason: TERMINATING, ...told(heldTexts(subjects, finalizers)) };
}

/** Texts on finalizers with the remedy, the longest first. Each but the last begins with one of `subjects`. */
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
