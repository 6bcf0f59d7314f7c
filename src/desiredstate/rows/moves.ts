import { type DisruptionBudget, refKey, shareOf } from "../../apis/index.ts";
import { isSameRef } from "./rows.ts";
import type { DesiredObject, Observation, RemovalFacts, Target, Why } from "../types.ts";

export const AWAITING_REPLACEMENT = "AwaitingReplacement";

/** An object that moves from clusters that it left to the clusters where it is wanted. */
export interface Move {
  wanted: ReadonlyMap<string, readonly DesiredObject[]>;
  target: Target;
  observations: readonly Observation[];
  removal: RemovalFacts;
}

/**
 * Clusters that keep their copies although the object left them, with the reason: the copies serve, and no other
 * cluster serves instead. Copies that do not serve may be removed, and so may all copies of an object with no replicas
 * or no clusters.
 */
export function serversToKeep(move: Move): ReadonlyMap<string, Why> {
  const { wanted, target } = move;
  const towards = [...wanted.keys()].filter((cluster) => isToServe(cluster, target));
  const keep = new Map<string, Why>();
  if (towards.length === 0) return keep;
  const left = Map.groupBy(
    move.observations.filter(({ cluster, present }) => present !== undefined && !wanted.has(cluster)),
    ({ cluster }) => cluster,
  );
  const servers = [...left].filter(([, copies]) => serves(copies, target));
  if (servers.length === 0) return keep;
  const known = new Set(servers.flatMap(([, copies]) => copies.filter(isAvailable).map(({ ref }) => refKey(ref))));
  if (towards.some((cluster) => hasArrived(cluster, known, move))) return beyondBudget(servers, move);
  const names = towards.toSorted().slice(0, 3).join(", ") + (towards.length > 3 ? " or another" : "");
  const message = `it serves until the object is available on ${names}`;
  for (const [cluster] of servers) keep.set(cluster, { reason: AWAITING_REPLACEMENT, message });
  return keep;
}

/**
 * Clusters that keep their copies although the object serves elsewhere by now: without them fewer replicas would be
 * available than the placement's disruption budget requires. For kinds without replicas, clusters count. Unobserved
 * replicas count as unavailable.
 */
function beyondBudget(
  servers: readonly [cluster: string, copies: Observation[]][],
  { target, observations, removal }: Move,
): ReadonlyMap<string, Why> {
  const { disruptionBudget } = target;
  if (disruptionBudget === undefined) return NONE;
  const counts = target.clusters.flatMap(({ replicas }) => replicas ?? []);
  const hasReplicas = counts.length > 0;
  const total = hasReplicas ? counts.reduce((sum, count) => sum + count, 0) : target.clusters.length;
  const required = leastAvailable(disruptionBudget, total);
  const byCluster = Map.groupBy(observations, ({ cluster }) => cluster);
  const availableOn = (cluster: string): number => {
    if (removal.clusters.get(cluster)?.synced !== true) return 0;
    const copies = (byCluster.get(cluster) ?? []).filter(({ present }) => present?.deleting === false);
    if (!hasReplicas) return serves(copies, target) ? 1 : 0;
    return copies.reduce((sum, { present }) => sum + (present?.health.replicas?.available ?? 0), 0);
  };
  let spare = [...byCluster.keys()].reduce((sum, cluster) => sum + availableOn(cluster), 0) - required;
  const keep = new Map<string, Why>();
  for (const [cluster] of servers.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const available = availableOn(cluster);
    if (available === 0 || available <= spare) spare -= available;
    else {
      const message = `it serves until ${required} of ${total} are available without it (disruptionBudget)`;
      keep.set(cluster, { reason: AWAITING_REPLACEMENT, message });
    }
  }
  return keep;
}

const NONE: ReadonlyMap<string, Why> = new Map();

/** The number of `total` that must be available at any time. */
export function leastAvailable({ minAvailable, maxUnavailable }: DisruptionBudget, total: number): number {
  const least =
    minAvailable === undefined
      ? total - shareOf(maxUnavailable ?? 0, total, Math.floor)
      : shareOf(minAvailable, total, Math.ceil);
  return Math.min(total, Math.max(0, least));
}

function isToServe(name: string, { clusters }: Target): boolean {
  return clusters.find((cluster) => cluster.name === name)?.replicas !== 0;
}

function isAvailable({ present }: Observation): boolean {
  return present?.health.state === "Available";
}

/** True if all objects are available there. Unknown health counts, unless the health of the serving copies is `known`. */
function hasArrived(cluster: string, known: ReadonlySet<string>, { wanted, observations, removal }: Move): boolean {
  if (removal.clusters.get(cluster)?.synced !== true) return false;
  const rendered = (wanted.get(cluster) ?? []).filter(({ role }) => role === "rendered");
  return (
    rendered.length > 0 &&
    rendered.every(({ ref, done }) => {
      if (done !== undefined) return true;
      const present = observations.find((copy) => copy.cluster === cluster && isSameRef(copy.ref, ref))?.present;
      if (present === undefined || present.deleting) return false;
      const { state, replicas } = present.health;
      if (state === "Unknown") return !known.has(refKey(ref));
      return state === "Available" && replicas?.available !== 0;
    })
  );
}

/** True if these copies of one cluster serve. A Service without pods does not: available replicas decide if there are any. */
function serves(copies: readonly Observation[], target: Target): boolean {
  const dependencies = new Set(
    target.clusters.flatMap(({ objects }) =>
      objects.flatMap(({ role, ref }) => (role === "dependency" ? [refKey(ref)] : [])),
    ),
  );
  const healths = copies.flatMap(({ ref, present }) =>
    present === undefined || present.deleting || dependencies.has(refKey(ref)) ? [] : [present.health],
  );
  const counted = healths.flatMap(({ replicas }) => replicas ?? []);
  if (counted.length > 0 || target.clusters.some(({ replicas }) => replicas !== undefined))
    return counted.some(({ available }) => available > 0);
  return healths.some(({ state }) => state === "Available" || state === "Unknown");
}
