import { defined, type FederatedStatus, firstRecordOf, type KubeObject, refKey, refOf } from "../../apis/index.ts";
import type { FoundCopy, Needs, PlacementChoice, Snapshot } from "../snapshot.ts";
import { copiesOf, isRemoval, isServing, recordedClusters, wasFoundOnJoin } from "./copies.ts";
import type { HubState } from "./hubState.ts";

export interface ResolvedNeeds {
  /** The chosen placement; undefined: the plan chooses it. */
  choice?: PlacementChoice;
  /** Dependencies with their own dependencies; undefined: the plan computes them. */
  needs?: Needs;
  dependencies: ReadonlyMap<string, KubeObject>;
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
    ...defined({ choice, needs, unreadable, scale }),
    hubId,
    ...(terms === undefined ? {} : { terms }),
    previous: previousOf(object, status),
    ...defined({ contacts, turnAt, capacities }),
    ...(state.isObserved(owner) ? seenFacts(state, owner, object, status) : {}),
  };
}

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

/** Replicas last given to each cluster, by the last plan. After a restart, the desired replicas of the copies count. */
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

/** True if the hub does not say where the object runs. The first record's annotation does not count: users may write it. */
export function isUnrecorded(status: FederatedStatus | undefined): boolean {
  return status?.observedGeneration === undefined;
}

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
    // An administrator of the member can forge the marks and `managedFields`; no tenant of the hub can.
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
