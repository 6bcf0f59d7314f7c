import { defined, matchesClusterSelector, refKey } from "../../apis/index.ts";
import { type RolloutFacts, type RolloutHealth, type RolloutPolicy, stageOf } from "../../rollout/index.ts";
import type { ClusterSnapshot } from "../../scheduler/types.ts";
import { isSameRef } from "./rows.ts";
import type { ClusterTarget, DesiredObject, Observation, Target } from "../types.ts";

export interface RolloutFactsInput {
  policy: RolloutPolicy;
  target: Target;
  lastGood: Target | undefined;
  clusters: readonly ClusterSnapshot[];
  labels: Readonly<Record<string, string>> | undefined;
  observations: readonly Observation[];
  /** True if Meridian is in contact with the cluster and knows its objects. */
  isKnown: (cluster: string) => boolean;
}

/** Facts about each cluster that a rollout depends on, sorted by name. They come from observations alone. */
export function rolloutFacts(input: RolloutFactsInput): RolloutFacts[] {
  const { policy, target, lastGood, clusters, labels, observations, isKnown } = input;
  const wanted = new Map(target.clusters.map((cluster) => [cluster.name, cluster]));
  const kept = new Map(lastGood?.clusters.map((cluster) => [cluster.name, cluster]));
  const present = Map.groupBy(observations, ({ cluster }) => cluster);
  const snapshots = new Map(clusters.map((cluster) => [cluster.name, cluster]));
  const names = new Set([...wanted.keys(), ...kept.keys()]);
  for (const [name, copies] of present) if (copies.some(isThere)) names.add(name);
  return [...names].toSorted().flatMap((name) => {
    const cluster = snapshots.get(name);
    // A cluster that is being deleted waits for nothing.
    if (cluster === undefined || cluster.deleting) return [];
    const copies = ownCopies(present.get(name) ?? [], target);
    const [next, last] = [wanted.get(name), kept.get(name)];
    const problem = next?.problem ?? next?.frozenFor;
    const isDoneBefore = last?.objects.some(({ done }) => done !== undefined) === true;
    const errorOfLastGood = (last?.problem ?? last?.frozenFor)?.reason;
    const error = problem?.reason ?? copies.find(({ failure }) => failure !== undefined)?.failure?.reason;
    return {
      name,
      stage: stageOf(policy, (selector) => matchesClusterSelector(selector, cluster, labels)),
      wanted: next !== undefined,
      kept: last !== undefined,
      inContact: isKnown(name),
      onTarget: isOn(next, copies),
      onLastGood: isOn(last, copies),
      runs: runsOf(next, last, copies),
      health: healthOf(copies, next ?? last),
      ...(isDoneBefore ? { healthOfLastGood: healthOf(copies, last) } : {}),
      ...defined({ error, errorOfLastGood }),
    };
  });
}

function isThere({ present }: Observation): boolean {
  return present !== undefined;
}

/** A shared dependency carries the marks of one owner. Copies that name another owner say nothing about this object. */
function ownCopies(copies: readonly Observation[], { owner }: Target): Observation[] {
  return copies.filter(({ present }) => present?.owner === undefined || isSameRef(present.owner, owner));
}

/** Objects with known content only; objects that are held because their content is unknown cannot be compared. */
function comparable(cluster: ClusterTarget | undefined): readonly DesiredObject[] {
  return cluster?.objects.filter(({ held }) => held === undefined) ?? [];
}

/** True if all objects exist as desired and no write is in progress. For a cluster without a target: no copy is left. */
function isOn(cluster: ClusterTarget | undefined, copies: readonly Observation[]): boolean {
  if (cluster === undefined) return !copies.some((copy) => isThere(copy) || copy.writing);
  if (cluster.problem !== undefined || cluster.frozen) return false;
  const byKey = new Map(copies.map((copy) => [refKey(copy.ref), copy]));
  return comparable(cluster).every(({ ref, hash, role, run, done }) => {
    const copy = byKey.get(refKey(ref));
    if (done !== undefined && (copy?.present?.run ?? run) === run) return true;
    if (copy === undefined) return role === "dependency";
    return copy.present?.hash === hash && !copy.present.deleting && !copy.writing && copy.failure === undefined;
  });
}

function runsOf(
  next: ClusterTarget | undefined,
  last: ClusterTarget | undefined,
  copies: readonly Observation[],
): RolloutFacts["runs"] {
  const there = copies.filter(isThere);
  if (there.length === 0) return last === undefined ? (next === undefined ? "LastGood" : "Nothing") : "Nothing";
  const [isLast, isNext] = [last, next].map((cluster) => {
    if (cluster === undefined) return false;
    const hashes = new Map(
      cluster.objects.map(({ ref, hash, held }) => [refKey(ref), held === undefined ? hash : undefined]),
    );
    return there.every(({ ref, present }) => {
      const key = refKey(ref);
      return hashes.has(key) && (hashes.get(key) ?? present?.hash) === present?.hash;
    });
  });
  return isLast === true ? "LastGood" : isNext === true ? "Target" : "Other";
}

const SEVERITY = ["Failed", "Degraded", "Unknown", "Progressing", "Available"] as const;

function healthOf(copies: readonly Observation[], cluster: ClusterTarget | undefined): RolloutHealth {
  const byKey = new Map(copies.map((copy) => [refKey(copy.ref), copy]));
  let worst: (typeof SEVERITY)[number] = "Available";
  let reason: string | undefined;
  let [available, desired] = [0, 0];
  for (const { ref, done } of (cluster?.objects ?? []).filter(({ role }) => role === "rendered")) {
    const health = byKey.get(refKey(ref))?.present?.health;
    const state = done === undefined ? (health?.state ?? "Progressing") : done === "Failed" ? done : "Available";
    available += health?.replicas?.available ?? 0;
    desired += health?.replicas?.desired ?? 0;
    if (SEVERITY.indexOf(state) >= SEVERITY.indexOf(worst)) continue;
    worst = state;
    reason = health?.reason;
  }
  const state = worst === "Degraded" ? "Progressing" : worst;
  return { state, available, desired, ...(reason === undefined ? {} : { reason }) };
}
