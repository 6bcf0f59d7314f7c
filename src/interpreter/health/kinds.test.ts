import { describe, expect, test } from "vitest";
import type { Health } from "../types.ts";
import { available, cases, condition, judge } from "./testing.ts";

const replicas = (
  desired: number,
  updated: number,
  ready: number,
  available_: number,
): NonNullable<Health["replicas"]> => ({
  desired,
  updated,
  ready,
  available: available_,
});

cases("apps/v1 ReplicaSet", [
  {
    name: "nobody has seen it",
    spec: { replicas: 2 },
    want: { state: "Progressing", reason: "RolloutPending", replicas: replicas(2, 0, 0, 0) },
  },
  {
    name: "settled",
    spec: { replicas: 2 },
    status: { observedGeneration: 2, replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
    want: { state: "Available", replicas: replicas(2, 2, 2, 2) },
  },
  {
    name: "pods of an earlier template serve as well",
    spec: { replicas: 2 },
    status: { observedGeneration: 2, replicas: 2, fullyLabeledReplicas: 1, readyReplicas: 2, availableReplicas: 2 },
    want: { state: "Available", replicas: replicas(2, 1, 2, 2) },
  },
  {
    name: "too few ready",
    spec: { replicas: 2 },
    status: { observedGeneration: 2, replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 1, availableReplicas: 1 },
    want: { state: "Progressing", reason: "PodsNotReady", replicas: replicas(2, 2, 1, 1) },
  },
  {
    name: "pods are refused and none serves",
    spec: { replicas: 2 },
    status: {
      observedGeneration: 2,
      replicas: 0,
      conditions: [condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota: q")],
    },
    want: { state: "Failed", reason: "QuotaExceeded", replicas: replicas(2, 0, 0, 0) },
  },
  {
    name: "pods are refused and one serves",
    spec: { replicas: 2 },
    status: {
      observedGeneration: 2,
      replicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      conditions: [condition("ReplicaFailure", "True", "FailedCreate", "denied")],
    },
    want: { state: "Degraded", reason: "ReplicaFailure", replicas: replicas(2, 1, 1, 1) },
  },
  {
    name: "all are there, in spite of an earlier refusal",
    spec: { replicas: 1 },
    status: {
      observedGeneration: 2,
      replicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      conditions: [condition("ReplicaFailure", "True", "FailedCreate", "denied")],
    },
    want: { state: "Available", replicas: replicas(1, 1, 1, 1) },
  },
]);

const containers = (state: object, more = {}): object => ({ containerStatuses: [{ name: "web", state, ...more }] });
const ready = (status: string): object => ({ conditions: [condition("Ready", status)] });

cases("v1 Pod", [
  { name: "nobody has seen it", want: { state: "Progressing", reason: "NoReport" } },
  {
    name: "waits for its node",
    status: { phase: "Pending" },
    want: { state: "Progressing", reason: "PodsNotReady", message: "the pod has not started yet" },
  },
  {
    name: "no node takes it",
    status: { phase: "Pending", conditions: [condition("PodScheduled", "False", "Unschedulable", "no node is left")] },
    want: { state: "Progressing", reason: "Unschedulable", message: "pods: no node is left" },
  },
  {
    name: "its image cannot be pulled",
    status: { phase: "Pending", ...containers({ waiting: { reason: "ErrImagePull", message: "not found" } }) },
    want: { state: "Progressing", reason: "ImagePullBackOff", message: "container web: not found" },
  },
  { name: "runs and is ready", status: { phase: "Running", ...ready("True") }, want: available },
  {
    name: "runs and is not ready",
    status: { phase: "Running", ...ready("False") },
    want: { state: "Progressing", reason: "PodsNotReady", message: "not all of its containers are ready" },
  },
  {
    name: "ends again and again",
    status: {
      phase: "Running",
      ...ready("False"),
      ...containers({ waiting: { reason: "CrashLoopBackOff" } }, { lastState: { terminated: { exitCode: 1 } } }),
    },
    want: { state: "Degraded", reason: "CrashLoopBackOff", message: "container web: exit code 1, again and again" },
  },
  {
    name: "is to come to an end and runs",
    spec: { restartPolicy: "Never" },
    status: { phase: "Running", ...ready("True") },
    want: { state: "Progressing", reason: "PodRunning", serves: "Now" },
  },
  {
    name: "is to come to an end and is not ready",
    spec: { restartPolicy: "OnFailure" },
    status: { phase: "Running", ...ready("False") },
    want: { state: "Progressing", reason: "PodRunning" },
  },
  {
    name: "has come to a good end",
    spec: { restartPolicy: "OnFailure" },
    status: { phase: "Succeeded" },
    want: available,
  },
  {
    name: "has ended and was to run on",
    spec: { restartPolicy: "Always" },
    status: { phase: "Succeeded" },
    want: { state: "Failed", reason: "PodFailed", message: "the pod has ended, and was to run on" },
  },
  {
    name: "was put off its node",
    status: { phase: "Failed", reason: "Evicted", message: "the node was low on memory" },
    want: { state: "Failed", reason: "Evicted", message: "the node was low on memory" },
  },
  {
    name: "has failed without a word",
    spec: { restartPolicy: "Never" },
    status: { phase: "Failed" },
    want: { state: "Failed", reason: "PodFailed", message: "a container of the pod failed" },
  },
  { name: "its node is lost", status: { phase: "Unknown" }, want: { state: "Unknown", reason: "NodeLost" } },
]);

cases("policy/v1 PodDisruptionBudget", [
  { name: "nobody has seen it", want: { state: "Progressing", reason: "RolloutPending" } },
  {
    name: "of an older generation",
    status: { observedGeneration: 1 },
    want: { state: "Progressing", reason: "RolloutPending" },
  },
  {
    name: "counted, with fewer pods than it protects",
    status: { observedGeneration: 2, conditions: [condition("DisruptionAllowed", "False", "InsufficientPods")] },
    want: available,
  },
  {
    name: "its pods cannot be counted",
    status: { observedGeneration: 2, conditions: [condition("DisruptionAllowed", "False", "SyncFailed", "no scale")] },
    want: { state: "Degraded", reason: "SyncFailed", message: "no scale" },
  },
]);

const able = condition("AbleToScale", "True", "ReadyForNewScale");
cases("autoscaling/v2 HorizontalPodAutoscaler", [
  { name: "nobody has seen it", want: { state: "Progressing", reason: "NoReport" } },
  {
    name: "of an older generation",
    status: { observedGeneration: 1, conditions: [able] },
    want: { state: "Progressing", reason: "RolloutPending" },
  },
  {
    name: "scales, at its limit",
    status: {
      conditions: [able, condition("ScalingActive", "True"), condition("ScalingLimited", "True", "TooManyReplicas")],
    },
    want: available,
  },
  {
    name: "there is nothing to scale",
    status: { conditions: [able, condition("ScalingActive", "False", "ScalingDisabled")] },
    want: available,
  },
  {
    name: "has no metrics",
    status: { conditions: [able, condition("ScalingActive", "False", "FailedGetResourceMetric", "no metrics")] },
    want: { state: "Degraded", reason: "FailedGetResourceMetric", message: "no metrics" },
  },
  {
    name: "finds no workload",
    status: { conditions: [condition("AbleToScale", "False", "FailedGetScale", "not found")] },
    want: { state: "Degraded", reason: "FailedGetScale", message: "not found" },
  },
  {
    name: "does not know yet",
    status: { conditions: [able, condition("ScalingActive", "Unknown")] },
    want: { state: "Progressing", reason: "NotScalingActive" },
  },
]);

cases("autoscaling/v1 HorizontalPodAutoscaler", [
  {
    name: "a version that shows no conditions",
    status: { currentReplicas: 2, desiredReplicas: 2 },
    want: { state: "Unknown", reason: "NoReport" },
  },
]);

const accepted = condition("NamesAccepted", "True");
const established = condition("Established", "True");
cases("apiextensions.k8s.io/v1 CustomResourceDefinition", [
  { name: "nobody has seen it", want: { state: "Progressing", reason: "NoReport" } },
  {
    name: "half reported",
    status: { conditions: [accepted] },
    want: { state: "Progressing", reason: "NoReport" },
  },
  { name: "established", status: { conditions: [accepted, established] }, want: available },
  {
    name: "its names are somebody else's",
    status: {
      conditions: [
        condition("NamesAccepted", "False", "PluralConflict", '"widgets" is already in use'),
        condition("Established", "False", "NotAccepted"),
      ],
    },
    want: { state: "Failed", reason: "PluralConflict", message: '"widgets" is already in use' },
  },
  {
    name: "being installed",
    status: { conditions: [accepted, condition("Established", "False", "Installing", "the initial names")] },
    want: { state: "Progressing", reason: "RollingOut", message: "the initial names" },
  },
  {
    name: "its objects are being deleted",
    status: { conditions: [accepted, established, condition("Terminating", "True", "InstanceDeletionInProgress")] },
    want: { state: "Progressing", reason: "InstanceDeletionInProgress" },
  },
  {
    name: "with a schema that the server cannot use",
    status: { conditions: [accepted, established, condition("NonStructuralSchema", "True", "Violations", "spec")] },
    want: { state: "Degraded", reason: "Violations", message: "spec" },
  },
]);

describe("a kind without a word on its health", () => {
  test.each([
    "v1 ConfigMap",
    "v1 Secret",
    "v1 ServiceAccount",
    "v1 LimitRange",
    "v1 ResourceQuota",
    "rbac.authorization.k8s.io/v1 ClusterRole",
    "rbac.authorization.k8s.io/v1 RoleBinding",
    "networking.k8s.io/v1 NetworkPolicy",
    "networking.k8s.io/v1 IngressClass",
    "scheduling.k8s.io/v1 PriorityClass",
    "storage.k8s.io/v1 StorageClass",
    "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration",
    "apps/v1 ControllerRevision",
    "coordination.k8s.io/v1 Lease",
  ])("%s is available as soon as it is there, and not while it goes", (kind) => {
    expect(judge(kind, {})).toEqual({ state: "Available" });
    const metadata = { deletionTimestamp: "2026-11-22T10:00:00Z" };
    expect(judge(kind, { metadata })).toMatchObject({ state: "Progressing", reason: "Terminating" });
  });

  test.each(["example.com/v1 ConfigMap", "example.com/v1 Role"])("%s is another kind of that name", (kind) => {
    expect(judge(kind, {})).toMatchObject({ state: "Unknown", reason: "NoReport" });
  });
});
