import { type ClusterStatusEntry, type FederatedStatus, isHarmful, type Reason, timestamp } from "../../apis/index.ts";
import { type EndedTrouble, isTroubled } from "../../status/index.ts";
import type { OpenTrouble, OpenTroubles } from "../states/index.ts";

/** Finds the troubles that begin and end between two statuses of an object. Pure. */

/** An ended trouble of the object that has the status. */
export type TroubleEnd = Omit<EndedTrouble, "object">;

export interface TroubleChange {
  previous: FederatedStatus | undefined;
  status: FederatedStatus;
  /** The object is being deleted, so the end of its copies is no trouble. */
  deleted: boolean;
  /** Epoch milliseconds. */
  now: number;
}

/** Key of the trouble of the object as a whole. */
const WHOLE = "";
const CONTESTED: Reason = "Contested";
const TERMINATING: Reason = "Terminating";
/** A trouble without a warning that lasts no longer than this is normal progress. */
const PATIENCE_MS = 10_000;

/** Updates the open troubles, including those in the previous status. The MemberCluster reports a loss of contact. */
export function followTroubles(
  troubles: OpenTroubles,
  change: TroubleChange,
): { begun: ClusterStatusEntry[]; ended: TroubleEnd[] } {
  const { previous, status, now } = change;
  const begun: ClusterStatusEntry[] = [];
  const ended: TroubleEnd[] = [];
  const end = (key: string, ending: EndedTrouble["ending"], until = timestamp(now)): void => {
    const trouble = troubles.get(key);
    troubles.delete(key);
    if (trouble === undefined || (trouble.warned === undefined && !hasLasted(trouble, until))) return;
    const { reason, since, message } = trouble;
    const where = key === WHOLE ? {} : { cluster: key };
    ended.push({ ...where, reason, ...(since === undefined ? {} : { since }), until, message, ending });
  };
  takeUp(troubles, previous);
  for (const entry of status.clusters ?? []) {
    const before = troubles.get(entry.name);
    if (isInTrouble(entry)) {
      if (isTroubled(entry) && entry.reason !== undefined && before?.warned !== entry.reason) begun.push(entry);
      troubles.set(entry.name, troubleOf(entry, before));
    } else if (entry.state === "Available" && before !== undefined) end(entry.name, "Healthy", entry.observedAt);
  }
  for (const cluster of unnamed(troubles, status)) {
    const ending = endingOf(cluster, status);
    if (change.deleted) troubles.delete(cluster);
    else if (ending !== undefined) end(cluster, ending);
  }
  const scheduled = status.conditions?.find(({ type }) => type === "Scheduled");
  if (change.deleted) troubles.delete(WHOLE);
  else if (scheduled?.status === "True") end(WHOLE, "Over", scheduled.lastTransitionTime);
  else takeUpWhole(troubles, status);
  return { begun, ended };
}

function takeUp(troubles: OpenTroubles, previous: FederatedStatus | undefined): void {
  for (const entry of previous?.clusters ?? [])
    if (isInTrouble(entry) && !troubles.has(entry.name)) troubles.set(entry.name, troubleOf(entry, undefined));
  if (!troubles.has(WHOLE)) takeUpWhole(troubles, previous);
}

function takeUpWhole(troubles: OpenTroubles, status: FederatedStatus | undefined): void {
  const found = status?.conditions?.find(({ type }) => type === "Scheduled");
  if (found?.status !== "False" || !isHarmful(found.reason)) return;
  const { reason, message, lastTransitionTime: since } = found;
  troubles.set(WHOLE, { reason, message, since, warned: undefined });
}

function troubleOf(entry: ClusterStatusEntry, before: OpenTrouble | undefined): OpenTrouble {
  const { state, reason = state, message = "", since, observedAt } = entry;
  const isWarned = isTroubled(entry) || reason === CONTESTED;
  return { reason, message, since: before?.since ?? since ?? observedAt, warned: isWarned ? reason : before?.warned };
}

function isInTrouble(entry: ClusterStatusEntry): boolean {
  const { state, reason } = entry;
  if (isTroubled(entry)) return true;
  if (reason === undefined || state === "Available" || state === "Held") return false;
  return isHarmful(reason) || reason === TERMINATING;
}

function unnamed(troubles: OpenTroubles, { clusters = [] }: FederatedStatus): string[] {
  const named = new Set(clusters.map(({ name }) => name));
  return [...troubles.keys()].filter((name) => name !== WHOLE && !named.has(name));
}

/**
 * How the trouble of a cluster without an entry has ended; undefined if the status does not tell. With many clusters,
 * the status leaves out healthy ones and those beyond its limit.
 */
function endingOf(
  cluster: string,
  { unlistedClusters, summary = [] }: FederatedStatus,
): "Healthy" | "Left" | undefined {
  if (unlistedClusters?.includes(cluster) !== true) return "Left";
  return summary.every(({ states }) => states === undefined) ? "Healthy" : undefined;
}

function hasLasted({ since }: OpenTrouble, until: string): boolean {
  return Date.parse(until) - Date.parse(since ?? "") >= PATIENCE_MS;
}
