import { type Deployment, type ReplicaSet, scaledValue } from "../shared/index.ts";

/** What Go's MaxInt32 stands for in a spec: no limit. */
const UNLIMITED = 2_147_483_647;

export function desiredReplicas({ spec }: Deployment): number {
  return spec.replicas ?? 1;
}

/** Of a ReplicaSet's spec. */
export function sizeOf({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}

/**
 * Pods that are available, as far as it is known: a set that was made smaller a moment ago still reports the pods it had, and must
 * not be counted with more than it may keep.
 */
export function availableIn(replicaSet: ReplicaSet): number {
  return Math.min(replicaSet.status?.availableReplicas ?? 0, sizeOf(replicaSet));
}

export function total(replicaSets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number): number {
  return replicaSets.reduce((sum, replicaSet) => sum + count(replicaSet), 0);
}

export function isRollingUpdate({ spec }: Deployment): boolean {
  return (spec.strategy?.type ?? "RollingUpdate") === "RollingUpdate";
}

/** Pods above the desired number that a rollout may have. */
export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;
}

/** Pods below the desired number that a rollout may be short of. */
export function maxUnavailable(deployment: Deployment): number {
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment) || desired === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, desired);
}

/** Percentages may both come to nothing, and then a rollout could not move. */
function fenceposts(deployment: Deployment): { surge: number; unavailable: number } {
  const desired = desiredReplicas(deployment);
  const { maxSurge: above, maxUnavailable: below } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(above, desired, true);
  const unavailable = scaledValue(below, desired, false);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

/** Seconds; undefined when progress is not watched. */
export function progressDeadline({ spec }: Deployment): number | undefined {
  return spec.progressDeadlineSeconds === UNLIMITED ? undefined : spec.progressDeadlineSeconds;
}

export function historyLimit({ spec }: Deployment): number | undefined {
  return spec.revisionHistoryLimit === UNLIMITED ? undefined : spec.revisionHistoryLimit;
}
