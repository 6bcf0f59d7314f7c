import {
  defined,
  ALLOW_CRD_REMOVAL_ANNOTATION,
  type KubeObject,
  shortName,
  type MemberCluster,
  type ObjectRef,
  type OwnerRef,
  type Reason,
  refKey,
} from "../../apis/index.ts";
import { groupKindOf, hubKindOf, isCustomGroup } from "../../interpreter/index.ts";
import { REPLACED } from "../rows/index.ts";
import { choosePlacement } from "../target/index.ts";
import type { ClusterFacts, DeletionPolicy, Observation, RemovalFacts, Why } from "../types.ts";
import { isNeededByOthers, leavingOf, wasFoundOnJoin } from "./copies.ts";
import type { HubState } from "./hubState.ts";

export interface Removal {
  owner: OwnerRef;
  /** Undefined if the hub no longer knows the policy. */
  policy: DeletionPolicy | undefined;
  cause: Why;
  ownership: RemovalFacts["ownership"];
  /** Why no copy is removed, if the kind of the object is the reason. */
  held?: Why | undefined;
  /** The object's own TTL deleted it: copies that still run are removed after they finish. */
  awaitsEnd?: boolean;
  lost?: boolean;
}

/** Removal of copies on clusters that the object left; the object itself continues. */
export function leftBehind(owner: OwnerRef): Removal {
  const cause = { reason: "NotSelected", message: "the object is not to run there any more" };
  return { owner, policy: "Delete", cause, ownership: "Ours" };
}

/** Collects the present facts on which the removal of the copies depends. */
export function assembleRemovalFacts(
  state: HubState,
  copies: readonly Observation[],
  { held, lost = false, awaitsEnd = false, ...removal }: Removal,
): RemovalFacts {
  const owner = refKey(removal.owner);
  const clusters = new Map<string, ClusterFacts>();
  const foundOnJoin = new Set<string>();
  const othersCopies = new Set<string>();
  for (const copy of copies) {
    const { cluster, ref } = copy;
    const member = clusters.has(cluster) ? undefined : state.memberCluster(cluster);
    if (member !== undefined) clusters.set(cluster, clusterFacts(state, member, removal.owner, lost));
    if (wasFoundOnJoin(state, owner, copy)) foundOnJoin.add(`${cluster}/${refKey(ref)}`);
    if (copy.present?.refused !== undefined && isOthers(state, owner, copy))
      othersCopies.add(`${cluster}/${refKey(ref)}`);
  }
  return {
    ...removal,
    ...(held === undefined ? {} : { held }),
    ...(awaitsEnd ? { awaitsEnd } : {}),
    ...orderFacts(state, removal.owner),
    hub: { synced: state.synced, deletionsHeld: state.deletionsHeld, planned: state.isKnownAround(owner) },
    clusters,
    neededByOthers: neededAmong(state, copies, owner),
    foundOnJoin,
    othersCopies,
    replacing: replacingOf(state, owner),
  };
}

function orderFacts(state: HubState, owner: OwnerRef): Pick<RemovalFacts, "inPhases" | "agreed"> {
  const agreed = state.object(refKey(owner))?.metadata.annotations?.[ALLOW_CRD_REMOVAL_ANNOTATION];
  return {
    ...(isBundle(owner) ? { inPhases: true } : {}),
    ...(agreed === undefined ? {} : { agreed }),
  };
}

/** Evaluated lazily: a plan asks only about copies that it does not want. */
function neededAmong(state: HubState, copies: readonly Observation[], owner: string): RemovalFacts["neededByOthers"] {
  return {
    has(key) {
      const copy = copies.find(({ cluster, ref }) => `${cluster}/${refKey(ref)}` === key);
      return copy !== undefined && isNeededByOthers(state, copy.cluster, copy.ref, owner);
    },
  };
}

function replacingOf(state: HubState, owner: string): Set<string> {
  const replacing = new Set<string>();
  for (const { cluster, rows } of state.cellsOf(owner)) {
    const row = rows.get(owner);
    if (row !== undefined && row.verb !== "Apply" && row.why.reason === REPLACED) replacing.add(cluster);
  }
  return replacing;
}

/** True if another manager's object, or an object unknown to this manager, owns or needs the copy. */
function isOthers(state: HubState, owner: string, { ref, present }: Observation): boolean {
  if (present?.owner !== undefined && state.planOf(refKey(present.owner))?.ours !== true) return true;
  return state.isNeededByOtherClass(ref, owner);
}

function isBundle(owner: OwnerRef): boolean {
  const { group, kind } = groupKindOf(owner);
  return hubKindOf(group, kind)?.holdsManifests === true;
}

function clusterFacts(state: HubState, member: MemberCluster, owner: OwnerRef, lost: boolean): ClusterFacts {
  const { name } = member.metadata;
  const { synced, partlySynced = false, unreadable } = state.contactOf(name);
  const { namespaces } = member.spec;
  const leaving = leavingOf(member);
  const held =
    (leaving === "Drain" ? (state.heldWithKind(member) ?? waitsForCustomObjects(state, name, owner)) : undefined) ??
    (lost ? state.heldAsMissing(name) : undefined);
  return {
    ...(synced || !partlySynced ? { synced } : { synced: true, unreadable }),
    ...defined({ namespaces, leaving, held }),
  };
}

/** A drained bundle may be an operator that cleans up after its custom resources, so those are removed first. */
function waitsForCustomObjects(state: HubState, cluster: string, owner: OwnerRef): Why | undefined {
  if (!isBundle(owner)) return undefined;
  let first: ObjectRef | undefined;
  for (const { ref, present } of state.copiesOn(cluster)) {
    if (present?.owner === undefined || !isCustom(ref) || isBundle(present.owner)) continue;
    if (first === undefined || refKey(ref) < refKey(first)) first = ref;
  }
  if (first === undefined) return undefined;
  // The name comes last because it may be long.
  return { reason: NEEDED, message: `objects of custom kinds go first: ${first.kind} ${first.name}` };
}

const NEEDED: Reason = "NeededByOthers";

/** True if bundles on a drained cluster wait for the removal of such a member object. */
export function isCustom(ref: ObjectRef): boolean {
  return isCustomGroup(groupKindOf(ref).group);
}

const SUSPENDED: Reason = "Suspended";

/** Why the copies of a deleted object stay: a suspended policy deletes nothing. */
export function heldBySuspension(
  state: Pick<HubState, "placementsFor" | "settingOf">,
  object: KubeObject,
): Why | undefined {
  const { placement } = choosePlacement(object, state.placementsFor(object), state.settingOf(object));
  if (placement?.spec.suspend !== true) return undefined;
  const { kind, metadata } = placement;
  return { reason: SUSPENDED, message: `suspended by ${kind} ${shortName(metadata.name)}; goes on without suspend` };
}
