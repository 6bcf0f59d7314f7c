import { clusterMatcher } from "../clusterMatcher.ts";
import { tolerates } from "../filter/taintToleration.ts";
import type { ClusterSnapshot, PlacementRules, Step, Subject } from "../types.ts";

/** For each PreferNoSchedule taint that is not tolerated: as much as the largest weight adds. */
const TAINT_PENALTY = 100;

/** Compared with other clusters that fit. */
export interface Preference {
  score: number;
  /** Undefined if nothing counts for or against the cluster. */
  step?: Step;
}

/**
 * Sum of the preferences that take the cluster, less a penalty for taints. Clusters with equal sums share one value.
 */
export function preferences(
  { clusterPreferences = [], tolerations = [] }: PlacementRules,
  { labels }: Subject,
): (cluster: ClusterSnapshot) => Preference {
  const entries = clusterPreferences.map(({ targetClusters, weight }) => ({
    takes: clusterMatcher(targetClusters),
    weight,
  }));
  const none: Preference = entries.length === 0 ? { score: 0 } : preferenceOf(0, 0, 0);
  const known = new Map<string, Preference>();
  return (cluster) => {
    let sum = 0;
    let taking = 0;
    for (const { takes, weight } of entries) {
      if (!takes(cluster, labels)) continue;
      sum += weight;
      taking += 1;
    }
    let taints = 0;
    for (const taint of cluster.taints)
      if (taint.effect === "PreferNoSchedule" && !tolerations.some((one) => tolerates(one, taint))) taints += 1;
    if (taking === 0 && taints === 0) return none;
    const key = `${sum}/${taking}/${taints}`;
    let preference = known.get(key);
    if (preference === undefined) known.set(key, (preference = preferenceOf(sum, taking, taints)));
    return preference;
  };
}

function preferenceOf(sum: number, taking: number, taints: number): Preference {
  const score = sum - taints * TAINT_PENALTY;
  const preferred =
    taking === 0
      ? "no preference takes it"
      : `${taking === 1 ? "a preference takes" : `${taking} preferences take`} it`;
  const message = taints === 0 ? preferred : `${preferred}; a taint prefers other clusters`;
  const reason = taking === 0 ? "NotPreferred" : "Preferred";
  return { score, step: { stage: "score", name: "ClusterPreferences", fits: true, reason, message, score } };
}
