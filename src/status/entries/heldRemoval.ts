import { type MessageParts, type ObjectRef, type Reason } from "../../apis/index.ts";
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

export function isHeldThere({ finalizers = [] }: RowView): boolean {
  return finalizers.some((finalizer) => !COLLECTING.has(finalizer));
}

/** Why a wanted object cannot be created: its old copy is being deleted and a finalizer holds it. */
export function whyNotReplaced(rows: readonly RowView[]): Why | undefined {
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
    return { reason: TERMINATING, message: `${named(going.ref)} is being deleted by the cluster` };
  const [left] = rows;
  if (left !== undefined) return { reason: REMOVING, message: `${named(left.ref)} is still to be deleted` };
  return { reason: CONFIRMING, message: "nothing is seen there, and that nothing is there is not certain yet" };
}

export function finalizerHolds(ref: ObjectRef, finalizers: readonly string[], others = 0): Why {
  const more = others === 0 ? "" : ` (and ${others} more)`;
  return { reason: TERMINATING, message: heldMessage(`${named(ref)}${more} has`, finalizers) };
}

/** Names finalizers with the remedy. `subject`: the words before the finalizers. */
export function heldMessage(subject: string, finalizers: readonly string[]): MessageParts {
  const isOne = finalizers.length === 1;
  return {
    what: `${subject} ${isOne ? "finalizer" : "finalizers"}`,
    where: finalizers,
    remedy: `mend its controller or remove ${isOne ? "it" : "them"}`,
  };
}

function named({ kind, name }: ObjectRef): string {
  return `${kind} ${name}`;
}
