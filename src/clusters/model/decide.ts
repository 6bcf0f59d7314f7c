import type { OwnerRef } from "../../apis/index.ts";
import { type ApplyRow, hasEnded } from "../../desiredstate/index.ts";
import type { LostPlace, StandingField } from "../../interpreter/index.ts";
import type { MemberObject } from "./memberObject.ts";
import { isInSync } from "./memberObjects.ts";
import type { ObservedObject } from "./observed.ts";
import { keptBy, leftToOthers } from "./yielding.ts";

/** What a lane should do about one member object now. */
export type Action =
  | { kind: "Nothing" }
  /** Not seen on the member: apply, once it is certain that nobody else's object has that name. */
  | { kind: "Create"; row: ApplyRow }
  /** Ours, but not as desired. `drift` holds what others took, `yielded` what is left to them. */
  | {
      kind: "Update";
      row: ApplyRow;
      observed: ObservedObject;
      drift: readonly LostPlace[];
      yielded: readonly LostPlace[];
      /** What the copy keeps beside the row's object. */
      kept: readonly StandingField[];
    }
  | { kind: "Delete"; observed: ObservedObject }
  /** Let go of the object: it stays on the member without Meridian's marks. */
  | { kind: "Release"; observed: ObservedObject }
  /** Look for the object by its name: it should not be there, and that the watch does not show it is no proof. */
  | { kind: "Confirm"; owner: OwnerRef }
  /** Read all of the object: its row asks for more of it than is kept. */
  | { kind: "Read" }
  /** A removal that has to wait until the member's objects of that kind are known. */
  | { kind: "Held" };

const nothing: Action = { kind: "Nothing" };
export const HELD: Action = { kind: "Held" };

/** What goes in the order of phases. */
export function isOrdered({ kind }: Action): boolean {
  return kind === "Create" || kind === "Update" || kind === "Delete";
}

/**
 * Compares what should be with what is. Pure. Only a row removes anything, and only the life of the object that the row names: no row
 * means that the object is left alone. `isKnown`: the caches that a removal rests on have synced and do not hold deletions.
 */
export function decide(object: MemberObject, isKnown: boolean): Action {
  const { row, observed } = object;
  switch (row?.verb) {
    case undefined:
      return nothing;
    case "Hold":
      return row.confirm === true ? confirmation(object, isKnown) : reading(object);
    case "Apply":
      if (hasEnded(row, object)) return reading(object);
      if (observed === undefined) return { kind: "Create", row };
      // When an object that is being deleted is gone, the member's watch says so, and the object is created anew.
      if (observed.deleting) return nothing;
      if (isInSync(object)) return reading(object);
      return {
        kind: "Update",
        row,
        observed,
        drift: object.judged?.hash === row.hash ? object.judged.lost : [],
        yielded: leftToOthers(object, row),
        kept: keptBy(object, row),
      };
    case "Delete":
    case "Release":
      if (observed === undefined || (!observed.visible && observed.deleting)) return confirmation(object, isKnown);
      if (observed.deleting || observed.uid !== row.uid) return nothing;
      return isKnown ? { kind: row.verb, observed } : { kind: "Held" };
  }
}

function reading({ row, observed }: MemberObject): Action {
  if (row?.reporting === undefined || observed === undefined || observed.deleting) return nothing;
  return observed.evidence.content === undefined ? { kind: "Read" } : nothing;
}

/** Before the member's objects of that kind are known, the watch may yet bring the object. */
function confirmation({ row, observed, isAbsent }: MemberObject, isKnown: boolean): Action {
  if (row === undefined || isAbsent || observed?.visible === true) return nothing;
  if (observed !== undefined && !observed.deleting) return nothing;
  return isKnown ? { kind: "Confirm", owner: row.owner } : { kind: "Held" };
}
