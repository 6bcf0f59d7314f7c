import { type KubeObject, pointOf, type ReplicaCounts, valueAt } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { type Fields, fieldsOf, numberOf } from "../values.ts";
import {
  available,
  conditionOf,
  count,
  health,
  isBehind,
  pending,
  type ReportedCondition,
  share,
  statusOf,
} from "./report.ts";

/** Health of the kinds that run replicas of a pod. */

/** The server's default is 1. */
export function askedReplicas(object: KubeObject): number {
  return numberOf(fieldsOf(object["spec"])["replicas"]) ?? 1;
}

function countsIn(status: Fields, desired: number): ReplicaCounts {
  return {
    desired,
    updated: count(status, "updatedReplicas"),
    ready: count(status, "readyReplicas"),
    available: count(status, "availableReplicas"),
  };
}

export function deploymentHealth(object: KubeObject): Health {
  const status = statusOf(object);
  const replicas = countsIn(status, askedReplicas(object));
  const existing = count(status, "replicas");
  const judged = judgeDeployment(object, replicas, existing);
  // The Deployment's own controller knows how many pods may be missing while it replaces pods.
  const reported = conditionOf(object, "Available");
  const serves = reported === undefined ? hasAll(replicas) : reported.status === "True" && replicas.available > 0;
  return withServing({ ...judged, replicas }, serves, isBehind(object) || isReplacing(replicas, existing));
}

/** Old pods still serve, so the object serves its previous state. */
function isReplacing({ desired, updated }: ReplicaCounts, existing: number): boolean {
  return updated < desired || existing > updated;
}

function hasAll({ desired, available: serving }: ReplicaCounts): boolean {
  return serving > 0 && serving >= desired;
}

function withServing(judged: Health, serves: boolean, asBefore: boolean): Health {
  return judged.state === "Available" || !serves ? judged : { ...judged, serves: asBefore ? "Before" : "Now" };
}

function judgeDeployment(object: KubeObject, replicas: ReplicaCounts, existing: number): Health {
  if (isBehind(object)) return pending();
  const progress = judgeProgress(replicas, existing);
  if (progress.state === "Available") return progress;

  const state = replicas.available > 0 ? "Degraded" : "Failed";
  const failure = conditionOf(object, "ReplicaFailure");
  if (failure?.status === "True") return replicaFailure(replicas, failure);
  const progressing = conditionOf(object, "Progressing");
  if (progressing?.status === "False" && progressing.reason === "ProgressDeadlineExceeded") {
    return health(state, "ProgressDeadlineExceeded", progressing.message);
  }
  if (fieldsOf(object["spec"])["paused"] === true && replicas.updated < replicas.desired) {
    return health("Progressing", "DeploymentPaused", share(replicas.updated, replicas.desired, "updated"));
  }
  return progress;
}

/** For a controller that replaces pods and then waits. `existing` counts old pods too. */
function judgeProgress({ desired, updated, ready, available: serving }: ReplicaCounts, existing: number): Health {
  if (updated < desired) return health("Progressing", "RollingOut", share(updated, desired, "updated"));
  if (existing > updated) {
    const old = existing - updated;
    return health("Progressing", "RollingOut", `${old} old ${old === 1 ? "replica is" : "replicas are"} still there`);
  }
  if (existing > desired)
    return health(
      "Progressing",
      "RollingOut",
      `${existing} ${existing === 1 ? "replica is" : "replicas are"} there, ${desired} asked for`,
    );
  if (ready < desired) return health("Progressing", "PodsNotReady", share(ready, desired, "ready"));
  if (serving < desired) return health("Progressing", "PodsNotReady", share(serving, desired, "available"));
  return available;
}

export function statefulSetHealth(object: KubeObject): Health {
  const status = statusOf(object);
  const replicas = countsIn(status, askedReplicas(object));
  if (isBehind(object)) return withServing({ ...pending(), replicas }, hasAll(replicas), true);
  const existing = count(status, "replicas");
  const strategy = fieldsOf(valueAt(object, ["spec", "updateStrategy"]));
  // OnDelete waits for people, and a partition keeps the pods of lower ordinals, so fewer pods have to be updated.
  const partition = numberOf(fieldsOf(strategy["rollingUpdate"])["partition"]) ?? 0;
  const toUpdate = strategy["type"] === "OnDelete" ? 0 : Math.max(0, replicas.desired - partition);
  if (replicas.updated < toUpdate) {
    const rolling = health("Progressing", "RollingOut", share(replicas.updated, toUpdate, "updated"));
    return withServing({ ...rolling, replicas }, hasAll(replicas), true);
  }
  const judged = judgeProgress({ ...replicas, updated: existing }, existing);
  return withServing({ ...judged, replicas }, hasAll(replicas), false);
}

export function daemonSetHealth(object: KubeObject): Health {
  const status = statusOf(object);
  const desired = count(status, "desiredNumberScheduled");
  const replicas: ReplicaCounts = {
    desired,
    updated: count(status, "updatedNumberScheduled"),
    ready: count(status, "numberReady"),
    available: count(status, "numberAvailable"),
  };
  if (isBehind(object)) return withServing({ ...pending(), replicas }, hasAll(replicas), true);
  const onDelete = valueAt(object, ["spec", "updateStrategy", "type"]) === "OnDelete";
  const updated = onDelete ? desired : replicas.updated;
  const judged = judgeProgress({ ...replicas, updated }, updated);
  return withServing({ ...judged, replicas }, hasAll(replicas), updated < desired);
}

/**
 * Also for a ReplicationController. Neither replaces its pods: at most, older pods lack a label of the present
 * template.
 */
export function replicaSetHealth(object: KubeObject): Health {
  const status = statusOf(object);
  const existing = count(status, "replicas");
  const updated = numberOf(status["fullyLabeledReplicas"]) ?? existing;
  const replicas = { ...countsIn(status, askedReplicas(object)), updated };
  if (isBehind(object)) return withServing({ ...pending(), replicas }, hasAll(replicas), true);
  const progress = judgeProgress({ ...replicas, updated: existing }, existing);
  const failure = conditionOf(object, "ReplicaFailure");
  if (progress.state === "Available" || failure?.status !== "True")
    return withServing({ ...progress, replicas }, hasAll(replicas), false);
  return withServing({ ...replicaFailure(replicas, failure), replicas }, hasAll(replicas), false);
}

function replicaFailure({ available: serving }: ReplicaCounts, { message }: ReportedCondition): Health {
  const reason = /exceeded quota/i.test(message) ? "QuotaExceeded" : "ReplicaFailure";
  return health(serving > 0 ? "Degraded" : "Failed", reason, pointOf(message));
}
