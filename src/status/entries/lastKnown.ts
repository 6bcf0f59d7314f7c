import { type ClusterStatusEntry, isOutOfContact, type Reason } from "../../apis/index.ts";
import type { Activity, Availability } from "../types.ts";

/** What the conditions need to know of a cluster that only its entry tells of. */
export interface LastKnown {
  available: Availability;
  fresh: boolean;
  activity?: Activity;
}

/** The facts for the conditions that an entry of before implies, so that a restart moves no condition. */
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

/** As far as the entry of before tells it; where the entry leaves it open, it stands as it was said. */
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
      // The state does not say how healthy the cluster was, but the numbers do.
      if (desiredHash !== observedHash) return "No";
      return Math.min(replicas.available, replicas.updated) >= replicas.desired ? "Yes" : "Before";
    default:
      return "No";
  }
}

const NOT_JUDGED: Reason = "RolloutPending";
/** Only with this reason the entry says that no old pods are among those that serve. */
const ALL_NEW: Reason = "PodsNotReady";

/** How many replicas of a Deployment are to be available while its pods are replaced, unless it says otherwise. */
function leastOf(desired: number): number {
  return desired - Math.floor(desired / 4);
}

function activityOf(entry: ClusterStatusEntry): Activity {
  if (entry.reason === "Removing") return "Removing";
  return entry.desiredHash === entry.observedHash ? "RollingOut" : "Applying";
}
