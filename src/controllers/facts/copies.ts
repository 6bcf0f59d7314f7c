import {
  ALLOW_CRD_REMOVAL_ANNOTATION,
  type MemberCluster,
  type ObjectRef,
  type OwnerRef,
  type Reason,
  REGION_LABEL,
  REMOVE_FOUND_ANNOTATION,
  refKey,
  shortMessage,
} from "../../apis/index.ts";
import {
  type ClusterFacts,
  type DeletionPolicy,
  type Observation,
  type RemovalFacts,
  REPLACED,
  type Row,
  type Target,
  type Why,
} from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { groupKindOf, hubKindOf, isCustomGroup } from "../../interpreter/index.ts";
import { MEMBERCLUSTERS } from "../../runtime/index.ts";
import { type Assignments, type ObservationChange, type Observations, type Plans } from "../tables/index.ts";
import type { ControllerClasses } from "./controllerClasses.ts";
import type { DependencyWatches } from "./dependencies.ts";
import { type MissingOwners, withHeld } from "./missingOwners.ts";
import type { PlanningProgress } from "./planningProgress.ts";

/** What is known of the copies of hub objects on the members, and of what their removal rests on. */
export interface CopySources {
  hub: HubCache;
  assignments: Assignments;
  observations: Observations;
  plans: Plans;
  dependencies: DependencyWatches;
  progress: PlanningProgress;
  classes: ControllerClasses;
  missing: MissingOwners;
}

/**
 * The clusters that the record of a hub object names ({@link Statuses.recordOf}): a claim of any other cluster to hold a copy counts for nothing. None
 * for an object that is gone.
 */
export function recordedClusters({ hub }: Pick<CopySources, "hub">, owner: string): ReadonlySet<string> {
  const found = hub.object(owner);
  if (found === undefined) return new Set();
  const { names, regions } = hub.statuses.recordOf(found.object, found.kind);
  if (regions.size === 0) return names;
  const known = new Set(names);
  for (const { metadata } of hub.clusters.list())
    if (regions.has(metadata.labels?.[REGION_LABEL] ?? "")) known.add(metadata.name);
  return known;
}

/**
 * The member objects of one hub object: those that name it as their owner, and those of its rows that name nobody, since the annotation may
 * have been removed.
 */
export function copiesOf({ assignments, observations }: CopySources, owner: string): Observation[] {
  const copies = new Set(observations.naming(owner));
  for (const { cluster, key } of assignments.of(owner)) {
    const observation = observations.get(cluster, key);
    if (observation?.present !== undefined && observation.present.owner === undefined) copies.add(observation);
  }
  return [...copies];
}

/**
 * What a plan considers: the copies of the object, and the dependencies that name another object as their owner. The copy of a Secret that
 * is gone from the hub stays for every application that refers to the Secret, whichever of them is named as its owner.
 */
export function copiesToPlan(sources: CopySources, owner: string, target: Target | undefined): Observation[] {
  const { assignments, observations } = sources;
  const copies = new Set(copiesOf(sources, owner));
  for (const { cluster, key, rows } of assignments.of(owner)) {
    const observation = rows.has(owner) ? observations.get(cluster, key) : undefined;
    if (observation?.present !== undefined) copies.add(observation);
  }
  for (const { name } of target === undefined || target.missing.size === 0 ? [] : target.clusters) {
    for (const key of target?.missing ?? []) {
      const observation = observations.get(name, key);
      if (observation?.present !== undefined) copies.add(observation);
    }
  }
  return [...copies];
}

/** The hub objects, by UID, that these member objects name as their owner: several lives of one name, it may be. */
export function ownersNamedBy(copies: readonly Observation[]): OwnerRef[] {
  const owners = new Map<string, OwnerRef>();
  for (const { present } of copies) if (present?.owner !== undefined) owners.set(present.owner.uid, present.owner);
  return [...owners.values()];
}

/** How the copies of an object are to go. */
export interface Removal {
  /** The hub object that they are copies of. */
  owner: OwnerRef;
  /** Undefined when nobody on the hub knows any more. */
  policy: DeletionPolicy | undefined;
  cause: Why;
  ownership: RemovalFacts["ownership"];
  /** Why none of them goes, when the reason is the object's kind. */
  held?: Why | undefined;
  /** The hub's own copy went by its TTL: what still runs goes when it has finished. */
  awaitsEnd?: boolean;
  /** The hub does not have the object, and its finalizer did not keep it until the copies were gone. */
  lost?: boolean;
}

/** Everything that the removal of these copies rests on, at this moment. */
export function removalFacts(sources: CopySources, copies: readonly Observation[], removal: Removal): RemovalFacts {
  const { hub, progress, missing } = sources;
  const { held, lost = false, awaitsEnd = false, ...rest } = removal;
  const owner = refKey(removal.owner);
  const clusters = new Map<string, ClusterFacts>();
  const foundOnJoin = new Set<string>();
  const othersCopies = new Set<string>();
  for (const copy of copies) {
    const { cluster, ref } = copy;
    const member = clusters.has(cluster) ? undefined : hub.clusters.get(cluster);
    if (member !== undefined) clusters.set(cluster, clusterFacts(sources, member, removal.owner));
    if (wasFoundOnJoin(sources, owner, copy)) foundOnJoin.add(`${cluster}/${refKey(ref)}`);
    if (copy.present?.refused !== undefined && isOthers(sources, copy)) othersCopies.add(`${cluster}/${refKey(ref)}`);
  }
  return {
    ...rest,
    ...(held === undefined ? {} : { held }),
    ...(awaitsEnd ? { awaitsEnd } : {}),
    ...orderFacts(sources, removal.owner),
    hub: { synced: hub.synced, deletionsHeld: hub.deletionsHeld, planned: progress.isKnownAround(owner) },
    clusters: lost ? withHeld(clusters, missing) : clusters,
    neededByOthers: neededAmong(sources, copies, owner),
    foundOnJoin,
    othersCopies,
    replacing: replacingOf(sources, owner),
  };
}

/** In what order the copies go, and what a person has agreed to on the object itself. */
function orderFacts({ hub }: CopySources, owner: OwnerRef): Pick<RemovalFacts, "inPhases" | "agreed"> {
  const agreed = hub.object(refKey(owner))?.object.metadata.annotations?.[ALLOW_CRD_REMOVAL_ANNOTATION];
  return {
    ...(isBundle(owner) ? { inPhases: true } : {}),
    ...(agreed === undefined ? {} : { agreed }),
  };
}

/** Answers when asked: a plan asks only about copies that it does not want. */
function neededAmong(
  sources: CopySources,
  copies: readonly Observation[],
  owner: string,
): RemovalFacts["neededByOthers"] {
  return {
    has(key) {
      const copy = copies.find(({ cluster, ref }) => `${cluster}/${refKey(ref)}` === key);
      return copy !== undefined && isNeededByOthers(sources, copy.cluster, copy.ref, owner);
    },
  };
}

function replacingOf({ assignments }: CopySources, owner: string): Set<string> {
  const replacing = new Set<string>();
  for (const { cluster, rows } of assignments.of(owner)) {
    const row = rows.get(owner);
    if (row !== undefined && row.verb !== "Apply" && row.why.reason === REPLACED) replacing.add(cluster);
  }
  return replacing;
}

/** Whether another manager's object owns or needs the copy, or an object of which this one knows nothing. */
function isOthers({ plans, classes }: CopySources, { ref, present }: Observation): boolean {
  if (present?.owner !== undefined && plans.get(refKey(present.owner))?.ours !== true) return true;
  for (const _ of classes.needing(ref)) return true;
  return false;
}

function isBundle(owner: OwnerRef): boolean {
  const { group, kind } = groupKindOf(owner);
  return hubKindOf(group, kind)?.holdsManifests === true;
}

function clusterFacts(sources: CopySources, member: MemberCluster, owner: OwnerRef): ClusterFacts {
  const { hub, observations } = sources;
  const { synced, partlySynced = false, unseen } = observations.contactOf(member.metadata.name);
  const { namespaces } = member.spec;
  const known: ClusterFacts = {
    ...(synced || !partlySynced ? { synced } : { synced: true, unseen }),
    ...(namespaces === undefined ? {} : { namespaces }),
  };
  const leaving = leavingOf(member);
  if (leaving === undefined) return known;
  const held =
    leaving === "Drain"
      ? (hub.kindDeletions.heldNow(MEMBERCLUSTERS, member.metadata) ??
        waitsForCustomObjects(sources, member.metadata.name, owner))
      : undefined;
  return { ...known, leaving, ...(held === undefined ? {} : { held }) };
}

/**
 * Why a bundle stays on a cluster that is drained: the bundle may be an operator, which has to clean up after the objects of its kinds. So the
 * objects of custom kinds go first, but for those of bundles, which go in phases.
 */
function waitsForCustomObjects({ observations }: CopySources, cluster: string, owner: OwnerRef): Why | undefined {
  if (!isBundle(owner)) return undefined;
  for (const { ref, present } of observations.in(cluster)) {
    if (present?.owner === undefined || !isCustom(ref) || isBundle(present.owner)) continue;
    // The name comes last: it may be long.
    return { reason: NEEDED, message: shortMessage(`objects of custom kinds go first: ${ref.kind} ${ref.name}`) };
  }
  return undefined;
}

const NEEDED: Reason = "NeededByOthers";

function isCustom(ref: ObjectRef): boolean {
  return isCustomGroup(groupKindOf(ref).group);
}

/** Whether an object for which bundles may wait has gone from a cluster that is drained. */
export function freesBundles({ hub }: Pick<CopySources, "hub">, change: ObservationChange): boolean {
  const { cluster, ref, before, after } = change;
  if (before?.present === undefined || after?.present !== undefined || !isCustom(ref)) return false;
  const member = hub.clusters.get(cluster);
  return member !== undefined && leavingOf(member) === "Drain";
}

/**
 * What becomes of everything on a cluster whose MemberCluster is being deleted; undefined while it is not, and until somebody has said what: then
 * the cluster goes on as before.
 */
export function leavingOf({ metadata, spec }: MemberCluster): ClusterFacts["leaving"] {
  if (metadata.deletionTimestamp === undefined || spec.deletionPolicy === undefined) return undefined;
  return spec.deletionPolicy === "Drain" ? "Drain" : "Keep";
}

/**
 * Whether a copy was on its cluster before the cluster was joined, and has not been taken up by the hub object since: neither does the object's
 * record name the cluster, nor did a row ask for the copy. A cluster that leaves is taken off every record.
 */
export function wasFoundOnJoin(
  { hub, assignments }: CopySources,
  owner: string,
  { cluster, ref, present }: Observation,
): boolean {
  const member = hub.clusters.get(cluster);
  const joinedAt = member?.metadata.creationTimestamp;
  if (member === undefined || joinedAt === undefined || present?.createdAt === undefined) return false;
  // RFC 3339 in UTC with whole seconds, as the API server writes it, sorts as text.
  if (present.createdAt >= joinedAt || member.metadata.annotations?.[REMOVE_FOUND_ANNOTATION] === "true") return false;
  const row = assignments.get(cluster, refKey(ref))?.rows.get(owner);
  if (row !== undefined) return isFoundOnJoin(row);
  return !recordedClusters({ hub }, owner).has(cluster);
}

const FOUND_ON_JOIN: Reason = "FoundOnJoin";

/** Whether the row says that the copy was on its cluster before the cluster was joined, and is none of the hub object's. */
export function isFoundOnJoin(row: Row): boolean {
  return row.verb === "Hold" && !row.wanted && row.why.reason === FOUND_ON_JOIN;
}

/**
 * Whether another hub object asks for the member object, or refers to it and runs on the cluster: then the member object stays. An object that no
 * policy places only leaves its own copy alone.
 */
export function isNeededByOthers(sources: CopySources, cluster: string, ref: ObjectRef, owner: string): boolean {
  const { assignments, classes, dependencies, plans } = sources;
  const key = refKey(ref);
  for (const [other, row] of assignments.get(cluster, key)?.rows ?? []) {
    if (other !== owner && (row.verb === "Apply" || (row.verb === "Hold" && row.wanted && row.unplaced !== true)))
      return true;
  }
  for (const other of dependencies.referrersTo(key)) {
    if (other !== owner && plans.get(other)?.target?.clusters.some(({ name }) => name === cluster) === true)
      return true;
  }
  for (const _ of classes.needing(ref)) return true;
  return false;
}
