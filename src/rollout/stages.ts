import { shareOf } from "../apis/index.ts";
import type { RolloutFacts, RolloutPolicy, RolloutStage } from "./types.ts";

/** Last stage, of the clusters that no other takes. */
export const UNASSIGNED = "unassigned";
/** Name of the only stage if the policy has none. */
const ALL = "all";

type StagePolicy = NonNullable<RolloutPolicy["stages"]>[number];

/** Stages in order. A policy without stages has one stage with every cluster. */
export function stagesOf({ stages }: RolloutPolicy): readonly StagePolicy[] {
  return stages === undefined || stages.length === 0 ? [{ name: ALL }] : stages;
}

/** Only its name if the policy lacks the stage. */
export function policyOfStage(policy: RolloutPolicy, name: string): StagePolicy {
  return stagesOf(policy).find((stage) => stage.name === name) ?? { name };
}

/**
 * First stage that takes a cluster. `takes` evaluates a selector. A stage without one takes the clusters that no
 * selector takes, wherever it stands.
 */
export function stageOf(
  policy: RolloutPolicy,
  takes: (selector: NonNullable<StagePolicy["targetClusters"]>) => boolean,
): string | undefined {
  const stages = stagesOf(policy);
  const named = stages.find(({ targetClusters }) => targetClusters !== undefined && takes(targetClusters));
  return (named ?? stages.find(({ targetClusters }) => targetClusters === undefined))?.name;
}

/** Stages whose selectors take the cluster. More than one is an overlap, which `plan` reports. */
export function stagesTaking(
  policy: RolloutPolicy,
  takes: (selector: NonNullable<StagePolicy["targetClusters"]>) => boolean,
): string[] {
  return stagesOf(policy).flatMap(({ name, targetClusters }) =>
    targetClusters !== undefined && takes(targetClusters) ? [name] : [],
  );
}

/** Plan of a run, frozen at its start: every stage with its clusters by name, unassigned clusters last. */
export function frozenPlan(policy: RolloutPolicy, clusters: readonly RolloutFacts[]): RolloutStage[] {
  const names = stagesOf(policy).map(({ name }) => name);
  const known = new Set(names);
  const byStage = Map.groupBy(clusters, ({ stage }) => (stage !== undefined && known.has(stage) ? stage : UNASSIGNED));
  const planned = byStage.has(UNASSIGNED) && !known.has(UNASSIGNED) ? [...names, UNASSIGNED] : names;
  return planned.map((name) => ({
    name,
    state: "Waiting" as const,
    clusters: (byStage.get(name) ?? []).map((cluster) => ({ name: cluster.name, state: "Waiting" as const })),
  }));
}

/** Number of clusters of a stage that may change at once; at least 1. */
export function concurrencyOf({ maxConcurrency }: StagePolicy, clusters: number): number {
  return Math.max(1, shareOf(maxConcurrency ?? clusters, clusters, Math.floor));
}

/** Default time for a cluster to pass. */
const GATE_TIMEOUT = "10m";

/** Time for a cluster to pass, as a duration such as `10m`. */
export function gateTimeout({ gate }: RolloutPolicy): string {
  return gate?.timeout ?? GATE_TIMEOUT;
}
