import { isGranted, type ObjectRef, refKey } from "../../apis/index.ts";
import type { Observation, RemovalFacts, StepInput, Target } from "../types.ts";

/**
 * The rules of rows, told once more: slow, plain, and written from the promises. A row is told as `verb reason`, or as
 * `Apply`.
 */

const DATA = new Set(["PersistentVolume", "PersistentVolumeClaim"]);

export const placeOf = ({ cluster, ref }: { cluster: string; ref: ObjectRef }): string => `${cluster}/${refKey(ref)}`;

/** The row of a copy that nothing wants. `keeps`: reasons to keep the copies of a cluster that serve. */
export function removalOf(
  { cluster, ref, present }: Observation,
  facts: RemovalFacts,
  keeps: ReadonlyMap<string, string> = new Map(),
): string | undefined {
  if (present === undefined) return undefined;
  const at = facts.clusters.get(cluster);
  const key = placeOf({ cluster, ref });
  const isData = DATA.has(ref.kind);
  if (present.deleting) return "Hold Terminating";
  // A release deletes nothing.
  if (at?.leaving === "Keep") return "Release ClusterLeaving";
  const obstacles: [reason: string | undefined, holds: boolean][] = [
    ["FoundOnJoin", facts.foundOnJoin.has(key)],
    ["HubNotSynced", !facts.hub.synced],
    ["PlanningIncomplete", !facts.hub.planned],
    ["DeletionsHeld", facts.hub.deletionsHeld],
    [facts.held?.reason, facts.held !== undefined],
    ["ClusterUnknown", at === undefined],
    ["NamespaceNotGranted", at?.namespaces !== undefined && !isGranted(at.namespaces, ref.namespace)],
    ["ClusterNotSynced", at?.synced !== true],
    [
      "ClusterNotSynced",
      [`/${ref.kind}`, `/${ref.kind} in ${ref.namespace}`].some((kind) => at?.unreadable?.has(kind)),
    ],
    [at?.held?.reason, at?.held !== undefined],
    ["OtherOwner", present.owner !== undefined && present.owner.name !== facts.owner.name],
    ["OtherOwner", facts.ownership === "OtherClass"],
    ["OwnerUnconfirmed", facts.ownership === "Unconfirmed"],
    ["OwnershipUnproven", !present.proven],
    ["NeededByOthers", facts.neededByOthers.has(key)],
    ["HoldsData", isData && facts.cause.reason === "NotSelected" && at?.leaving !== "Drain"],
    [keeps.get(cluster), keeps.has(cluster)],
  ];
  for (const [reason, holds] of obstacles) if (holds) return `Hold ${reason}`;
  const isOrphan = (facts.policy ?? present.policy) === "Orphan";
  const isDataToKeep = isData && (present.policy === "Orphan" || at?.leaving === "Drain");
  return `${isOrphan || isDataToKeep ? "Release" : "Delete"} ${facts.cause.reason}`;
}

/** What one cluster should have at a step. */
interface Share {
  /** Rows by {@link refKey}. */
  rows: Map<string, string>;
  /** Objects to wait for: those that are rendered. */
  rendered: ObjectRef[];
  /** Why nothing on the cluster is removed. */
  retains?: string | undefined;
}

function shareFrom(target: Target, name: string): Share | undefined {
  const cluster = target.clusters.find((one) => one.name === name);
  if (cluster === undefined) return undefined;
  const { frozen, problem, frozenFor, objects } = cluster;
  const refusal = (frozenFor ?? problem)?.reason;
  const reason = refusal ?? target.scheduled.reason;
  return {
    rows: new Map(objects.map(({ ref }) => [refKey(ref), frozen ? `Hold ${reason}` : "Apply"])),
    rendered: objects.filter(({ role }) => role === "rendered").map(({ ref }) => ref),
    retains: frozen ? reason : problem?.reason,
  };
}

function shareOf(name: string, { target, lastGood, rollout = { waiting: new Set() }, removal }: StepInput) {
  if (target === undefined) return undefined;
  const share = shareFrom(target, name);
  const [waits, returns, isKept] = [rollout.waiting, rollout.returning, rollout.kept].map((some) => some?.has(name));
  const isFrozen = target.clusters.some((one) => one.name === name && one.frozen);
  // A cluster without a verdict does not exist any more.
  const verdict = target.decision.verdicts.find(({ cluster }) => cluster === name);
  const isGoing = verdict === undefined || verdict.steps.some(({ reason }) => reason === "ClusterDeleting");
  const isLeaving = removal.clusters.get(name)?.leaving !== undefined;
  if (!waits && !returns && !isKept) return share;
  if (isFrozen || isLeaving || (share === undefined && isGoing)) return share;
  const isKnown = lastGood?.owner.uid === target.owner.uid && !target.suspended && target.scheduled.status === "True";
  const before = isKnown && !isKept ? shareFrom(lastGood, name) : undefined;
  if (returns && isKnown && !isKept) return before;
  return { rows: new Map(), rendered: [], ...before, retains: before?.retains ?? "RolloutWaiting" };
}

/** All rows of a step by place: one for each object of a share, and one for each other copy of the object. */
export function rowsOfStep(input: StepInput): Map<string, string> {
  const { target, lastGood, observations, removal } = input;
  const names = new Set([
    ...(target?.clusters ?? []).map(({ name }) => name),
    ...observations.map(({ cluster }) => cluster),
    ...[input.rollout?.waiting, input.rollout?.returning, input.rollout?.kept].flatMap((some) => [...(some ?? [])]),
  ]);
  const shares = new Map([...names].map((name) => [name, shareOf(name, input)]));
  const keeps = serving(input, shares);
  const rows = new Map<string, string>();
  for (const [cluster, share] of shares) {
    for (const [key, row] of share?.rows ?? []) rows.set(`${cluster}/${key}`, row);
  }
  for (const observation of observations) {
    const { cluster, ref, present } = observation;
    const share = shares.get(cluster);
    const place = placeOf(observation);
    if (present === undefined || rows.has(place)) continue;
    const isMissing = [target, lastGood].some((one) => one?.missing.has(refKey(ref)));
    const retains = share === undefined ? undefined : (share.retains ?? (isMissing ? "DependencyMissing" : undefined));
    const isOurs = present.owner === undefined || present.owner.name === removal.owner.name;
    const row =
      retains === undefined ? (isOurs ? removalOf(observation, removal, keeps) : undefined) : `Hold ${retains}`;
    if (row !== undefined) rows.set(place, row);
  }
  return rows;
}

/** Clusters that the object leaves and that serve, while the object is available on no cluster that wants it. */
function serving(
  { target, observations, removal }: StepInput,
  shares: ReadonlyMap<string, Share | undefined>,
): ReadonlyMap<string, string> {
  const wanted = [...shares].filter(([, share]) => share !== undefined);
  if (target === undefined || target.breakBeforeMake === true) return new Map();
  const towards = wanted.filter(([name]) => target.clusters.find((one) => one.name === name)?.replicas !== 0);
  const dependencies = new Set(
    target.clusters
      .flatMap(({ objects }) => objects.filter(({ role }) => role === "dependency"))
      .map(({ ref }) => refKey(ref)),
  );
  const serves = (name: string): boolean => {
    const copies = observations.filter(({ cluster, ref }) => cluster === name && !dependencies.has(refKey(ref)));
    const healths = copies.flatMap(({ present }) => (present?.deleting === false ? [present.health] : []));
    const counted = healths.flatMap(({ replicas }) => replicas ?? []);
    const hasReplicas = counted.length > 0 || target.clusters.some(({ replicas }) => replicas !== undefined);
    if (hasReplicas) return counted.some(({ available }) => available > 0);
    return healths.some(({ state }) => state === "Available");
  };
  const hasArrived = ([name, share]: [string, Share | undefined]): boolean =>
    removal.clusters.get(name)?.synced === true &&
    share !== undefined &&
    share.rendered.length > 0 &&
    share.rendered.every((ref) => {
      const seen = observations.find((one) => placeOf(one) === placeOf({ cluster: name, ref }))?.present;
      return seen?.deleting === false && seen.health.state === "Available" && seen.health.replicas?.available !== 0;
    });
  if (towards.length === 0 || towards.some(hasArrived)) return new Map();
  const left = [...shares].filter(([name, share]) => share === undefined && serves(name));
  return new Map(left.map(([name]) => [name, "AwaitingReplacement"]));
}
