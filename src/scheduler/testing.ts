import type { ClusterSnapshot, Decision, PlacementRules, Subject } from "./types.ts";

/** Fixtures for the tests of this folder. */

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

/** Four clusters in three regions: two of one provider, one of another provider, and one with only a region. */
export const fleet = [
  cluster("shanghai-1", { region: "cn-shanghai", zone: "cn-shanghai-b", provider: "aliyun" }),
  cluster("shanghai-2", { region: "cn-shanghai", zone: "cn-shanghai-c", provider: "aliyun" }),
  cluster("singapore-1", { region: "ap-southeast-1", provider: "aws" }),
  cluster("frankfurt-1", { region: "eu-central-1" }),
];
