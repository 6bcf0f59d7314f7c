import { defined, type Reason, type RolloutStatus } from "../../apis/index.ts";
import { stageAtGate, stageToApprove } from "../../rollout/index.ts";
import { isRemoval } from "../assemble/index.ts";
import { REPLACED } from "../rows/index.ts";
import type { Row, Target } from "../types.ts";
import type { WaitFor } from "./types.ts";

const TERMINATING: Reason = "Terminating";

function isReplacing(row: Row): boolean {
  return row.verb === "Hold" && row.why.reason === REPLACED;
}

/** True if a removal or a replacement waits for something other than the end of a running deletion. */
function isHeld(row: Row): boolean {
  return isReplacing(row) || (row.verb === "Hold" && !row.wanted && row.why.reason !== TERMINATING);
}

/** True if the decision depends on the contact with all clusters: a failover is held, or a replica count is unknown. */
export function awaitsAnyCluster(target: Target | undefined): boolean {
  return target?.failover?.awaitsContact === true || target?.decision.room?.uncounted === true;
}

/**
 * The waits of a plan with these rows: for news of its clusters while a copy is to go or to be replaced, and for the
 * facts that hold a removal or may come to hold it.
 */
export function waitsOfRows(target: Target | undefined, rows: readonly Row[]): WaitFor[] {
  const isOpen = awaitsAnyCluster(target);
  if (!isOpen && !rows.some((row) => isRemoval(row) || isReplacing(row))) return [];
  const clusters = new Set(rows.map(({ cluster }) => cluster));
  for (const { name } of target?.clusters ?? []) clusters.add(name);
  const contacts: WaitFor[] = isOpen
    ? [{ for: "contact" }]
    : Array.from(clusters, (of): WaitFor => ({ for: "contact", of }));
  return [...contacts, { for: "hubSync" }, ...(rows.some(isHeld) ? [{ for: "others" } satisfies WaitFor] : [])];
}

/** The waits of a division of replicas by room: the room of some clusters is not known, or does not suffice. */
export function waitsOfRoom({ decision: { room } }: Pick<Target, "decision">): WaitFor[] {
  return room?.awaited === true ? room.clusters.map((of) => ({ for: "capacity", of })) : [];
}

/** The stop of a rollout: for its turn, its gate or a person. A run that goes on has none. */
export function waitsOfRun(status: RolloutStatus | undefined): WaitFor[] {
  if (status === undefined) return [];
  const { state, reason } = status;
  if (state === "Planned" && reason !== "User") return [{ for: "turn" }];
  if (state !== "Planned" && state !== "Paused") return [];
  const gate = stageAtGate(status);
  if (gate !== undefined) return [{ for: "gate", of: gate }];
  return [{ for: "approval", ...defined({ of: stageToApprove(status) }) }];
}
