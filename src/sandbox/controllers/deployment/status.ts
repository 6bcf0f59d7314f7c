import { defined } from "../../../apis/index.ts";
import { type Deployment, type DeploymentStatus, type ReplicaSet, type WorkloadCondition } from "../shared/index.ts";
import { timestamp } from "../../timestamp.ts";
import { positive } from "../replicaSet.ts";
import { desiredReplicas, maxUnavailable, progressDeadline, sizeOf, total } from "./limits.ts";

type Conditions = readonly WorkloadCondition[];

/** A new condition with the current time. */
export function condition(
  type: string,
  status: string,
  reason: string,
  message: string,
  now: number,
): WorkloadCondition {
  const time = timestamp(now);
  return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message };
}

export function conditionOf(conditions: Conditions, type: string): WorkloadCondition | undefined {
  return conditions.find((known) => known.type === type);
}

/**
 * Appends the wanted condition, unless the known one has the same status and reason. lastTransitionTime changes only
 * with the status.
 */
export function withCondition(conditions: Conditions, wanted: WorkloadCondition): Conditions {
  const known = conditionOf(conditions, wanted.type);
  if (known?.status === wanted.status && known.reason === wanted.reason) return conditions;
  const { lastTransitionTime } = known?.status === wanted.status ? known : wanted;
  return [...without(conditions, wanted.type), { ...wanted, lastTransitionTime }];
}

function without(conditions: Conditions, type: string): Conditions {
  return conditions.filter((known) => known.type !== type);
}

/**
 * Sets the condition of a paused or resumed Deployment, so that the pause does not count towards the progress deadline.
 */
export function withPause(deployment: Deployment, conditions: Conditions, now: number): Conditions {
  if (progressDeadline(deployment) === undefined) return conditions;
  const known = conditionOf(conditions, "Progressing");
  if (known?.reason === "ProgressDeadlineExceeded") return conditions;
  const isKnown = known?.reason === "DeploymentPaused";
  const isPaused = deployment.spec.paused === true;
  if (isPaused === isKnown) return conditions;
  const [reason, message] = isPaused
    ? (["DeploymentPaused", "Deployment is paused"] as const)
    : (["DeploymentResumed", "Deployment is resumed"] as const);
  return withCondition(conditions, condition("Progressing", "Unknown", reason, message, now));
}

/** The status computed from the ReplicaSets; `conditions`: the known ones. */
export function deploymentStatus(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  conditions: Conditions,
  now: number,
): DeploymentStatus {
  const all = current === undefined ? old : [...old, current];
  const available = total(all, ({ status }) => status?.availableReplicas ?? 0);
  const collisionCount = deployment.status?.collisionCount;
  const isAvailable = available >= desiredReplicas(deployment) - maxUnavailable(deployment);
  const availability = isAvailable
    ? condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", now)
    : condition(
        "Available",
        "False",
        "MinimumReplicasUnavailable",
        "Deployment does not have minimum availability.",
        now,
      );
  return {
    ...positive("observedGeneration", deployment.metadata.generation ?? 0),
    ...positive(
      "replicas",
      total(all, ({ status }) => status?.replicas ?? 0),
    ),
    ...positive("updatedReplicas", current?.status?.replicas ?? 0),
    ...positive(
      "readyReplicas",
      total(all, ({ status }) => status?.readyReplicas ?? 0),
    ),
    ...positive("availableReplicas", available),
    ...positive("unavailableReplicas", Math.max(0, total(all, sizeOf) - available)),
    ...terminating(all),
    ...defined({ collisionCount }),
    conditions: withCondition(conditions, availability),
  };
}

/** Undefined if a ReplicaSet that has a status reports no terminatingReplicas. */
function terminating(replicaSets: readonly ReplicaSet[]): { terminatingReplicas?: number } {
  let sum = 0;
  for (const { status } of replicaSets) {
    if (status?.terminatingReplicas !== undefined) sum += status.terminatingReplicas;
    else if ((status?.observedGeneration ?? 0) > 0) return {};
  }
  return { terminatingReplicas: sum };
}

/** Like {@link deploymentStatus}, with the Progressing and ReplicaFailure conditions of a running rollout. */
export function rolloutStatus(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  known: Conditions,
  now: number,
): DeploymentStatus {
  const status = deploymentStatus(deployment, current, old, known, now);
  const progress = progressOf(deployment, current, status, now);
  const all = current === undefined ? old : [current, ...old];
  const failure = all.map((set) => conditionOf(set.status?.conditions ?? [], "ReplicaFailure")).find(Boolean);
  const conditions =
    failure === undefined
      ? without(progress, "ReplicaFailure")
      : withCondition(progress, { ...failure, lastUpdateTime: failure.lastTransitionTime });
  return { ...status, conditions };
}

function progressOf(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  status: DeploymentStatus,
  now: number,
): Conditions {
  const conditions = status.conditions ?? [];
  if (progressDeadline(deployment) === undefined) return without(conditions, "Progressing");
  const known = conditionOf(conditions, "Progressing");
  const isSettled =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && known?.reason === "NewReplicaSetAvailable";
  if (isSettled) return conditions;

  const subject =
    current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return withCondition(conditions, condition("Progressing", "True", "NewReplicaSetAvailable", message, now));
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    const progressing = condition("Progressing", "True", "ReplicaSetUpdated", `${subject} is progressing.`, now);
    // lastUpdateTime changes with every progress, although status and reason stay the same.
    const { lastTransitionTime } = known?.status === "True" ? known : progressing;
    return [...without(conditions, "Progressing"), { ...progressing, lastTransitionTime }];
  }
  const deadline = deadlineOf(deployment, known);
  if (known?.reason === "ProgressDeadlineExceeded" || (deadline !== undefined && deadline < now)) {
    const message = `${subject} has timed out progressing.`;
    return withCondition(conditions, condition("Progressing", "False", "ProgressDeadlineExceeded", message, now));
  }
  return conditions;
}

export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const desired = desiredReplicas(deployment);
  return (
    (status.updatedReplicas ?? 0) === desired &&
    (status.replicas ?? 0) === desired &&
    (status.availableReplicas ?? 0) === desired &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const oldPods = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    oldPods(after) < oldPods(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

/** The progress deadline in milliseconds since 1970. */
function deadlineOf(deployment: Deployment, known: WorkloadCondition | undefined): number | undefined {
  const seconds = progressDeadline(deployment);
  if (seconds === undefined || known?.lastUpdateTime === undefined) return undefined;
  if (known.reason === "NewReplicaSetAvailable") return undefined;
  return Date.parse(known.lastUpdateTime) + seconds * 1000;
}

/** Milliseconds until the progress deadline passes; undefined without a deadline to watch. */
export function untilDeadline(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const known = conditionOf(status.conditions ?? [], "Progressing");
  if (isComplete(deployment, status) || known?.reason === "ProgressDeadlineExceeded") return undefined;
  const deadline = deadlineOf(deployment, known);
  // Times are in whole seconds. One second more makes sure that the deadline has passed.
  return deadline === undefined ? undefined : Math.max(0, deadline - now) + 1000;
}
