import type { KubeObject } from "../../../apis/index.ts";
import { type Headroom, HeadroomCount } from "../headroom.ts";

/** Nodes and pods of members, for the tests of their room. */

interface NodeTerms {
  cpu?: string;
  memory?: string;
  pods?: string;
  labels?: Record<string, string>;
  taints?: unknown[];
  unschedulable?: boolean;
  ready?: string;
  more?: Record<string, string>;
}

/** A member's node, ready and with room unless the terms say otherwise. */
export const node = (name: string, terms: NodeTerms = {}): KubeObject => {
  const { cpu = "4", memory = "8Gi", pods = "110", labels = {}, taints, unschedulable, ready = "True", more } = terms;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec: { taints, unschedulable },
    status: { allocatable: { cpu, memory, pods, ...more }, conditions: [{ type: "Ready", status: ready }] },
  };
};

/** The spec of a pod with one container. */
export const spec = (
  requests: Record<string, string>,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  containers: [{ name: "web", resources: { requests } }],
  ...more,
});

export const pod = (podSpec: Record<string, unknown>, more: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: podSpec,
  ...more,
});

export const headroomOf = (nodes: KubeObject[], pods: KubeObject[] = []): Headroom => {
  const count = new HeadroomCount();
  for (const one of pods) count.addPod(one);
  for (const one of nodes) count.addNode(one);
  return count.room();
};

/** Half a core. */
export const HALF = { cpu: "500m" };
