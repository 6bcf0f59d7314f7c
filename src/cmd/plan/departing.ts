import { fullMessage, type KubeObject } from "../../apis/index.ts";
import { deletionText } from "../../status/index.ts";
import { type PlannerHubState } from "./state/index.ts";

const NAMED = 5;

export function departingNotes(state: PlannerHubState, departing: readonly KubeObject[]): string[] {
  const [first, ...others] = departing;
  if (first === undefined) return [];
  const { deletionTimestamp: since = "" } = first.metadata;
  const why = whyItWaits(state, first, since);
  if (others.length === 0)
    return [`${nameOf(first)} is being deleted since ${since}, and nothing else becomes of it: ${why}.`];
  const names = departing.slice(0, NAMED).map(nameOf).join(", ");
  const more = departing.length > NAMED ? ` and ${departing.length - NAMED} more` : "";
  return [
    `${departing.length} objects are being deleted, and nothing else becomes of them: ${names}${more}. ${nameOf(first)} ${why}.`,
  ];
}

/** The cause in the status or, before the status names one, why the manager holds the deletion. */
function whyItWaits(state: PlannerHubState, object: KubeObject, since: string): string {
  const status = state.statusOf(object);
  const held = state.whyDepartingStays(object);
  const isTold = status?.clusters?.some(({ reason }) => reason === held?.reason) === true;
  return held === undefined || isTold
    ? (deletionText(status, since) ?? "")
    : `its copies stay (${held.reason}): ${fullMessage(held.message)}`;
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}
