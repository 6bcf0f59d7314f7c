import { type ClusterStatusEntry, isPodReason } from "../apis/index.ts";

/** Whether a cluster serves less than it is to, for a reason that somebody has to know. */
export function isTroubled({ state, reason }: Pick<ClusterStatusEntry, "state" | "reason">): boolean {
  return state === "Failed" || state === "Degraded" || (state === "Progressing" && isPodReason(reason));
}
