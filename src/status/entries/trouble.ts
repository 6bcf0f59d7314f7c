import { type ClusterStatusEntry, isPodReason } from "../../apis/index.ts";

/** True if a cluster serves less than it should, for a reason that somebody must know. */
export function isTroubled({ state, reason }: Pick<ClusterStatusEntry, "state" | "reason">): boolean {
  return state === "Failed" || state === "Degraded" || (state === "Progressing" && isPodReason(reason));
}

/** Since when the entry has its reason: kept while the reason stays, else `at` (RFC 3339). */
export function sinceOf(
  previous: ClusterStatusEntry | undefined,
  { state, reason }: Pick<ClusterStatusEntry, "state" | "reason">,
  at: string,
): Pick<ClusterStatusEntry, "since"> {
  if (reason === undefined || state === "Available") return {};
  if (previous?.reason !== reason || previous.state === "Available") return { since: at };
  // Entries of older releases lack the time, and none is added afterwards.
  return previous.since === undefined ? {} : { since: previous.since };
}
