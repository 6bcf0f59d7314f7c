import type { ClusterStatusEntry, Condition, KubeObject } from "../../apis/index.ts";
import type { ClusterReport, ObjectReport } from "../view/statusView.ts";

/** Objects and clusters of a hub as their statuses show them. */

export function condition(type: string, status: Condition["status"], reason = `${type}Fine`, message = ""): Condition {
  return { type, status, reason, message, lastTransitionTime: "2026-11-21T08:25:00Z" };
}

/** The conditions that had to be true before the condition Ready existed. */
export const fine = ["Scheduled", "Applied", "Available", "Fresh"].map((type) => condition(type, "True"));

export function entry(
  name: string,
  state: ClusterStatusEntry["state"],
  count: number,
  more: Partial<ClusterStatusEntry> = {},
): ClusterStatusEntry {
  const ready = state === "Available" ? count : 0;
  return {
    name,
    state,
    region: `r-${name}`,
    replicas: { desired: count, updated: count, ready, available: ready },
    observedAt: "2026-11-21T08:29:50Z",
    ...more,
  };
}

export function app(
  name: string,
  conditions: Condition[] | undefined,
  clusters: ClusterStatusEntry[] = [],
  more: Partial<KubeObject["metadata"]> = {},
  generation = 1,
): KubeObject {
  const sum = (key: "desired" | "ready") => clusters.reduce((total, { replicas }) => total + replicas[key], 0);
  return {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: { name, namespace: "default", generation, creationTimestamp: "2026-11-21T08:00:00Z", ...more },
    spec: {},
    ...(conditions === undefined
      ? {}
      : {
          status: {
            observedGeneration: 1,
            conditions,
            placement: { kind: "Placement", namespace: "default", name: "everywhere" },
            replicas: { desired: sum("desired"), updated: 0, ready: sum("ready"), available: sum("ready") },
            clusters,
          },
        }),
  };
}

export function cluster(name: string, ready: Condition | undefined): KubeObject {
  return {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "MemberCluster",
    metadata: {
      name,
      labels: { "topology.kubernetes.io/region": `r-${name}` },
      creationTimestamp: "2026-11-20T08:00:00Z",
    },
    spec: { connection: {}, deletionPolicy: "Orphan" },
    ...(ready === undefined ? {} : { status: { conditions: [ready], kubernetesVersion: "v1.35.4" } }),
  };
}

/** A healthy application in a report of `status`. */
export function objectReport(name: string, fields: Partial<ObjectReport> = {}): ObjectReport {
  const { clusters = [] } = fields;
  return {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    namespace: "default",
    name,
    healthy: true,
    reason: "",
    reasons: [],
    message: "",
    since: "",
    placement: "",
    replicas: { desired: 0, updated: 0, ready: 0, available: 0 },
    conditions: [],
    clusters,
    unlistedClusters: [],
    clusterCount: clusters.length,
    availableClusters: clusters.length,
    available: `${clusters.length}/${clusters.length}`,
    createdAt: "",
    ...fields,
  };
}

/** A ready cluster in a report of `status`. */
export function clusterReport(name: string, fields: Partial<ClusterReport> = {}): ClusterReport {
  return {
    name,
    region: name,
    zone: "",
    outOfService: "",
    provider: "",
    ready: "True",
    reason: "",
    message: "",
    version: "v1.35.4",
    objects: 0,
    since: "",
    lastContact: "",
    latency: "",
    troubles: [],
    deletedAt: "",
    deleting: false,
    createdAt: "",
    ...fields,
  };
}
