import { clusterMatcher } from "../clusterMatcher.ts";
import type { ClusterSnapshot, PlacementRules, Step, Subject } from "../types.ts";

/** Weight in the division of replicas. */
export interface Score {
  weight: number;
  step: Step;
}

/**
 * The first entry that takes a cluster gives its weight, and no entry 0. Without any entries every cluster weighs 1.
 * Clusters with the same entry share their score.
 */
export function staticWeight(
  { weights }: PlacementRules["replicaScheduling"],
  subject: Subject,
): (cluster: ClusterSnapshot) => Score {
  if (weights === undefined || weights.length === 0) {
    const even = scoreOf(1, "no weights count: every cluster weighs the same");
    return () => even;
  }
  const entries = weights.map(({ targetClusters, weight }) => ({
    takes: clusterMatcher(targetClusters),
    score: scoreOf(weight, `weight ${weight}`),
  }));
  const none = scoreOf(0, "no weight is given for it");
  return (cluster) => entries.find(({ takes }) => takes(cluster, subject.labels))?.score ?? none;
}

function scoreOf(weight: number, message: string): Score {
  const step: Step = { stage: "score", name: "StaticWeight", fits: true, reason: "Weighted", message, score: weight };
  return { weight, step };
}
