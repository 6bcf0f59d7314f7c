import {
  type MemberCluster,
  type ObjectRef,
  type Reason,
  recordOf,
  REGION_LABEL,
  REMOVE_FOUND_ANNOTATION,
  refKey,
} from "../../apis/index.ts";
import { AWAITING_REPLACEMENT } from "../rows/index.ts";
import type { ClusterFacts, Observation, Row, Target } from "../types.ts";
import type { HubState } from "./hubState.ts";

/**
 * The clusters that the record of a hub object names ({@link recordOf}): a claim of any other cluster to hold a copy counts for nothing. None
 * for an object that is gone.
 */
export function recordedClusters(
  state: Pick<HubState, "object" | "statusOf" | "memberClusters">,
  owner: string,
): ReadonlySet<string> {
  const object = state.object(owner);
  if (object === undefined) return new Set();
  const { names, regions } = recordOf({ metadata: object.metadata, status: state.statusOf(object) });
  if (regions.size === 0) return names;
  const known = new Set(names);
  for (const { metadata } of state.memberClusters())
    if (regions.has(metadata.labels?.[REGION_LABEL] ?? "")) known.add(metadata.name);
  return known;
}

/**
 * The member objects of one hub object: those that name it as their owner, and those of its rows that name nobody, since the annotation may
 * have been removed.
 */
export function copiesOf(state: Pick<HubState, "naming" | "cellsOf" | "copy">, owner: string): Observation[] {
  const copies = new Set(state.naming(owner));
  for (const { cluster, key } of state.cellsOf(owner)) {
    const observation = state.copy(cluster, key);
    if (observation?.present !== undefined && observation.present.owner === undefined) copies.add(observation);
  }
  return [...copies];
}

/**
 * The copies that a plan considers: those of the object, and the dependencies that name another object as their owner. The copy of a Secret that
 * is gone from the hub stays for every application that refers to the Secret, whichever of them is named as its owner. Left out are the copies
 * that a person let go of ({@link isReleasedFrom}).
 */
export function copiesToPlan(state: HubState, owner: string, target: Target | undefined): Observation[] {
  const copies = new Set(copiesOf(state, owner));
  for (const { cluster, key, rows } of state.cellsOf(owner)) {
    const observation = rows.has(owner) ? state.copy(cluster, key) : undefined;
    if (observation?.present !== undefined) copies.add(observation);
  }
  for (const { name } of target === undefined || target.missing.size === 0 ? [] : target.clusters) {
    for (const key of target?.missing ?? []) {
      const observation = state.copy(name, key);
      if (observation?.present !== undefined) copies.add(observation);
    }
  }
  return [...copies].filter((copy) => !isReleasedFrom(state, owner, target, copy));
}

/**
 * A copy on a cluster that the record does not name, of an object that nothing places: a person let go of the cluster (its MemberCluster was
 * deleted, and made again) or of the object's Placement. Nobody has said where else the object belongs, so the copy is left alone.
 */
export function isReleasedFrom(
  state: Pick<HubState, "object" | "statusOf" | "memberClusters" | "memberCluster">,
  owner: string,
  target: Target | undefined,
  { cluster }: Observation,
): boolean {
  if (target === undefined || (target.scheduled.status === "True" && !target.suspended)) return false;
  if (target.clusters.some(({ name }) => name === cluster)) return false;
  const isLeaving = state.memberCluster(cluster)?.metadata.deletionTimestamp !== undefined;
  return !isLeaving && !recordedClusters(state, owner).has(cluster);
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
  state: Pick<HubState, "object" | "statusOf" | "memberClusters" | "memberCluster" | "rowOf">,
  owner: string,
  { cluster, ref, present }: Observation,
): boolean {
  const member = state.memberCluster(cluster);
  const joinedAt = member?.metadata.creationTimestamp;
  if (member === undefined || joinedAt === undefined || present?.createdAt === undefined) return false;
  // RFC 3339 in UTC with whole seconds, as the API server writes it, sorts as text.
  if (present.createdAt >= joinedAt || member.metadata.annotations?.[REMOVE_FOUND_ANNOTATION] === "true") return false;
  const row = state.rowOf(owner, cluster, refKey(ref));
  if (row !== undefined) return isFoundOnJoin(row);
  return !recordedClusters(state, owner).has(cluster);
}

const FOUND_ON_JOIN: Reason = "FoundOnJoin";

/** Whether the row says that the copy was on its cluster before the cluster was joined, and is none of the hub object's. */
export function isFoundOnJoin(row: Row): boolean {
  return row.verb === "Hold" && !row.wanted && row.why.reason === FOUND_ON_JOIN;
}

/** The row takes the copy away, or says why the copy, which is to go, is still there. */
export function isRemoval(row: Row): boolean {
  return row.verb === "Delete" || row.verb === "Release" || (row.verb === "Hold" && !row.wanted);
}

/** The copy stays until the object serves elsewhere; so the object still runs there. */
export function isServing(row: Row): boolean {
  return row.verb === "Hold" && row.why.reason === AWAITING_REPLACEMENT;
}

/** The row wants the member object. An object that no policy places only leaves its own copy alone. */
export function asksFor(row: Row): boolean {
  return row.verb === "Apply" || (row.verb === "Hold" && row.wanted && row.unplaced !== true);
}

/** Whether another hub object asks for the member object, or refers to it and runs on the cluster: then the member object stays. */
export function isNeededByOthers(
  state: Pick<HubState, "askersOf" | "isNeededByOtherClass">,
  cluster: string,
  ref: ObjectRef,
  owner: string,
): boolean {
  for (const other of state.askersOf(cluster, ref)) if (other !== owner) return true;
  return state.isNeededByOtherClass(ref, owner);
}
