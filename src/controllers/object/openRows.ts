import type { Reason } from "../../apis/index.ts";
import { isRemoval, REPLACED, type Row, type Target } from "../../desiredstate/index.ts";

/** Rows that leave something to be decided when news comes. */

/** What waits for a dependency that has to be made anew. */
export function isReplacing(row: Row): boolean {
  return row.verb === "Hold" && row.why.reason === REPLACED;
}

/** Something is to go, or waits for contact with a cluster: the rows may have to be others when something is heard of it. */
export function awaitsNews(target: Target | undefined, rows: readonly Row[]): boolean {
  if (target?.failover?.awaitsContact === true || target?.decision.room?.uncounted === true) return true;
  return rows.some((row) => isRemoval(row) || isReplacing(row));
}

const TERMINATING: Reason = "Terminating";

/** What is to go, or to be made anew, waits for something else than the end of a deletion that is under way. */
export function isHeld(row: Row): boolean {
  return isReplacing(row) || (row.verb === "Hold" && !row.wanted && row.why.reason !== TERMINATING);
}
