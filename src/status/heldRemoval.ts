import { listedAfter, type ObjectRef, type Reason, shortMessage, shortName } from "../apis/index.ts";
import type { Why } from "../desiredstate/types.ts";
import type { RowView } from "./types.ts";

const TERMINATING: Reason = "Terminating";
const REMOVING: Reason = "Removing";
const CONFIRMING: Reason = "Confirming";
/** Reasons of a removal that nothing refuses: their sentence says all there is to say. */
const UNREFUSED: ReadonlySet<string | undefined> = new Set([TERMINATING, REMOVING, CONFIRMING]);

export function isUnrefused(reason: string | undefined): boolean {
  return UNREFUSED.has(reason);
}

/** What the removal of member objects from a cluster that answers waits for, where it takes longer than removals do. */
export function whyNotRemoved(rows: readonly RowView[]): Why {
  const held = rows.filter(({ finalizers = [] }) => finalizers.length > 0);
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

/** Which finalizers hold a member object that is being deleted, and what frees it. */
export function finalizerHolds(ref: ObjectRef, finalizers: readonly string[], others = 0): Why {
  const more = others === 0 ? "" : ` (and ${others} more)`;
  const one = finalizers.length === 1;
  const frees = `; mend its controller or remove ${one ? "it" : "them"}`;
  const before = `${named(ref)}${more} has finalizer${one ? "" : "s"} `;
  return {
    reason: TERMINATING,
    message: shortMessage(`${listedAfter(before, finalizers, ", ", 120 - frees.length)}${frees}`),
  };
}

function named({ kind, name }: ObjectRef): string {
  return `${kind} ${shortName(name)}`;
}
