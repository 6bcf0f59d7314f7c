import type { KubeObject } from "../../../apis/index.ts";
import { matchesExpression } from "../../labelSelectors.ts";
import {
  compare,
  type NodeSelectorTerm,
  type Pod,
  type PodSpec,
  quantity,
  type ResourceList,
  type Toleration,
} from "../shared/index.ts";

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export interface Node extends KubeObject {
  spec: { unschedulable?: boolean; taints?: readonly Taint[] };
  status?: {
    allocatable?: ResourceList;
    addresses?: readonly { type: string; address: string }[];
    [field: string]: unknown;
  };
}

/** Resources that pods use on a node: cores, bytes, number of pods, host ports. */
export interface Usage {
  cpu: number;
  memory: number;
  pods: number;
  hostPorts: ReadonlyMap<string, number>;
}

export const NO_USAGE: Usage = { cpu: 0, memory: 0, pods: 0, hostPorts: new Map() };

/** Requests of a pod. Init containers run one after the other before the others, so only the largest of them counts. */
export function requestsOf({ containers, initContainers = [], overhead }: PodSpec): Usage {
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");
  const others = initContainers.filter(({ restartPolicy }) => restartPolicy !== "Always");
  const lasting = [...containers, ...sidecars];
  const of = (name: string) => {
    const requested = ({ resources }: (typeof containers)[number]) => quantity(resources?.requests?.[name] ?? 0);
    const sum = lasting.reduce((total, container) => total + requested(container), 0);
    return Math.max(sum, 0, ...others.map(requested)) + quantity(overhead?.[name] ?? 0);
  };
  const ports = lasting.flatMap(({ ports: declared = [] }) => declared).filter(({ hostPort = 0 }) => hostPort > 0);
  return {
    cpu: of("cpu"),
    memory: of("memory"),
    pods: 1,
    hostPorts: new Map(ports.map(({ hostPort, protocol = "TCP" }) => [`${protocol}/${hostPort}`, 1])),
  };
}

/** Adds `b` to `a`, or subtracts it with `sign` -1. */
export function plus(a: Usage, b: Usage, sign: 1 | -1 = 1): Usage {
  let { hostPorts } = a;
  if (b.hostPorts.size > 0) {
    const ports = new Map(hostPorts);
    for (const [port, count] of b.hostPorts) {
      const left = (ports.get(port) ?? 0) + sign * count;
      if (left > 0) ports.set(port, left);
      else ports.delete(port);
    }
    hostPorts = ports;
  }
  return {
    cpu: a.cpu + sign * b.cpu,
    memory: a.memory + sign * b.memory,
    pods: a.pods + sign * b.pods,
    hostPorts,
  };
}

/** Absorbs rounding errors of sums such as 0.1 + 0.2, which must not overfill a node. */
const TOLERANCE = 1e-6;

/** The scheduler's reasons why a pod cannot run on a node; empty if it can. */
export function refusals(pod: Pod, wanted: Usage, node: Node, used: Usage): string[] {
  const { taints = [], unschedulable = false } = node.spec;
  const { tolerations = [] } = pod.spec;
  if (unschedulable && !isTolerated({ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }, tolerations)) {
    return ["node(s) were unschedulable"];
  }
  const untolerated = taints.find((taint) => taint.effect !== "PreferNoSchedule" && !isTolerated(taint, tolerations));
  if (untolerated !== undefined) {
    return [`node(s) had untolerated taint {${untolerated.key}: ${untolerated.value ?? ""}}`];
  }
  if (!matchesNode(pod.spec, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  const { allocatable = {} } = node.status ?? {};
  if ([...wanted.hostPorts.keys()].some((port) => used.hostPorts.has(port))) {
    return ["node(s) didn't have free ports for the requested pod ports"];
  }
  const room = (name: "cpu" | "memory" | "pods") =>
    quantity(allocatable[name] ?? 0) + TOLERANCE - used[name] - wanted[name];
  return [
    ...(room("pods") < 0 ? ["Too many pods"] : []),
    ...(wanted.cpu > 0 && room("cpu") < 0 ? ["Insufficient cpu"] : []),
    ...(wanted.memory > 0 && room("memory") < 0 ? ["Insufficient memory"] : []),
  ];
}

export function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return tolerations.some(({ key, operator = "Equal", value = "", effect }) => {
    if (effect !== undefined && effect !== "" && effect !== taint.effect) return false;
    if (key !== undefined && key !== "" && key !== taint.key) return false;
    if (operator === "Exists") return true;
    return key !== undefined && value === (taint.value ?? "");
  });
}

/** True if the node selector and the required node affinity of a pod allow the node. */
export function matchesNode({ nodeSelector = {}, affinity }: PodSpec, node: KubeObject): boolean {
  const { labels = {} } = node.metadata;
  for (const [key, value] of Object.entries(nodeSelector)) if (labels[key] !== value) return false;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: KubeObject): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((expression) => matchesExpression(expression, metadata.labels?.[expression.key])) &&
    matchFields.every((field) => field.key === "metadata.name" && matchesExpression(field, metadata.name))
  );
}

/** The largest used share of CPU, memory and pods after the pod is placed. The node with the lowest value is chosen. */
export function loadWith(wanted: Usage, { status }: Node, used: Usage): number {
  const share = (name: "cpu" | "memory" | "pods") =>
    (used[name] + wanted[name]) / Math.max(quantity(status?.allocatable?.[name] ?? 0), TOLERANCE);
  return Math.max(share("cpu"), share("memory"), share("pods"));
}

export interface Choice {
  node?: Node;
  /** Why no node fits. */
  message?: string;
}

/** The eligible node with the lowest load, then by name. */
export function choose(pod: Pod, wanted: Usage, nodes: readonly Node[], used: (node: string) => Usage): Choice {
  const counts = new Map<string, number>();
  let best: { node: Node; load: number } | undefined;
  for (const node of nodes) {
    const usage = used(node.metadata.name);
    const reasons = refusals(pod, wanted, node, usage);
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    if (reasons.length > 0) continue;
    const load = loadWith(wanted, node, usage);
    const isBetter =
      best === undefined || (compare(load, best.load) || compare(node.metadata.name, best.node.metadata.name)) < 0;
    if (isBetter) best = { node, load };
  }
  if (best !== undefined) return { node: best.node };
  if (nodes.length === 0) return { message: "no nodes available to schedule pods" };
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).toSorted(compare);
  return {
    message: `0/${nodes.length} nodes are available: ${reasons.join(", ")}.${preemption(nodes.length, counts)}`,
  };
}

/**
 * The scheduler's text about preemption, which never happens here. It separates nodes where evicting pods could help
 * from nodes where it could not.
 */
function preemption(nodes: number, counts: ReadonlyMap<string, number>): string {
  const mendable = [...counts].filter(([reason]) => /^(Insufficient|Too many)|free ports/.test(reason));
  const victims = Math.min(nodes, Math.max(0, ...mendable.map(([, count]) => count)));
  const hopeless = nodes - victims;
  const parts = [
    ...(victims > 0 ? [`${victims} No preemption victims found for incoming pod`] : []),
    ...(hopeless > 0 ? [`${hopeless} Preemption is not helpful for scheduling`] : []),
  ];
  return ` preemption: 0/${nodes} nodes are available: ${parts.toSorted(compare).join(", ")}.`;
}
