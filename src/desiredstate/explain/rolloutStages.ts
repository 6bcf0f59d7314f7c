import { type ClusterSelector, matchesClusterSelector } from "../../apis/index.ts";
import { type RolloutPolicy, stageOf, stagesTaking } from "../../rollout/index.ts";
import type { ClusterSnapshot } from "../../scheduler/index.ts";

export interface StageAssignment {
  names: readonly string[];
  stages: ReadonlyMap<string, string>;
  overlapping: readonly { cluster: string; stages: readonly string[] }[];
  unassigned: readonly string[];
}

/** Undefined if the policy names no stages. `labels`: the labels of the object. */
export function stageAssignment(
  policy: RolloutPolicy | undefined,
  clusters: readonly ClusterSnapshot[],
  labels: Readonly<Record<string, string>> = {},
): StageAssignment | undefined {
  const { stages: given = [] } = policy ?? {};
  if (policy === undefined || given.length === 0) return undefined;
  const stages = new Map<string, string>();
  const overlapping: { cluster: string; stages: readonly string[] }[] = [];
  const unassigned: string[] = [];
  for (const cluster of clusters) {
    const takes = (selector: ClusterSelector): boolean => matchesClusterSelector(selector, cluster, labels);
    const stage = stageOf(policy, takes);
    const taking = stagesTaking(policy, takes);
    if (stage === undefined) unassigned.push(cluster.name);
    else stages.set(cluster.name, stage);
    if (taking.length > 1) overlapping.push({ cluster: cluster.name, stages: taking });
  }
  return { names: given.map(({ name }) => name), stages, overlapping, unassigned };
}

/** Problems to check before a rollout begins; one sentence each. */
export function stageProblems({ overlapping, unassigned }: StageAssignment): string[] {
  const problems = overlapping.map(
    ({ cluster, stages }) => `stages ${stages.join(" and ")} both take ${cluster}: the first counts`,
  );
  if (unassigned.length > 0)
    problems.push(`no stage takes ${listed(unassigned)}: ${unassigned.length === 1 ? "its" : "their"} turn comes last`);
  return problems;
}

function listed(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ");
}
