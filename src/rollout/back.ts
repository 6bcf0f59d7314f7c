import { durationMs } from "../apis/index.ts";
import type { Draft } from "./draft.ts";
import { concurrencyOf, gateTimeout, policyOfStage } from "./stages.ts";
import type { RolloutCluster, RolloutFacts, RolloutInput, RolloutStage } from "./types.ts";
import { passes } from "./verify.ts";

export type WayBack = { kind: "Going" } | { kind: "RolledBack" } | { kind: "Failed"; message: string };

/** Reason of a cluster that returns to the last good revision. */
export const GOING_BACK = "RollingBack";

/** The cluster has, or is about to get, another revision than the last good one, by this run or one before. */
function isChanged({ state, reason }: RolloutCluster, known: RolloutFacts | undefined): boolean {
  if (reason === GOING_BACK || state === "RolledBack") return false;
  // The new revision equals the last good one on this cluster.
  if (state === "Done") return known?.runs !== "LastGood";
  if (state === "Failed" || state === "Applying" || state === "Verifying") return true;
  return known?.inContact === true && (known.runs === "Target" || known.runs === "Other");
}

/** Did not return in time. */
interface Stuck {
  name: string;
  why: string;
}

/**
 * Rolls changed clusters back: in reverse order, within the concurrency of each stage, without soak, and without
 * waiting for the bad revision.
 *
 * A cluster that does not return within the gate timeout does not delay the others. The last good revision may be bad
 * by now, though, so from then on the last serving copy stays. The rollback has failed when nothing is under way and
 * some cluster is not back.
 */
export function goBack(draft: Draft, input: RolloutInput, facts: ReadonlyMap<string, RolloutFacts>): WayBack {
  const stuck: Stuck[] = [];
  const kept: string[] = [];
  for (const stage of draft.stages.toReversed()) {
    const clusters = (stage.clusters ?? []).toReversed();
    const stuckBefore = stuck.length;
    for (const cluster of clusters)
      if (cluster.reason === GOING_BACK)
        stuck.push(...lookAt(draft, cluster, input, asLastGood(facts.get(cluster.name))));
    const isStuck = new Set(stuck.map(({ name }) => name));
    const going = clusters.filter(({ name, reason }) => reason === GOING_BACK && !isStuck.has(name)).length;
    const keptBefore = kept.length;
    const begun = begin(draft, { stage, clusters, going }, input, facts, (cluster) => {
      if (stuck.length === 0 || !isLastToServe(cluster, facts, draft)) return true;
      kept.push(cluster);
      return false;
    });
    if (going + begun > 0) return { kind: "Going" };
    if (stage.state !== "Waiting" && stuck.length === stuckBefore && kept.length === keptBefore)
      draft.stage(stage, "RolledBack");
  }
  return stuck.length === 0 ? { kind: "RolledBack" } : { kind: "Failed", message: failureText(stuck, kept) };
}

/** Returns an entry if its time is over and the cluster is not back. */
function lookAt(
  draft: Draft,
  cluster: RolloutCluster,
  { policy }: RolloutInput,
  known: RolloutFacts | undefined,
): Stuck[] {
  if (known === undefined) draft.cluster(cluster, "Skipped", "ClusterLeft");
  else if (known.inContact && known.onLastGood && (!known.kept || passes(known, policy) === "Passed"))
    draft.cluster(cluster, "RolledBack");
  else if (draft.hasPassed(cluster.since, durationMs(gateTimeout(policy)))) {
    if (known.inContact) {
      const why = known.errorOfLastGood ?? known.error ?? known.health.reason ?? "not available";
      return [{ name: cluster.name, why }];
    }
    draft.cluster(cluster, "Deferred", "ClusterUnreachable");
  }
  return [];
}

/** Replacing its copy might leave none that serves. Clusters on their way back count as not serving. */
function isLastToServe(name: string, facts: ReadonlyMap<string, RolloutFacts>, { stages }: Draft): boolean {
  const serves = (known: RolloutFacts | undefined): boolean =>
    known?.inContact === true && (known.health.state === "Available" || (known.health.available ?? 0) > 0);
  if (!serves(facts.get(name))) return false;
  const isGoing = new Set(
    stages.flatMap(({ clusters = [] }) => clusters.flatMap((one) => (one.reason === GOING_BACK ? [one.name] : []))),
  );
  return ![...facts].some(([other, known]) => other !== name && !isGoing.has(other) && serves(known));
}

function failureText(stuck: readonly Stuck[], kept: readonly string[]): string {
  const [first, ...others] = stuck.map(({ name, why }) => `${name} is not back on the last good revision: ${why}`);
  const more = others.length === 0 ? "" : `; ${others.join("; ")}`;
  const left = kept.length === 0 ? "" : `; ${kept.join(", ")} keeps what it has, as the last that serves`;
  return `${first}${more}${left}`;
}

/** Starts as many as the concurrency allows besides those that are `going`. Returns how many. */
function begin(
  draft: Draft,
  { stage, clusters, going }: { stage: RolloutStage; clusters: readonly RolloutCluster[]; going: number },
  input: RolloutInput,
  facts: ReadonlyMap<string, RolloutFacts>,
  mayBegin: (cluster: string) => boolean,
): number {
  const rules = policyOfStage(input.policy, stage.name);
  const free = concurrencyOf(rules, clusters.length) - going;
  let begun = 0;
  for (const cluster of clusters) {
    const known = facts.get(cluster.name);
    if (!isChanged(cluster, known)) continue;
    if (known === undefined) draft.cluster(cluster, "Skipped", "ClusterLeft");
    else if (!known.inContact) draft.cluster(cluster, "Deferred", "ClusterUnreachable");
    // The new revision never reached this cluster, so the health of its copy does not matter to this rollout.
    else if (known.onLastGood && known.runs === "LastGood") draft.cluster(cluster, "RolledBack");
    else if (begun < free && mayBegin(cluster.name)) {
      begun += 1;
      draft.cluster(cluster, "Applying", GOING_BACK);
      draft.restartClock(cluster);
    }
  }
  return begun;
}

/** With the health by the last good revision. */
function asLastGood(known: RolloutFacts | undefined): RolloutFacts | undefined {
  return known?.healthOfLastGood === undefined ? known : { ...known, health: known.healthOfLastGood };
}
