import { expect } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";

/** What two members report of an object of each built-in kind, and what stands on the hub in the end. */

export type Status = Record<string, unknown>;

export interface ReportedCase {
  object: KubeObject;
  /** What two members report, one report after the other. */
  reports: (readonly [Status, Status])[];
  /** A part of what stands on the hub after the last one. */
  want: Status;
}

export const T = (seconds: number): string => `2026-11-26T10:00:${String(seconds).padStart(2, "0")}Z`;
export const condition = (type: string, status = "True", more: object = {}): object => ({
  type,
  status,
  reason: "Reported",
  message: "as a member says",
  lastTransitionTime: T(0),
  ...more,
});
const labels = { app: "web" };
export const template = (restartPolicy: string): object => ({
  metadata: { labels },
  spec: { restartPolicy, containers: [{ name: "web", image: "registry.example/web:1" }] },
});
const workload = (kind: string, more: object = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: kind.toLowerCase(), namespace: "default" },
  spec: { selector: { matchLabels: labels }, template: template("Always"), ...more },
});
export const conditions = (...pairs: [string, string][]): object[] =>
  pairs.map(([type, status]) => expect.objectContaining({ type, status }) as object);

export const REPORTED: Record<string, ReportedCase> = {
  "a CronJob": {
    object: {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "nightly", namespace: "default" },
      spec: { schedule: "0 3 * * *", jobTemplate: { spec: { template: template("Never") } } },
    },
    reports: [
      [
        {
          lastScheduleTime: T(1),
          lastSuccessfulTime: T(9),
          active: [{ kind: "Job", name: "nightly-1", namespace: "default" }],
        },
        { lastScheduleTime: T(2), lastSuccessfulTime: T(8) },
      ],
    ],
    want: {
      lastScheduleTime: T(2),
      lastSuccessfulTime: T(9),
      active: [{ kind: "Job", name: "nightly-1", namespace: "default" }],
    },
  },
  "a Deployment": {
    object: workload("Deployment"),
    reports: [
      [
        {
          replicas: 2,
          readyReplicas: 2,
          availableReplicas: 1,
          unavailableReplicas: 1,
          updatedReplicas: 2,
          collisionCount: 2,
          observedGeneration: 7,
          conditions: [condition("Available"), condition("Progressing")],
        },
        {
          replicas: 3,
          readyReplicas: 3,
          availableReplicas: 3,
          updatedReplicas: 3,
          collisionCount: 2,
          observedGeneration: 9,
          conditions: [condition("Available"), condition("Progressing")],
        },
      ],
      [
        {
          replicas: 2,
          readyReplicas: 2,
          availableReplicas: 2,
          updatedReplicas: 2,
          collisionCount: 2,
          observedGeneration: 7,
          conditions: [condition("Available"), condition("Progressing")],
        },
        {
          replicas: 3,
          readyReplicas: 3,
          availableReplicas: 3,
          updatedReplicas: 3,
          observedGeneration: 9,
          conditions: [condition("Available"), condition("Progressing")],
        },
      ],
    ],
    want: {
      replicas: 5,
      readyReplicas: 5,
      availableReplicas: 5,
      updatedReplicas: 5,
      observedGeneration: 1,
      conditions: conditions(["Available", "True"], ["Progressing", "True"]),
    },
  },
  "a ReplicaSet": {
    object: workload("ReplicaSet"),
    reports: [
      [
        { replicas: 2, readyReplicas: 2, availableReplicas: 2, fullyLabeledReplicas: 2 },
        { replicas: 1, fullyLabeledReplicas: 1 },
      ],
    ],
    want: { replicas: 3, readyReplicas: 2, availableReplicas: 2, fullyLabeledReplicas: 3 },
  },
  "a ReplicationController": {
    object: {
      apiVersion: "v1",
      kind: "ReplicationController",
      metadata: { name: "rc", namespace: "default" },
      spec: { selector: labels, template: template("Always") },
    },
    reports: [
      [
        { replicas: 2, readyReplicas: 1 },
        { replicas: 1, readyReplicas: 1 },
      ],
    ],
    want: { replicas: 3, readyReplicas: 2 },
  },
  "a StatefulSet": {
    object: workload("StatefulSet", { serviceName: "db" }),
    reports: [
      [
        {
          replicas: 2,
          readyReplicas: 2,
          availableReplicas: 2,
          currentReplicas: 2,
          updatedReplicas: 2,
          currentRevision: "db-1",
          updateRevision: "db-1",
          collisionCount: 1,
        },
        {
          replicas: 3,
          readyReplicas: 1,
          availableReplicas: 1,
          currentReplicas: 3,
          updatedReplicas: 3,
          currentRevision: "db-7",
          updateRevision: "db-7",
          collisionCount: 0,
        },
      ],
      [
        {
          replicas: 2,
          readyReplicas: 2,
          availableReplicas: 2,
          currentReplicas: 2,
          updatedReplicas: 2,
          currentRevision: "db-1",
          updateRevision: "db-1",
          collisionCount: 0,
        },
        {
          replicas: 3,
          readyReplicas: 3,
          availableReplicas: 3,
          currentReplicas: 3,
          updatedReplicas: 3,
          currentRevision: "db-7",
          updateRevision: "db-7",
          collisionCount: 0,
        },
      ],
    ],
    want: { replicas: 5, readyReplicas: 5, availableReplicas: 5 },
  },
  "a DaemonSet": {
    object: workload("DaemonSet"),
    reports: [
      [
        {
          currentNumberScheduled: 3,
          desiredNumberScheduled: 3,
          numberMisscheduled: 0,
          numberReady: 2,
          numberAvailable: 2,
          numberUnavailable: 1,
          updatedNumberScheduled: 3,
        },
        {
          currentNumberScheduled: 5,
          desiredNumberScheduled: 5,
          numberMisscheduled: 1,
          numberReady: 5,
          numberAvailable: 5,
          updatedNumberScheduled: 5,
        },
      ],
    ],
    want: {
      currentNumberScheduled: 8,
      desiredNumberScheduled: 8,
      numberMisscheduled: 1,
      numberReady: 7,
      numberAvailable: 7,
      numberUnavailable: 1,
    },
  },
  "a PodDisruptionBudget": {
    object: {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "budget", namespace: "default" },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    },
    reports: [
      [
        {
          currentHealthy: 3,
          desiredHealthy: 1,
          expectedPods: 3,
          disruptionsAllowed: 2,
          observedGeneration: 1,
          conditions: [condition("DisruptionAllowed")],
        },
        {
          currentHealthy: 1,
          desiredHealthy: 1,
          expectedPods: 2,
          disruptionsAllowed: 0,
          observedGeneration: 4,
          disruptedPods: { "web-1": T(3) },
          conditions: [condition("DisruptionAllowed", "False")],
        },
      ],
    ],
    want: {
      currentHealthy: 4,
      desiredHealthy: 2,
      expectedPods: 5,
      disruptionsAllowed: 2,
      conditions: conditions(["DisruptionAllowed", "True"]),
    },
  },
  "a HorizontalPodAutoscaler": {
    object: {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "scaler", namespace: "default" },
      spec: { maxReplicas: 9, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
    },
    reports: [
      [
        {
          currentReplicas: 2,
          desiredReplicas: 3,
          lastScaleTime: T(7),
          currentMetrics: [
            { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 50, averageValue: "50m" } } },
          ],
          conditions: [condition("AbleToScale"), condition("ScalingLimited", "False")],
        },
        {
          currentReplicas: 4,
          desiredReplicas: 4,
          lastScaleTime: T(3),
          currentMetrics: null,
          conditions: [condition("AbleToScale"), condition("ScalingLimited", "True")],
        },
      ],
    ],
    want: {
      currentReplicas: 6,
      desiredReplicas: 7,
      lastScaleTime: T(7),
      conditions: expect.arrayContaining(conditions(["AbleToScale", "True"])) as unknown,
    },
  },
  "a Service": {
    object: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web", namespace: "default" },
      spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
    },
    reports: [
      [
        { loadBalancer: { ingress: [{ ip: "192.0.2.2", ipMode: "VIP" }] } },
        { loadBalancer: { ingress: [{ ip: "192.0.2.1", ipMode: "VIP" }] } },
      ],
    ],
    want: {
      loadBalancer: {
        ingress: [
          { ip: "192.0.2.1", ipMode: "VIP" },
          { ip: "192.0.2.2", ipMode: "VIP" },
        ],
      },
    },
  },
  "an Ingress": {
    object: {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { name: "web", namespace: "default" },
      spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } },
    },
    reports: [
      [
        { loadBalancer: { ingress: [{ hostname: "b.example", ports: [{ port: 80, protocol: "TCP" }] }] } },
        { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
      ],
    ],
    want: { loadBalancer: { ingress: expect.arrayContaining([{ ip: "192.0.2.1" }]) as unknown } },
  },
  "a PersistentVolumeClaim": {
    object: {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", namespace: "default" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    reports: [
      [{ phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } }, { phase: "Pending" }],
      [
        { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } },
        { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } },
      ],
      [{ phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } }, { phase: "Lost" }],
    ],
    want: { phase: "Lost" },
  },
  "a PersistentVolume": {
    object: {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "disk" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        csi: { driver: "csi.example", volumeHandle: "disk" },
      },
    },
    reports: [
      [
        { phase: "Bound", lastPhaseTransitionTime: T(1) },
        { phase: "Available", lastPhaseTransitionTime: T(4) },
      ],
    ],
    want: { phase: "Available" },
  },
  "a ResourceClaim": {
    object: {
      apiVersion: "resource.k8s.io/v1",
      kind: "ResourceClaim",
      metadata: { name: "gpu", namespace: "default" },
      spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example" } }] } },
    },
    reports: [
      [
        {
          allocation: {
            devices: { results: [{ request: "gpu", driver: "gpu.example", pool: "node-1", device: "0" }] },
          },
          reservedFor: [{ resource: "pods", name: "web", uid: "one" }],
        },
        {},
      ],
    ],
    want: {},
  },
  "a Pod": {
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "default" },
      spec: { containers: [{ name: "web", image: "registry.example/web:1" }] },
    },
    reports: [
      [podStatus("10.0.0.1", 5), podStatus("10.0.0.1", 3)],
      [podStatus("10.0.0.1", 5), { ...podStatus("10.1.0.1", 3), phase: "Failed" }],
    ],
    want: { phase: "Failed", startTime: T(3) },
  },
};

function podStatus(podIP: string, start: number): Status {
  const state = { running: { startedAt: T(start) } };
  const container = {
    name: "web",
    image: "registry.example/web:1",
    imageID: "",
    ready: true,
    restartCount: 0,
    started: true,
    state,
    lastState: {},
  };
  return {
    phase: "Running",
    hostIP: "192.0.2.9",
    hostIPs: [{ ip: "192.0.2.9" }],
    podIP,
    podIPs: [{ ip: podIP }, { ip: `fd00::${start}` }],
    startTime: T(start),
    qosClass: "BestEffort",
    containerStatuses: [container],
    conditions: [condition("Ready"), condition("ContainersReady")],
  };
}
