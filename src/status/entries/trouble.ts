import { type ClusterStatusEntry, isPodReason } from "../../apis/index.ts";

/** Whether a cluster serves less than it is to, for a reason that somebody has to know. */
export function isTroubled({ state, reason }: Pick<ClusterStatusEntry, "state" | "reason">): boolean {
  return state === "Failed" || state === "Degraded" || (state === "Progressing" && isPodReason(reason));
}

/** Since when the entry has its reason: carried over while the reason stays, else `at` (RFC 3339). */
export function sinceOf(
  previous: ClusterStatusEntry | undefined,
  { state, reason }: Pick<ClusterStatusEntry, "state" | "reason">,
  at: string,
): Pick<ClusterStatusEntry, "since"> {
  if (reason === undefined || state === "Available") return {};
  if (previous?.reason !== reason || previous.state === "Available") return { since: at };
  // An entry of an older release has no such time, and none is written for its sake.
  return previous.since === undefined ? {} : { since: previous.since };
}
