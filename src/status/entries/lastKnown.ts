import { type ClusterStatusEntry, isOutOfContact, type Reason } from "../../apis/index.ts";
import type { Activity, Availability } from "../types.ts";

/** Facts for the conditions about a cluster that only its last entry describes. */
export interface LastKnown {
  available: Availability;
  fresh: boolean;
  activity?: Activity;
}

/** Facts for the conditions that the last entry implies, so that a restart changes no condition. */
export function lastKnown(entry: ClusterStatusEntry, isPlanned: boolean, applied: boolean): LastKnown {
  const activity = !isPlanned
    ? "Removing"
    : entry.state === "Progressing" || entry.state === "Pending"
      ? activityOf(entry)
      : undefined;
  const fresh = !isOutOfContact(entry) && entry.observedAt !== undefined;
  return {
    available: isPlanned ? lastAvailability(entry, applied) : "No",
    fresh,
    ...(activity === undefined || !fresh ? {} : { activity }),
  };
}

/** Availability as far as the last entry tells it. `Before` if the entry leaves it open. */
function lastAvailability(entry: ClusterStatusEntry, applied: boolean): Availability {
  const { state, reason, replicas, desiredHash, observedHash } = entry;
  switch (state) {
    case "Available":
      return applied ? "Yes" : "Before";
    case "Progressing":
    case "Degraded":
      if (!applied || reason === NOT_JUDGED) return "Before";
      if (replicas.available === 0 || replicas.available < leastOf(replicas.desired)) return "No";
      return reason === ALL_NEW ? "Yes" : "Before";
    case "Held":
      // The state Held does not tell the health, but the numbers do.
      if (desiredHash !== observedHash) return "No";
      return Math.min(replicas.available, replicas.updated) >= replicas.desired ? "Yes" : "Before";
    default:
      return "No";
  }
}

const NOT_JUDGED: Reason = "RolloutPending";
/** Only this reason means that no old pods serve. */
const ALL_NEW: Reason = "PodsNotReady";

/** Replicas that a Deployment keeps available while its pods are replaced, by default. */
function leastOf(desired: number): number {
  return desired - Math.floor(desired / 4);
}

function activityOf(entry: ClusterStatusEntry): Activity {
  if (entry.reason === "Removing") return "Removing";
  return entry.desiredHash === entry.observedHash ? "RollingOut" : "Applying";
}
