import { durationMs } from "../apis/index.ts";
import type { Draft } from "./draft.ts";
import { concurrencyOf, gateTimeout, policyOfStage } from "./stages.ts";
import type { RolloutCluster, RolloutFacts, RolloutInput, RolloutStage } from "./types.ts";
import { passes } from "./verify.ts";

export type WayBack = { kind: "Going" } | { kind: "RolledBack" } | { kind: "Failed"; message: string };

/** The reason of a cluster that is on its way back to the last good revision. */
export const GOING_BACK = "RollingBack";

/** Has something else than the last good revision, or is about to: by this run, or by one before that this run put an end to. */
function isChanged({ state, reason }: RolloutCluster, known: RolloutFacts | undefined): boolean {
  if (reason === GOING_BACK || state === "RolledBack") return false;
  // The new revision is the same there as the last good one.
  if (state === "Done") return known?.runs !== "LastGood";
  if (state === "Failed" || state === "Applying" || state === "Verifying") return true;
  return known?.inContact === true && (known.runs === "Target" || known.runs === "Other");
}

/**
 * Takes the clusters that the run changed back to the last good revision: in reverse order, so many at once as their stage allows, without
 * soak, and without waiting for what the bad revision is still doing. Clusters that had no turn are left alone.
 */
export function goBack(draft: Draft, input: RolloutInput, facts: ReadonlyMap<string, RolloutFacts>): WayBack {
  const timeout = durationMs(gateTimeout(input.policy));
  for (const stage of draft.stages.toReversed()) {
    const clusters = (stage.clusters ?? []).toReversed();
    for (const cluster of clusters) {
      if (cluster.reason !== GOING_BACK) continue;
      const known = facts.get(cluster.name);
      if (known === undefined) draft.cluster(cluster, "Skipped", "ClusterLeft");
      else if (known.inContact && known.onLastGood && (!known.kept || passes(known, input.policy) === "Passed"))
        draft.cluster(cluster, "RolledBack");
      else if (draft.hasPassed(cluster.since, timeout)) {
        if (!known.inContact) draft.cluster(cluster, "Deferred", "ClusterUnreachable");
        else {
          const why = known.errorOfLastGood ?? known.error ?? known.health.reason ?? "not available";
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
    const known = facts.get(cluster.name);
    if (!isChanged(cluster, known)) continue;
    if (known === undefined) draft.cluster(cluster, "Skipped", "ClusterLeft");
    else if (!known.inContact) draft.cluster(cluster, "Deferred", "ClusterUnreachable");
    // The new revision never came there: whether what is there is healthy is no question of this rollout.
    else if (known.onLastGood && known.runs === "LastGood") draft.cluster(cluster, "RolledBack");
    else if (free > 0) {
      free -= 1;
      draft.cluster(cluster, "Applying", GOING_BACK);
      draft.restartClock(cluster);
    }
  }
}
