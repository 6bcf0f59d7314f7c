import type { Draft } from "./draft.ts";
import { concurrencyOf, policyOfStage } from "./stages.ts";
import { durationMs } from "../apis/index.ts";
import type { RolloutCluster, RolloutFacts, RolloutInput, RolloutStage } from "./types.ts";
import { passes } from "./verify.ts";

export type WayBack = { kind: "Going" } | { kind: "RolledBack" } | { kind: "Failed"; message: string };

const GATE_TIMEOUT = "10m";
/** The reason of a cluster that is on its way back to the last good revision. */
export const GOING_BACK = "RollingBack";

/** Had its turn in this run, and has not been taken back. */
function isChanged({ state, reason }: RolloutCluster): boolean {
  return (
    state === "Done" || state === "Failed" || ((state === "Applying" || state === "Verifying") && reason !== GOING_BACK)
  );
}

/**
 * Takes the clusters that the run changed back to the last good revision: in reverse order, so many at once as their stage allows, without
 * soak, and without waiting for what the bad revision is still doing. Clusters that had no turn are left alone.
 */
export function goBack(draft: Draft, input: RolloutInput, facts: ReadonlyMap<string, RolloutFacts>): WayBack {
  const { timeout = GATE_TIMEOUT } = input.policy.gate ?? {};
  for (const stage of draft.stages.toReversed()) {
    const clusters = (stage.clusters ?? []).toReversed();
    for (const cluster of clusters) {
      if (cluster.reason !== GOING_BACK) continue;
      const known = facts.get(cluster.name);
      if (known === undefined) draft.cluster(cluster, "Skipped", "ClusterLeft");
      else if (known.inContact && known.onLastGood && (!known.kept || passes(known, input.policy) === "Passed"))
        draft.cluster(cluster, "RolledBack");
      else if (draft.hasPassed(cluster.since, durationMs(timeout))) {
        if (!known.inContact) draft.cluster(cluster, "Deferred", "ClusterUnreachable");
        else {
          const why = known.error ?? known.health.reason ?? "not available";
          return { kind: "Failed", message: `${cluster.name} is not back on the last good revision: ${why}` };
        }
      }
    }
    begin(draft, stage, clusters, input, facts);
    if (clusters.some(({ reason }) => reason === GOING_BACK)) return { kind: "Going" };
    if (stage.state !== "Waiting") draft.stage(stage, "RolledBack");
  }
  return { kind: "RolledBack" };
}

function begin(
  draft: Draft,
  stage: RolloutStage,
  clusters: readonly RolloutCluster[],
  input: RolloutInput,
  facts: ReadonlyMap<string, RolloutFacts>,
): void {
  const rules = policyOfStage(input.policy, stage.name);
  let free = concurrencyOf(rules, clusters.length) - clusters.filter(({ reason }) => reason === GOING_BACK).length;
  for (const cluster of clusters) {
    if (!isChanged(cluster)) continue;
    const known = facts.get(cluster.name);
    if (known === undefined) draft.cluster(cluster, "Skipped", "ClusterLeft");
    else if (!known.inContact) draft.cluster(cluster, "Deferred", "ClusterUnreachable");
    else if (free > 0) {
      free -= 1;
      draft.cluster(cluster, "Applying", GOING_BACK);
      draft.restartClock(cluster);
    }
  }
}
