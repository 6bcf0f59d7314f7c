import { shortMessage } from "../../apis/index.ts";
import type { Failure } from "../../desiredstate/index.ts";
import { type Action, decide, type Emptiness, type Labels, type MemberObject, textOf } from "../model/index.ts";

const nothing: Action = { kind: "Nothing" };

/**
 * Next action for a namespace. Pure. A row only deletes or releases a namespace. Without a row, its labels follow the
 * hub's namespace. `isKnown`: as for {@link decide}.
 */
export function decideNamespace(object: MemberObject, isKnown: boolean, wanted: Labels | undefined): Action {
  const { row, observed } = object;
  if (observed === undefined) return nothing;
  if (row === undefined) return labelling(object, wanted);
  if (row.verb !== "Delete" && row.verb !== "Release") return nothing;
  const action = decide(object, isKnown);
  switch (action.kind) {
    case "Delete":
      return { kind: "Inspect", observed: action.observed };
    case "Release":
    case "Held":
      return action;
    default:
      return nothing;
  }
}

function labelling({ observed }: MemberObject, labels: Labels | undefined): Action {
  if (labels === undefined || observed === undefined || !observed.isOurs || observed.deleting) return nothing;
  return textOf(labels) === (observed.podSecurity ?? textOf({})) ? nothing : { kind: "Label", labels };
}

/** Failure of a namespace that is not empty; undefined for an empty one. */
export function whyKept(emptiness: Emptiness): Failure | undefined {
  switch (emptiness.kind) {
    case "Empty":
      return undefined;
    case "Occupied":
      return { reason: "NamespaceOccupied", message: shortMessage(`${emptiness.by} is in it`), final: false };
    case "Unknown":
      return { reason: "NamespaceKept", message: shortMessage(emptiness.message), final: false };
  }
}
