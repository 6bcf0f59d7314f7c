import {
  type FederatedStatus,
  firstRecordOf,
  type KubeObject,
  policyKey,
  type Reason,
  refKey,
} from "../../apis/index.ts";
import {
  AWAITING_REPLACEMENT,
  type FoundCopy,
  type Observation,
  REPLACED,
  type Row,
  type Snapshot,
  type Target,
} from "../../desiredstate/index.ts";
import {
  copiesOf,
  type CopySources,
  type EvictionPace,
  type HubNamespaces,
  recordedClusters,
  wasFoundOnJoin,
} from "../facts/index.ts";
import type { Known } from "./needs.ts";
import { type Rooms } from "../tables/index.ts";

export interface SnapshotSources extends CopySources {
  hubId: string;
  rooms: Pick<Rooms, "get">;
  pace: EvictionPace;
  namespaces: HubNamespaces;
}

/** Everything that the plan of one hub object depends on, at this moment. */
export function snapshotOf(sources: SnapshotSources, owner: string, object: KubeObject, known?: Known): Snapshot {
  const { hub, hubId, namespaces, observations, rooms, pace } = sources;
  const placement = known?.choice.placement;
  const perMinute = placement?.spec.failover?.maxEvictionsPerMinute;
  const terms = namespaces.termsFor(object);
  const previous = hub.statuses.of(object);
  const scale = hub.kindOf(object)?.type.scale;
  return {
    object,
    setting: hub.planned.settingOf(object),
    placements: hub.allPlacements(),
    overrides: hub.allOverrides(),
    clusters: hub.clusterSnapshots(),
    ...dependenciesIn(known),
    ...(scale === undefined ? {} : { scale }),
    hubId,
    ...(terms === undefined ? {} : { terms }),
    previous: previousOf(object, previous),
    contacts: observations,
    ...(placement === undefined || perMinute === undefined
      ? {}
      : { turnAt: pace.turnOf(policyKey(placement), perMinute, owner, hub.now()) }),
    rooms,
    held: () => heldReplicas(sources, owner),
    ...(isUnrecorded(previous) ? seenOf(sources, owner, object) : runningBeside(sources, owner, previous)),
  };
}

/** What a plan has to know of what the object needs. */
export function dependenciesIn(
  known: Known | undefined,
): Pick<Snapshot, "choice" | "dependencies" | "needs" | "unreadable"> {
  if (known === undefined) return { dependencies: new Map() };
  const { choice, needs, collected } = known;
  return { choice, needs, dependencies: collected.found, unreadable: collected.unreadable };
}

/** What was said of the object last (`status`); where nothing was yet, what its first record says of how it parts from its copies. */
export function previousOf(
  { metadata }: Pick<KubeObject, "metadata">,
  status: FederatedStatus | undefined,
): FederatedStatus | undefined {
  const policy = firstRecordOf({ metadata, status })?.deletionPolicy;
  return policy === undefined ? status : { ...status, deletionPolicy: policy };
}

/**
 * The replicas that each cluster was given last: by the plan before, or at the start of this process by what the copies ask for there. The status
 * may be older than both.
 */
function heldReplicas(sources: CopySources, owner: string): { get(cluster: string): number | undefined } {
  const { plans } = sources;
  const before = plans.get(owner)?.target;
  const held = new Map<string, number>();
  if (before?.decision.clusters.some(({ replicas }) => replicas !== undefined) === true) {
    for (const { name, replicas } of before.decision.clusters) if (replicas !== undefined) held.set(name, replicas);
    // The plan before is all there is: what it left elsewhere is on its way out.
    return { get: (cluster) => held.get(cluster) ?? 0 };
  }
  for (const { cluster, present } of copiesOf(sources, owner)) {
    const desired = present?.health.replicas?.desired;
    if (desired !== undefined) held.set(cluster, (held.get(cluster) ?? 0) + desired);
  }
  return held;
}

/**
 * Whether the hub says nothing of where the object runs: the object is new, or was applied again after the hub had lost it, or somebody removed its
 * status. The annotation of the first record does not count: whoever may write the object may write the annotation.
 */
export function isUnrecorded(status: FederatedStatus | undefined): boolean {
  return status?.observedGeneration === undefined;
}

/** Where an object without a record is seen: on clusters that this process has chosen for it itself, and on others. */
function seenOf(sources: CopySources, owner: string, object: KubeObject): Pick<Snapshot, "running" | "found"> {
  const plan = sources.plans.get(owner);
  const isPlanned = plan?.ours === true && plan.uid === object.metadata.uid;
  const chosen = new Set(
    isPlanned ? plan.target?.clusters.flatMap(({ name, frozen }) => (frozen ? [] : [name])) : undefined,
  );
  const running = new Set<string>();
  const found: FoundCopy[] = [];
  for (const copy of copiesOf(sources, owner)) {
    const { cluster, ref, present } = copy;
    // A row from before the first plan is about another life of the object, and decides nothing.
    const row = isPlanned ? sources.assignments.get(cluster, refKey(ref))?.rows.get(owner) : undefined;
    if (row !== undefined && isRemoval(row) && !isServing(row)) continue;
    if (chosen.has(cluster)) running.add(cluster);
    // Its marks name the object, and `managedFields` show that Meridian has set them: an administrator of the member can forge both, and no tenant of the hub.
    if (present?.owner === undefined || !present.proven || present.deleting) continue;
    const desired = present.health.replicas?.desired;
    found.push({
      cluster,
      ref,
      ...(desired === undefined ? {} : { replicas: desired }),
      ...(wasFoundOnJoin(sources, owner, copy) ? { beforeJoin: true as const } : {}),
    });
  }
  return { running, ...(found.length === 0 ? {} : { found }) };
}

/** Where only a summary stands, what has been seen since the start is not all that there is. */
function runningBeside(
  sources: CopySources,
  owner: string,
  previous: FederatedStatus | undefined,
): Pick<Snapshot, "running"> {
  if (previous?.summary !== undefined && previous.unlistedClusters === undefined) return {};
  return { running: runningOn(sources, owner) };
}

/** Clusters of the record with a copy that no row deletes: the status may not say so yet. */
function runningOn(sources: CopySources, owner: string): Set<string> {
  const { plans, assignments } = sources;
  const isFirstPlan = plans.get(owner)?.ours !== true;
  const running = new Set<string>();
  const recorded = recordedClusters(sources, owner);
  for (const copy of copiesOf(sources, owner)) {
    const { cluster, ref } = copy;
    if (!recorded.has(cluster) || wasFoundOnJoin(sources, owner, copy)) continue;
    const row = assignments.get(cluster, refKey(ref))?.rows.get(owner);
    if (isFirstPlan || (row !== undefined && (!isRemoval(row) || isServing(row)))) running.add(cluster);
  }
  return running;
}

/**
 * A copy on a cluster that the record does not name, of an object that nothing places: a person let go of the cluster (its MemberCluster was
 * deleted, and made again) or of the object's Placement. Nobody has said where else the object belongs, so the copy is left alone.
 */
export function isLetGoOf(
  sources: CopySources,
  owner: string,
  target: Target | undefined,
  { cluster }: Observation,
): boolean {
  if (target === undefined || (target.scheduled.status === "True" && !target.suspended)) return false;
  if (target.clusters.some(({ name }) => name === cluster)) return false;
  const isLeaving = sources.hub.clusters.get(cluster)?.metadata.deletionTimestamp !== undefined;
  return !isLeaving && !recordedClusters(sources, owner).has(cluster);
}

/** The copy stays until the object serves elsewhere; so the object still runs there. */
function isServing(row: Row): boolean {
  return row.verb === "Hold" && row.why.reason === AWAITING_REPLACEMENT;
}

/** The row takes the copy away, or says why the copy, which is to go, is still there. */
export function isRemoval(row: Row): boolean {
  return row.verb === "Delete" || row.verb === "Release" || (row.verb === "Hold" && !row.wanted);
}

/** What waits for a dependency that has to be made anew. */
export function isReplacing(row: Row): boolean {
  return row.verb === "Hold" && row.why.reason === REPLACED;
}

/** Something is to go, or waits for contact with a cluster: the rows may have to be others when something is heard of it. */
export function awaitsNews(target: Target | undefined, rows: readonly Row[]): boolean {
  if (target?.failover?.awaitsContact === true || target?.decision.room?.uncounted === true) return true;
  return rows.some((row) => isRemoval(row) || isReplacing(row));
}

const TERMINATING: Reason = "Terminating";

/** What is to go, or to be made anew, waits for something else than the end of a deletion that is under way. */
export function isHeld(row: Row): boolean {
  return isReplacing(row) || (row.verb === "Hold" && !row.wanted && row.why.reason !== TERMINATING);
}
