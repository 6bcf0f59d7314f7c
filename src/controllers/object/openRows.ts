import type { Reason } from "../../apis/index.ts";
import { isRemoval, REPLACED, type Row, type Target } from "../../desiredstate/index.ts";

export function isReplacing(row: Row): boolean {
  return row.verb === "Hold" && row.why.reason === REPLACED;
}

/** True if news may change the rows: a copy is to go or to be replaced, or the plan waits for contact. */
export function awaitsNews(target: Target | undefined, rows: readonly Row[]): boolean {
  if (target?.failover?.awaitsContact === true || target?.decision.room?.uncounted === true) return true;
  return rows.some((row) => isRemoval(row) || isReplacing(row));
}

const TERMINATING: Reason = "Terminating";

/** True if a removal or a replacement waits for something other than the end of a running deletion. */
export function isHeld(row: Row): boolean {
  return isReplacing(row) || (row.verb === "Hold" && !row.wanted && row.why.reason !== TERMINATING);
}
