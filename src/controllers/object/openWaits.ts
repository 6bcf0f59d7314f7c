import type { Reason } from "../../apis/index.ts";
import { isRemoval, REPLACED, type Row, type Target } from "../../desiredstate/index.ts";
import type { WaitFor } from "../tables/index.ts";
import type { ObjectRollout } from "./rolloutStep.ts";

/** What a planned object waits for. Pure. */

const TERMINATING: Reason = "Terminating";

function isReplacing(row: Row): boolean {
  return row.verb === "Hold" && row.why.reason === REPLACED;
}

/** True if a removal or a replacement waits for something other than the end of a running deletion. */
function isHeld(row: Row): boolean {
  return isReplacing(row) || (row.verb === "Hold" && !row.wanted && row.why.reason !== TERMINATING);
}

/**
 * The waits of a plan with these rows: for news of its clusters while a copy is to go or to be replaced, and for the
 * facts that hold a removal or may come to hold it.
 */
export function waitsOfRows(target: Target | undefined, rows: readonly Row[]): WaitFor[] {
  const isOpen = target?.failover?.awaitsContact === true || target?.decision.room?.uncounted === true;
  if (!isOpen && !rows.some((row) => isRemoval(row) || isReplacing(row))) return [];
  const clusters = new Set(rows.map(({ cluster }) => cluster));
  for (const { name } of target?.clusters ?? []) clusters.add(name);
  // Whether a failover is held depends on the contact with all clusters.
  const contacts: WaitFor[] = isOpen
    ? [{ for: "contact" }]
    : Array.from(clusters, (of): WaitFor => ({ for: "contact", of }));
  return [...contacts, { for: "hubSync" }, ...(rows.some(isHeld) ? [{ for: "others" } satisfies WaitFor] : [])];
}

/** True if the object is not planned yet, because a pending member may have a copy of it. Only such a wait has an end. */
export function awaitsMembers(waits: readonly WaitFor[]): boolean {
  return waits.some(isForMembers);
}

export function isForMembers(wait: WaitFor): boolean {
  return wait.for === "contact" && wait.until !== undefined;
}

/** The waits of a division of replicas by room: the room of some clusters is not known, or does not suffice. */
export function waitsOfRoom(target: Target): WaitFor[] {
  const { room } = target.decision;
  return room?.awaited === true ? room.clusters.map((of) => ({ for: "capacity", of })) : [];
}

/** The waits of a rollout that is under way. Any news of a cluster may advance it. */
export function waitsOfRollout({ isUnderWay, status, asks, recheckAt }: ObjectRollout): WaitFor[] {
  if (!isUnderWay) return [];
  const waits: WaitFor[] = [{ for: "contact" }];
  if (asks.length > 0) waits.push({ for: "gate" });
  else if (status?.state === "Planned" && status.reason !== "User") waits.push({ for: "turn" });
  else if (status?.state === "Paused" || status?.state === "Planned") waits.push({ for: "approval" });
  if (recheckAt !== undefined) waits.push({ for: "window", until: recheckAt });
  return waits;
}
