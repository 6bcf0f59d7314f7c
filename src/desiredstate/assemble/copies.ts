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

/** Clusters that the record of a hub object names: a copy on any other cluster counts for nothing. */
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

/** Member objects that name the hub object as their owner, and objects of its rows that name no owner. */
export function copiesOf(state: Pick<HubState, "naming" | "cellsOf" | "copy">, owner: string): Observation[] {
  const copies = new Set(state.naming(owner));
  for (const { cluster, key } of state.cellsOf(owner)) {
    const observation = state.copy(cluster, key);
    if (observation?.present !== undefined && observation.present.owner === undefined) copies.add(observation);
  }
  return [...copies];
}

/**
 * The object's own copies, and its dependencies that name another owner: the copy of a Secret that is gone from the hub
 * stays for every application that refers to the Secret. Copies that a person released are left out.
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
 * True for a copy on a cluster outside the record, of an object that no policy places. A person released the cluster
 * (deleted and recreated its MemberCluster) or deleted the object's Placement. Nobody has said where else the object
 * belongs, so the copy is left alone.
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

/** What a MemberCluster's deletion asks for; undefined while the cluster continues as before. */
export function leavingOf({ metadata, spec }: MemberCluster): ClusterFacts["leaving"] {
  if (metadata.deletionTimestamp === undefined || spec.deletionPolicy === undefined) return undefined;
  return spec.deletionPolicy === "Drain" ? "Drain" : "Keep";
}

/** True for a copy from before its cluster was joined that neither the object's record nor a row has adopted since. */
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

/** True if the row holds a copy that existed before its cluster was joined and that the hub object has not adopted. */
export function isFoundOnJoin(row: Row): boolean {
  return row.verb === "Hold" && !row.wanted && row.why.reason === FOUND_ON_JOIN;
}

/** True if the row removes the copy, or says why a copy that should be removed still exists. */
export function isRemoval(row: Row): boolean {
  return row.verb === "Delete" || row.verb === "Release" || (row.verb === "Hold" && !row.wanted);
}

/** True if the copy stays until the object serves elsewhere: the object still runs on this cluster. */
export function isServing(row: Row): boolean {
  return row.verb === "Hold" && row.why.reason === AWAITING_REPLACEMENT;
}

/** True if the row wants the member object. The row of an unplaced object does not: it only leaves the copy alone. */
export function asksFor(row: Row): boolean {
  return row.verb === "Apply" || (row.verb === "Hold" && row.wanted && row.unplaced !== true);
}

/** True if another hub object asks for the member object, or refers to it and runs on the cluster. */
export function isNeededByOthers(
  state: Pick<HubState, "askersOf" | "isNeededByOtherClass">,
  cluster: string,
  ref: ObjectRef,
  owner: string,
): boolean {
  for (const other of state.askersOf(cluster, ref)) if (other !== owner) return true;
  return state.isNeededByOtherClass(ref, owner);
}
