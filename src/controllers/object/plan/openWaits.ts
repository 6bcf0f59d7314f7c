import { type WaitFor, waitsOfRun } from "../../../desiredstate/index.ts";
import type { ObjectRollout } from "../rollout/index.ts";

/** What a planned object waits for. Pure. */

/** True if the object is not planned yet, because a pending member may have a copy of it. Only such a wait has an end. */
export function awaitsMembers(waits: readonly WaitFor[]): boolean {
  return waits.some(isForMembers);
}

export function isForMembers(wait: WaitFor): boolean {
  return wait.for === "contact" && wait.until !== undefined;
}

/** The waits of a rollout that is under way. Any news of a cluster may advance it. */
export function waitsOfRollout({ isUnderWay, status, recheckAt }: ObjectRollout): WaitFor[] {
  if (!isUnderWay) return [];
  const waits: WaitFor[] = [{ for: "contact" }, ...waitsOfRun(status)];
  if (recheckAt !== undefined) waits.push({ for: "window", until: recheckAt });
  return waits;
}
