import { shareOf } from "../apis/index.ts";
import type { RolloutFacts, RolloutPolicy, RolloutStage } from "./types.ts";

/** The stage of clusters that no stage of the policy takes; it comes last. */
export const UNASSIGNED = "unassigned";
/** The only stage of a policy that names none. */
const ALL = "all";

type StagePolicy = NonNullable<RolloutPolicy["stages"]>[number];

/** The stages in their order. A policy without stages is one stage of every cluster. */
export function stagesOf({ stages }: RolloutPolicy): readonly StagePolicy[] {
  return stages === undefined || stages.length === 0 ? [{ name: ALL }] : stages;
}

/** What the policy says of a stage; nothing of one that is no longer in the policy, or that it never named. */
export function policyOfStage(policy: RolloutPolicy, name: string): StagePolicy {
  return stagesOf(policy).find((stage) => stage.name === name) ?? { name };
}

/**
 * The name of the stage that takes a cluster: of several the first. `takes` answers for a stage's selector; a stage without one takes what no
 * stage with one takes, wherever it stands in the list. Undefined: none does.
 */
export function stageOf(
  policy: RolloutPolicy,
  takes: (selector: NonNullable<StagePolicy["targetClusters"]>) => boolean,
): string | undefined {
  const stages = stagesOf(policy);
  const named = stages.find(({ targetClusters }) => targetClusters !== undefined && takes(targetClusters));
  return (named ?? stages.find(({ targetClusters }) => targetClusters === undefined))?.name;
}

/** Every stage that takes the cluster by its selector: more than one is an overlap, for `plan` to name. */
export function stagesTaking(
  policy: RolloutPolicy,
  takes: (selector: NonNullable<StagePolicy["targetClusters"]>) => boolean,
): string[] {
  return stagesOf(policy).flatMap(({ name, targetClusters }) =>
    targetClusters !== undefined && takes(targetClusters) ? [name] : [],
  );
}

/** The plan of a run, as it is frozen at its start: every stage with its clusters by name, those in no stage last. */
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

/** How many clusters of a stage may change at once: at least one. */
export function concurrencyOf({ maxConcurrency }: StagePolicy, clusters: number): number {
  return Math.max(1, shareOf(maxConcurrency ?? clusters, clusters, Math.floor));
}

/** How long a cluster may take to pass, unless the policy says otherwise. */
const GATE_TIMEOUT = "10m";

/** How long a cluster may take to pass, as a duration. */
export function gateTimeout({ gate }: RolloutPolicy): string {
  return gate?.timeout ?? GATE_TIMEOUT;
}
