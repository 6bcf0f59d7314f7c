import type { OwnerRef } from "../../apis/index.ts";
import { type ApplyRow, hasEnded } from "../../desiredstate/index.ts";
import type { LostPlace, HubOwnedField } from "../../interpreter/index.ts";
import type { Labels } from "./carriedLabels.ts";
import { isInSync } from "./comparison.ts";
import type { MemberObject } from "./memberObject.ts";
import type { ObservedObject } from "./observed.ts";
import { keptBy, leftToOthers } from "./yielding.ts";

/** Next action of a lane for one member object. */
export type Action =
  | { kind: "Nothing" }
  /** The object is not seen on the member. */
  | { kind: "Create"; row: ApplyRow }
  /** `drift`: fields to take back; `yielded`: fields left to their owners; `kept`: fields kept beside the row's object. */
  | {
      kind: "Update";
      row: ApplyRow;
      observed: ObservedObject;
      drift: readonly LostPlace[];
      yielded: readonly LostPlace[];
      kept: readonly HubOwnedField[];
    }
  | { kind: "Delete"; observed: ObservedObject }
  /** Remove Meridian's marks; the object stays on the member. */
  | { kind: "Release"; observed: ObservedObject }
  /** Read the object by its name. Its absence from the watch is no proof. */
  | { kind: "Confirm"; owner: OwnerRef }
  /** List what is in a namespace before its deletion. */
  | { kind: "Inspect"; observed: ObservedObject }
  /** Write the Pod Security labels of the hub's namespace to a namespace that Meridian created. */
  | { kind: "Label"; labels: Labels }
  /** Read the whole object, since its row has `reporting` and the content was not kept. */
  | { kind: "Read" }
  /** Wait until the member's objects of that kind are known. */
  | { kind: "Held" };

/** Actions that send a request. */
export type Act = Exclude<Action, { kind: "Nothing" | "Held" }>;

const nothing: Action = { kind: "Nothing" };
const HELD: Action = { kind: "Held" };

/** True for actions that follow the order of phases. */
export function isOrdered({ kind }: Action): boolean {
  return kind === "Create" || kind === "Update" || kind === "Inspect" || kind === "Delete";
}

/**
 * Compares the row with the observed object. Pure. Only a row removes an object, and only the UID that the row names.
 * `isKnown`: the caches that a removal depends on have synced and do not hold deletions.
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
      // The watch reports when the deletion has finished. The object is created again then.
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
      return isKnown ? { kind: row.verb, observed } : HELD;
  }
}

function reading({ row, observed }: MemberObject): Action {
  if (row?.reporting === undefined || observed === undefined || observed.deleting) return nothing;
  return observed.evidence.content === undefined ? { kind: "Read" } : nothing;
}

/** Held until the member's objects of that kind are known, since the watch may still bring the object. */
function confirmation({ row, observed, isAbsent }: MemberObject, isKnown: boolean): Action {
  if (row === undefined || isAbsent || observed?.visible === true) return nothing;
  if (observed !== undefined && !observed.deleting) return nothing;
  return isKnown ? { kind: "Confirm", owner: row.owner } : HELD;
}
