import { byCreation, compare, type Deployment, type ReplicaSet } from "../shared/index.ts";
import { availableIn, desiredReplicas, isRollingUpdate, maxSurge, maxUnavailable, sizeOf, total } from "./limits.ts";
import { DESIRED_REPLICAS, MAX_REPLICAS } from "./revisions.ts";

/** The wanted size of a ReplicaSet. */
export interface Scaling {
  replicaSet: ReplicaSet;
  replicas: number;
}

/** The replicas that the current ReplicaSet may have besides the old ones; `size`: its current replicas. */
export function roomForCurrent(deployment: Deployment, size: number, old: readonly ReplicaSet[]): number {
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment) || size > desired) return desired;
  const room = desired + maxSurge(deployment) - size - total(old, sizeOf);
  return room <= 0 ? size : size + Math.min(room, desired - size);
}

/**
 * The next step of a rolling update. The new ReplicaSet grows as far as maxSurge allows. If it cannot grow, the old
 * ones shrink as far as maxUnavailable allows, starting with unavailable pods. Empty if the rollout has to wait.
 */
export function rollingStep(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): Scaling[] {
  const room = roomForCurrent(deployment, sizeOf(current), old);
  if (room !== sizeOf(current)) return [{ replicaSet: current, replicas: room }];

  const active = old.filter((set) => sizeOf(set) > 0).toSorted(byCreation);
  const minAvailable = desiredReplicas(deployment) - maxUnavailable(deployment);
  const unavailable = sizeOf(current) - availableIn(current);
  let surplus = sizeOf(current) + total(active, sizeOf) - minAvailable - unavailable;
  if (surplus <= 0) return [];

  const sizes = new Map(active.map((set) => [set, sizeOf(set)]));
  for (const set of active) {
    const unhealthy = Math.min(surplus, sizeOf(set) - availableIn(set));
    sizes.set(set, sizeOf(set) - unhealthy);
    surplus -= unhealthy;
  }
  let spare = availableIn(current) + total(active, availableIn) - minAvailable;
  for (const set of active) {
    const size = sizes.get(set) ?? 0;
    const less = Math.max(0, Math.min(size, spare));
    sizes.set(set, size - less);
    spare -= less;
  }
  return changed(active, (set) => sizes.get(set) ?? 0);
}

/** True if the Deployment was scaled after its ReplicaSets got their sizes. */
export function isScaled(deployment: Deployment, replicaSets: readonly ReplicaSet[]): boolean {
  return replicaSets.some((set) => {
    const annotation = annotatedCount(set, DESIRED_REPLICAS);
    return sizeOf(set) > 0 && annotation !== undefined && annotation !== desiredReplicas(deployment);
  });
}

/**
 * Sizes after the Deployment was scaled, or while it is paused. A single active ReplicaSet gets all replicas. During a
 * rollout the sizes change in proportion, which keeps the risk the same. Includes ReplicaSets of unchanged size, whose
 * annotations must be updated.
 */
export function proportionalStep(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Scaling[] {
  const desired = desiredReplicas(deployment);
  const all = current === undefined ? [...old] : [...old, current];
  const active = all.filter((set) => sizeOf(set) > 0);
  if (active.length < 2) {
    const latest = active[0] ?? current ?? old.toSorted(byCreation).at(-1);
    if (latest === undefined || sizeOf(latest) === desired) return [];
    return [{ replicaSet: latest, replicas: desired }];
  }
  if (current !== undefined && isSaturated(deployment, current)) {
    return old.filter((set) => sizeOf(set) > 0).map((replicaSet) => ({ replicaSet, replicas: 0 }));
  }
  if (!isRollingUpdate(deployment)) return [];

  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0;
  const toAdd = allowed - total(active, sizeOf);
  const ordered = active.toSorted(
    (a, b) => compare(sizeOf(b), sizeOf(a)) || (toAdd > 0 ? byCreation(b, a) : byCreation(a, b)),
  );
  let added = 0;
  const steps = ordered.map((replicaSet) => {
    const share = shareOf(deployment, replicaSet, toAdd, added);
    added += share;
    return { replicaSet, replicas: sizeOf(replicaSet) + share };
  });
  // The largest ReplicaSet gets the remainder of the rounding.
  const [largest] = steps;
  if (largest !== undefined) largest.replicas = Math.max(0, largest.replicas + toAdd - added);
  return steps;
}

function shareOf(deployment: Deployment, replicaSet: ReplicaSet, toAdd: number, added: number): number {
  const size = sizeOf(replicaSet);
  if (size === 0 || toAdd === 0 || toAdd === added) return 0;
  const desired = desiredReplicas(deployment);
  const before = annotatedCount(replicaSet, MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  const scaled = before === 0 ? size : (size * (desired + maxSurge(deployment))) / before;
  const fraction = desired === 0 ? -size : Math.round(scaled) - size;
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

/** The rollout is complete: the new ReplicaSet has all replicas, and they are available. */
function isSaturated(deployment: Deployment, current: ReplicaSet): boolean {
  const desired = desiredReplicas(deployment);
  const isFull = sizeOf(current) === desired && current.status?.availableReplicas === desired;
  return isFull && annotatedCount(current, DESIRED_REPLICAS) === desired;
}

function annotatedCount({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function changed(replicaSets: readonly ReplicaSet[], size: (replicaSet: ReplicaSet) => number): Scaling[] {
  const steps = replicaSets.map((replicaSet) => ({ replicaSet, replicas: size(replicaSet) }));
  return steps.filter(({ replicaSet, replicas }) => replicas !== sizeOf(replicaSet));
}
