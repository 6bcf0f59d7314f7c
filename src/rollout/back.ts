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

/** A cluster that did not come back in its time, and why. */
interface Stuck {
  name: string;
  why: string;
}

/**
 * Takes the clusters that the run changed back to the last good revision: in reverse order, so many at once as their stage allows, without
 * soak, and without waiting for what the bad revision is still doing. Clusters that had no turn are left alone.
 *
 * A cluster that does not come back within the time of its gate holds up no other one. The last good revision may be bad by now, though: from then on
 * a cluster whose copy is the last that serves keeps what it has. The way back has failed once nothing is under way any more and a cluster is not back.
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

/** What is known of a cluster on its way back; one entry where its time is over and it is not back. */
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

/** Whether nothing would serve for certain if the cluster's copy were replaced. What is on its way back itself counts as not serving. */
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

/** Begins with as many clusters as may change at once beside those that are `going`; returns how many began. */
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
    // The new revision never came there: whether what is there is healthy is no question of this rollout.
    else if (known.onLastGood && known.runs === "LastGood") draft.cluster(cluster, "RolledBack");
    else if (begun < free && mayBegin(cluster.name)) {
      begun += 1;
      draft.cluster(cluster, "Applying", GOING_BACK);
      draft.restartClock(cluster);
    }
  }
  return begun;
}

/** What is known of a cluster by the last good revision. */
function asLastGood(known: RolloutFacts | undefined): RolloutFacts | undefined {
  return known?.healthOfLastGood === undefined ? known : { ...known, health: known.healthOfLastGood };
}
