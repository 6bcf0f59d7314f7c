import { type FederatedStatus, firstRecordOf, type KubeObject, refKey, refOf } from "../../apis/index.ts";
import type { FoundCopy, Needs, PlacementChoice, Snapshot } from "../snapshot.ts";
import { copiesOf, isRemoval, isServing, recordedClusters, wasFoundOnJoin } from "./copies.ts";
import type { HubState } from "./hubState.ts";

/** What is known of the dependencies of an object. */
export interface ResolvedNeeds {
  /** Which placement is chosen; undefined: the plan chooses it. */
  choice?: PlacementChoice;
  /** With what the needs need in their turn; undefined: the plan finds them out. */
  needs?: Needs;
  /** The dependencies that exist on the hub, by {@link refKey}. */
  dependencies: ReadonlyMap<string, KubeObject>;
  /** Those that may not be read there. */
  unreadable?: ReadonlySet<string>;
}

const NOTHING_RESOLVED: ResolvedNeeds = { dependencies: new Map() };

/** Everything that the plan of one hub object depends on, at this moment. */
export function assembleSnapshot(
  state: HubState,
  object: KubeObject,
  resolved: ResolvedNeeds = NOTHING_RESOLVED,
): Snapshot {
  const owner = refKey(refOf(object));
  const { contacts, rooms, hubId } = state;
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
    ...(rooms === undefined ? {} : { rooms }),
    ...(state.isObserved(owner) ? seenFacts(state, owner, object, status) : {}),
  };
}

/** Where the object runs by what was seen of its copies. */
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

/** The status of the object; where there is none yet, its first record says how the object parts from its copies. */
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
function heldReplicas(state: HubState, owner: string): { get(cluster: string): number | undefined } {
  const before = state.planOf(owner)?.target;
  const held = new Map<string, number>();
  if (before?.decision.clusters.some(({ replicas }) => replicas !== undefined) === true) {
    for (const { name, replicas } of before.decision.clusters) if (replicas !== undefined) held.set(name, replicas);
    // The plan before is all there is: what it left elsewhere is on its way out.
    return { get: (cluster) => held.get(cluster) ?? 0 };
  }
  for (const { cluster, present } of copiesOf(state, owner)) {
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
    // A row from before the first plan is about another life of the object, and decides nothing.
    const row = isPlanned ? state.rowOf(owner, cluster, refKey(ref)) : undefined;
    if (row !== undefined && isRemoval(row) && !isServing(row)) continue;
    if (chosen.has(cluster)) running.add(cluster);
    // Its marks name the object, and `managedFields` show that Meridian has set them: an administrator of the member can forge both, and no tenant of the hub.
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

/** Where only a summary stands, what has been seen since the start is not all that there is. */
function runningBeside(
  state: HubState,
  owner: string,
  previous: FederatedStatus | undefined,
): Pick<Snapshot, "running"> {
  if (previous?.summary !== undefined && previous.unlistedClusters === undefined) return {};
  return { running: runningOn(state, owner) };
}

/** Clusters of the record with a copy that no row deletes: the status may not say so yet. */
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
