import { describe, expect, test } from "vitest";
import type { Health } from "../types.ts";
import { condition, judge } from "./testing.ts";

interface Case {
  name: string;
  metadata?: object;
  spec?: object;
  status?: object;
  want: Partial<Health>;
}

/** Each case with what must be the whole answer, but for a message that it does not name. */
function cases(kind: string, list: readonly Case[]): void {
  test.each(list)(`${kind}: $name`, ({ name: _, want, ...parts }) => {
    const { message, ...found } = judge(kind, parts);
    expect({ ...found, ...(want.message === undefined ? {} : { message }) }).toEqual(want);
  });
}

const available: Partial<Health> = { state: "Available" };

cases("batch/v1 CronJob", [
  { name: "just applied", want: available },
  { name: "suspended, as was asked for", spec: { suspend: true }, status: {}, want: available },
  {
    name: "never due until now",
    status: { lastScheduleTime: undefined },
    want: available,
  },
  {
    name: "the first run is under way",
    status: { lastScheduleTime: "2026-11-22T10:00:00Z", active: [{ name: "x-1" }] },
    want: available,
  },
  {
    name: "a later run is under way after one that failed",
    status: {
      lastScheduleTime: "2026-11-22T10:10:00Z",
      lastSuccessfulTime: "2026-11-22T09:50:00Z",
      active: [{ name: "x-2" }],
    },
    want: available,
  },
  {
    name: "the last run succeeded",
    status: { lastScheduleTime: "2026-11-22T10:00:00Z", lastSuccessfulTime: "2026-11-22T10:00:07Z" },
    want: available,
  },
  {
    name: "the last run succeeded within the second in which it began",
    status: { lastScheduleTime: "2026-11-22T10:00:00Z", lastSuccessfulTime: "2026-11-22T10:00:00Z", active: [] },
    want: available,
  },
  {
    name: "the last run failed, one before it succeeded",
    status: { lastScheduleTime: "2026-11-22T10:10:00Z", lastSuccessfulTime: "2026-11-22T10:00:07Z" },
    want: {
      state: "Degraded",
      reason: "LastRunFailed",
      message: "the run of 2026-11-22T10:10:00Z failed; the last success was before it",
      serves: "Now",
    },
  },
  {
    name: "no run has ever succeeded",
    status: { lastScheduleTime: "2026-11-22T10:10:00Z", active: [] },
    want: {
      state: "Degraded",
      reason: "LastRunFailed",
      message: "the run of 2026-11-22T10:10:00Z failed; none has succeeded yet",
      serves: "Now",
    },
  },
  { name: "a time that nobody can read", status: { lastScheduleTime: "soon" }, want: available },
  {
    name: "on its way out",
    metadata: { deletionTimestamp: "2026-11-22T10:00:00Z" },
    want: { state: "Progressing", reason: "Terminating" },
  },
]);

cases("batch/v1 Job", [
  {
    name: "complete, also where it is suspended afterwards",
    spec: { suspend: true },
    status: { startTime: "x", conditions: [condition("Complete", "True")] },
    want: available,
  },
  {
    name: "its criteria are met, its pods are still ending",
    status: { startTime: "x", active: 1, succeeded: 2, conditions: [condition("SuccessCriteriaMet", "True")] },
    want: { state: "Progressing", reason: "JobRunning", message: "1 active, 2 succeeded" },
  },
  {
    name: "failed for the reason that its controller gives",
    status: {
      conditions: [condition("Failed", "True", "DeadlineExceeded", "Job was active longer than specified deadline")],
    },
    want: {
      state: "Failed",
      reason: "DeadlineExceeded",
      message: "Job was active longer than specified deadline",
    },
  },
]);

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

const balancer = (...ingress: object[]): object => ({ loadBalancer: { ingress } });

cases("v1 Service", [
  { name: "inside of the cluster", spec: { type: "ClusterIP" }, want: available },
  { name: "without a word on its type", spec: {}, want: available },
  { name: "headless", spec: { clusterIP: "None" }, want: available },
  { name: "a name elsewhere", spec: { type: "ExternalName" }, want: available },
  {
    name: "a load balancer that is not there yet",
    spec: { type: "LoadBalancer" },
    status: { loadBalancer: {} },
    want: { state: "Progressing", reason: "LoadBalancerPending" },
  },
  {
    name: "a load balancer with a name",
    spec: { type: "LoadBalancer" },
    status: balancer({ hostname: "a.elb.example.com" }),
    want: available,
  },
  {
    name: "a load balancer that has no room for a port",
    spec: { type: "LoadBalancer" },
    status: balancer({ ip: "1.2.3.4", ports: [{ port: 80 }, { port: 443, error: "example.com/PortInUse" }] }),
    want: { state: "Degraded", reason: "PortInUse", message: "port 443: example.com/PortInUse", serves: "Now" },
  },
  {
    name: "ports that cannot be mixed",
    spec: { type: "LoadBalancer" },
    status: {
      ...balancer({ ip: "1.2.3.4" }),
      conditions: [condition("LoadBalancerPortsError", "True", "MixedProtocolNotSupported", "no")],
    },
    want: { state: "Degraded", reason: "MixedProtocolNotSupported", message: "no", serves: "Now" },
  },
]);

cases("networking.k8s.io/v1 Ingress", [
  { name: "just applied, and nobody ever writes an address", want: available },
  { name: "with an address", status: balancer({ ip: "1.2.3.4" }), want: available },
  {
    name: "with a port that the load balancer refuses",
    status: balancer({ ip: "1.2.3.4", ports: [{ port: 443, error: "CertificateMissing" }] }),
    want: { state: "Degraded", reason: "CertificateMissing", serves: "Now" },
  },
]);

cases("v1 PersistentVolumeClaim", [
  { name: "nobody has seen it", want: { state: "Progressing", reason: "NoReport" } },
  {
    name: "waits for a volume, or with WaitForFirstConsumer for a pod",
    status: { phase: "Pending" },
    want: {
      state: "Progressing",
      reason: "VolumePending",
      message: "it has no volume yet; some storage classes wait for a pod that uses it",
    },
  },
  {
    name: "bound",
    spec: { resources: { requests: { storage: "1Gi" } } },
    status: { phase: "Bound", capacity: { storage: "1Gi" } },
    want: available,
  },
  { name: "bound, without a word on its size", status: { phase: "Bound" }, want: available },
  {
    name: "bound to more than was asked for",
    spec: { resources: { requests: { storage: "1Gi" } } },
    status: { phase: "Bound", capacity: { storage: "10Gi" } },
    want: available,
  },
  {
    name: "is to grow",
    spec: { resources: { requests: { storage: "2Gi" } } },
    status: { phase: "Bound", capacity: { storage: "1Gi" } },
    want: { state: "Progressing", reason: "VolumeResizing", message: "1Gi of 2Gi are there", serves: "Now" },
  },
  {
    name: "grows, as its controller says",
    spec: { resources: { requests: { storage: "2Gi" } } },
    status: {
      phase: "Bound",
      capacity: { storage: "1Gi" },
      conditions: [condition("FileSystemResizePending", "True", "", "waits for a pod")],
    },
    want: { state: "Progressing", reason: "FileSystemResizePending", message: "waits for a pod", serves: "Now" },
  },
  {
    name: "cannot grow",
    status: { phase: "Bound", conditions: [condition("ControllerResizeError", "True", "", "no room")] },
    want: { state: "Degraded", reason: "ControllerResizeError", message: "no room", serves: "Now" },
  },
  { name: "its volume is gone", status: { phase: "Lost" }, want: { state: "Failed", reason: "VolumeLost" } },
]);

cases("v1 PersistentVolume", [
  { name: "nobody has seen it", want: { state: "Progressing", reason: "NoReport" } },
  {
    name: "not ready to be claimed",
    status: { phase: "Pending" },
    want: { state: "Progressing", reason: "VolumePending" },
  },
  { name: "free", status: { phase: "Available" }, want: available },
  { name: "claimed", status: { phase: "Bound" }, want: available },
  {
    name: "its claim is gone",
    spec: { claimRef: { namespace: "shop", name: "data" } },
    status: { phase: "Released" },
    want: {
      state: "Degraded",
      reason: "VolumeReleased",
      message: "shop/data is gone, and until the volume is reclaimed it serves nobody",
    },
  },
  {
    name: "could not be reclaimed",
    status: { phase: "Failed", message: "the disk is in use" },
    want: { state: "Failed", reason: "VolumeLost", message: "the disk is in use" },
  },
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
    want: { state: "Progressing", reason: "Installing", message: "the initial names" },
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
