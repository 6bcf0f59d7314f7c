import type { ClusterSnapshot, Decision, PlacementRules, Subject } from "./types.ts";

/** Words for the tests of this folder. */

export const NOW = Date.parse("2026-11-21T08:00:00Z");

export function cluster(name: string, more: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const labels = more.region === undefined ? {} : { "topology.kubernetes.io/region": more.region };
  return { name, labels, taints: [], deleting: false, local: false, ...more };
}

export function subject(more: Partial<Subject> = {}): Subject {
  return { labels: {}, current: new Map(), ...more };
}

export function placement(more: Partial<PlacementRules> = {}): PlacementRules {
  return { replicaScheduling: { mode: "Duplicated" }, ...more };
}

export const divided = (more: Partial<PlacementRules["replicaScheduling"]> = {}): Partial<PlacementRules> => ({
  replicaScheduling: { mode: "Divided", ...more },
});

export const chosen = (decision: Decision): string[] => decision.clusters.map((c) => c.name);
export const reasons = (decision: Decision): Record<string, string> =>
  Object.fromEntries(decision.verdicts.map((v) => [v.cluster, v.reason]));
