import { type Deployment, type ReplicaSet, scaledValue } from "../shared/index.ts";

/** Go's MaxInt32 in a spec means no limit. */
const UNLIMITED = 2_147_483_647;

export function desiredReplicas({ spec }: Deployment): number {
  return spec.replicas ?? 1;
}

/** The replicas in a ReplicaSet's spec. */
export function sizeOf({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}

/** Available pods of a ReplicaSet, at most its size. A set that was just scaled down still reports its former pods. */
export function availableIn(replicaSet: ReplicaSet): number {
  return Math.min(replicaSet.status?.availableReplicas ?? 0, sizeOf(replicaSet));
}

export function total(replicaSets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number): number {
  return replicaSets.reduce((sum, replicaSet) => sum + count(replicaSet), 0);
}

export function isRollingUpdate({ spec }: Deployment): boolean {
  return (spec.strategy?.type ?? "RollingUpdate") === "RollingUpdate";
}

/** Maximum number of pods above the desired number. */
export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;
}

/** Maximum number of pods below the desired number. */
export function maxUnavailable(deployment: Deployment): number {
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment) || desired === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, desired);
}

/** If both percentages round to 0, one pod may be unavailable, because the rollout could not proceed otherwise. */
function fenceposts(deployment: Deployment): { surge: number; unavailable: number } {
  const desired = desiredReplicas(deployment);
  const { maxSurge: above, maxUnavailable: below } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(above, desired, true);
  const unavailable = scaledValue(below, desired, false);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

/** In seconds; undefined if progress has no deadline. */
export function progressDeadline({ spec }: Deployment): number | undefined {
  return spec.progressDeadlineSeconds === UNLIMITED ? undefined : spec.progressDeadlineSeconds;
}

export function historyLimit({ spec }: Deployment): number | undefined {
  return spec.revisionHistoryLimit === UNLIMITED ? undefined : spec.revisionHistoryLimit;
}
