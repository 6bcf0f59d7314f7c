import { type FederatedStatus, firstRecordOf, type KubeObject, refKey, refOf } from "../../apis/index.ts";
import type { FoundCopy, Needs, PlacementChoice, Snapshot } from "../snapshot.ts";
import { copiesOf, isRemoval, isServing, recordedClusters, wasFoundOnJoin } from "./copies.ts";
import type { HubState } from "./hubState.ts";

/** Known facts about the dependencies of an object. */
export interface ResolvedNeeds {
  /** The chosen placement; undefined: the plan chooses it. */
  choice?: PlacementChoice;
  /** Dependencies with their own dependencies; undefined: the plan computes them. */
  needs?: Needs;
  /** The dependencies that exist on the hub, by {@link refKey}. */
  dependencies: ReadonlyMap<string, KubeObject>;
  /** Dependencies that may not be read on the hub. */
  unreadable?: ReadonlySet<string>;
}

const NOTHING_RESOLVED: ResolvedNeeds = { dependencies: new Map() };

/** Assembles the present inputs of one hub object's plan. */
export function assembleSnapshot(
  state: HubState,
  object: KubeObject,
  resolved: ResolvedNeeds = NOTHING_RESOLVED,
): Snapshot {
  const owner = refKey(refOf(object));
  const { contacts, capacities, hubId } = state;
  const { choice, needs, dependencies, unreadable } = resolved;
  const terms = state.termsFor(object);
  const scale = state.scaleOf(object);
  const turnAt = turnOf(state, owner, choice);
  const status = state.statusOf(object);
  return {
    object,
    setting: state.settingOf(object),
    placements: state.placementsFor(object),
    overrides: state.allOverrides(),
    clusters: state.clusterSnapshots(),
    dependencies,
    ...(choice === undefined ? {} : { choice }),
    ...(needs === undefined ? {} : { needs }),
    ...(unreadable === undefined ? {} : { unreadable }),
    ...(scale === undefined ? {} : { scale }),
    hubId,
    ...(terms === undefined ? {} : { terms }),
    previous: previousOf(object, status),
    ...(contacts === undefined ? {} : { contacts }),
    ...(turnAt === undefined ? {} : { turnAt }),
    ...(capacities === undefined ? {} : { capacities }),
    ...(state.isObserved(owner) ? seenFacts(state, owner, object, status) : {}),
  };
}

/** Clusters that run the object, by observations of its copies. */
function seenFacts(
  state: HubState,
  owner: string,
  object: KubeObject,
  status: FederatedStatus | undefined,
): Pick<Snapshot, "held" | "running" | "found"> {
  return {
    held: () => heldReplicas(state, owner),
    ...(isUnrecorded(status) ? seenOf(state, owner, object) : runningBeside(state, owner, status)),
  };
}

function turnOf(state: HubState, owner: string, choice: PlacementChoice | undefined): number | undefined {
  const placement = choice?.placement;
  const perMinute = placement?.spec.failover?.maxEvictionsPerMinute;
  return placement === undefined || perMinute === undefined ? undefined : state.turnOf(placement, perMinute, owner);
}

/** The status of the object. If the object has no status yet, its first record gives the deletion policy. */
export function previousOf(
  { metadata }: Pick<KubeObject, "metadata">,
  status: FederatedStatus | undefined,
): FederatedStatus | undefined {
  const policy = firstRecordOf({ metadata, status })?.deletionPolicy;
  return policy === undefined ? status : { ...status, deletionPolicy: policy };
}

/**
 * Replicas last given to each cluster, from the last plan. After a restart there is no plan, and the desired replicas
 * of the copies count. The status may be older than both.
 */
function heldReplicas(state: HubState, owner: string): { get(cluster: string): number | undefined } {
  const before = state.planOf(owner)?.target;
  const held = new Map<string, number>();
  if (before?.decision.clusters.some(({ replicas }) => replicas !== undefined) === true) {
    for (const { name, replicas } of before.decision.clusters) if (replicas !== undefined) held.set(name, replicas);
    // The last plan is complete: replicas on other clusters are being removed.
    return { get: (cluster) => held.get(cluster) ?? 0 };
  }
  for (const { cluster, present } of copiesOf(state, owner)) {
    const desired = present?.health.replicas?.desired;
    if (desired !== undefined) held.set(cluster, (held.get(cluster) ?? 0) + desired);
  }
  return held;
}

/**
 * True if the hub does not say where the object runs: the object is new, or was applied again after the hub had lost
 * it, or somebody removed its status. The annotation of the first record does not count, since everyone who may write
 * the object may write the annotation.
 */
export function isUnrecorded(status: FederatedStatus | undefined): boolean {
  return status?.observedGeneration === undefined;
}

/**
 * Observed copies of an object without a record. `running`: clusters that this process chose for the object. `found`:
 * copies that prove to be of this object.
 */
function seenOf(state: HubState, owner: string, object: KubeObject): Pick<Snapshot, "running" | "found"> {
  const plan = state.planOf(owner);
  const isPlanned = plan?.ours === true && plan.uid === object.metadata.uid;
  const chosen = new Set(
    isPlanned ? plan.target?.clusters.flatMap(({ name, frozen }) => (frozen ? [] : [name])) : undefined,
  );
  const running = new Set<string>();
  const found: FoundCopy[] = [];
  for (const copy of copiesOf(state, owner)) {
    const { cluster, ref, present } = copy;
    // A row from before the first plan belongs to an object with another UID and decides nothing.
    const row = isPlanned ? state.rowOf(owner, cluster, refKey(ref)) : undefined;
    if (row !== undefined && isRemoval(row) && !isServing(row)) continue;
    if (chosen.has(cluster)) running.add(cluster);
    // The copy's marks name the object, and `managedFields` prove that Meridian set them. An administrator of the
    // member can forge both; no tenant of the hub can.
    if (present?.owner === undefined || !present.proven || present.deleting) continue;
    const desired = present.health.replicas?.desired;
    found.push({
      cluster,
      ref,
      ...(desired === undefined ? {} : { replicas: desired }),
      ...(wasFoundOnJoin(state, owner, copy) ? { beforeJoin: true as const } : {}),
    });
  }
  return { running, ...(found.length === 0 ? {} : { found }) };
}

/** If the status has only a summary, the observations since startup are incomplete. */
function runningBeside(
  state: HubState,
  owner: string,
  previous: FederatedStatus | undefined,
): Pick<Snapshot, "running"> {
  if (previous?.summary !== undefined && previous.unlistedClusters === undefined) return {};
  return { running: runningOn(state, owner) };
}

/** Recorded clusters with a copy that no row removes. The status may not name them yet. */
function runningOn(state: HubState, owner: string): Set<string> {
  const isFirstPlan = state.planOf(owner)?.ours !== true;
  const running = new Set<string>();
  const recorded = recordedClusters(state, owner);
  for (const copy of copiesOf(state, owner)) {
    const { cluster, ref } = copy;
    if (!recorded.has(cluster) || wasFoundOnJoin(state, owner, copy)) continue;
    const row = state.rowOf(owner, cluster, refKey(ref));
    if (isFirstPlan || (row !== undefined && (!isRemoval(row) || isServing(row)))) running.add(cluster);
  }
  return running;
}
