import { defined, type KubeObject } from "../../../apis/index.ts";
import { type LabelSelector } from "../../labelSelectors.ts";
import {
  byCreation,
  compare,
  type IntOrPercent,
  isAvailable,
  isReady,
  isTerminating,
  phaseOf,
  type Pod,
  type PodSpec,
  type PodTemplate,
  scaledValue,
  type Toleration,
} from "../shared/index.ts";
import { isTolerated, matchesNode, type Node } from "../nodes/index.ts";
import { positive } from "../replicaSet.ts";

export const HASH_LABEL = "controller-revision-hash";

export interface DaemonSetStatus {
  currentNumberScheduled: number;
  numberMisscheduled: number;
  desiredNumberScheduled: number;
  numberReady: number;
  observedGeneration?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  collisionCount?: number;
}

export interface DaemonSet extends KubeObject {
  spec: {
    selector: LabelSelector;
    template: PodTemplate;
    updateStrategy?: { type?: string; rollingUpdate?: { maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent } };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
  };
  status?: DaemonSetStatus;
}

/** Taints that DaemonSet pods tolerate. */
const TOLERATED: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

/** The pod template for one node. */
export function templateFor({ spec, metadata }: DaemonSet, hash: string, node: string): PodTemplate {
  const { template } = spec;
  const generation = metadata.annotations?.["deprecated.daemonset.template.generation"];
  const { affinity, hostNetwork } = template.spec;
  const { nodeSelectorTerms: _terms, ...required } = affinity?.nodeAffinity
    ?.requiredDuringSchedulingIgnoredDuringExecution ?? { nodeSelectorTerms: [] };
  return {
    ...template,
    metadata: {
      ...template.metadata,
      labels: {
        ...template.metadata?.labels,
        ...defined({ "pod-template-generation": generation }),
        [HASH_LABEL]: hash,
      },
    },
    spec: {
      ...template.spec,
      tolerations: tolerationsOf(template.spec, hostNetwork === true),
      affinity: {
        ...affinity,
        nodeAffinity: {
          ...affinity?.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: {
            ...required,
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }],
          },
        },
      },
    },
  };
}

function tolerationsOf({ tolerations = [] }: PodSpec, hostNetwork: boolean): Toleration[] {
  const network = { key: "node.kubernetes.io/network-unavailable", operator: "Exists", effect: "NoSchedule" };
  const wanted = hostNetwork ? [...TOLERATED, network] : TOLERATED;
  const isSame = (a: Toleration, b: Toleration) =>
    a.key === b.key && a.effect === b.effect && a.operator === b.operator && (a.value ?? "") === (b.value ?? "");
  return [...tolerations, ...wanted.filter((one) => !tolerations.some((own) => isSame(own, one)))];
}

/** `wants`: the node should get a pod of the set; `keeps`: an existing pod may stay. */
export function wantsDaemon({ spec }: DaemonSet, node: Node): { wants: boolean; keeps: boolean } {
  const { template } = spec;
  const tolerations = tolerationsOf(template.spec, template.spec.hostNetwork === true);
  const named = template.spec.nodeName ?? node.metadata.name;
  if (named !== node.metadata.name || !matchesNode(template.spec, node)) return { wants: false, keeps: false };
  const cordoned = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  const taints = [...(node.spec.taints ?? []), ...(node.spec.unschedulable === true ? [cordoned] : [])];
  const bad = taints.filter((taint) => taint.effect !== "PreferNoSchedule" && !isTolerated(taint, tolerations));
  return { wants: bad.length === 0, keeps: !bad.some(({ effect }) => effect === "NoExecute") };
}

/** The pod's node, or the node that its affinity names. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec.nodeName !== undefined) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const fields = terms.flatMap(({ matchFields = [] }) => matchFields);
  return fields.find(({ key, operator }) => key === "metadata.name" && operator === "In")?.values?.[0];
}

export interface Situation {
  set: DaemonSet;
  nodes: readonly Node[];
  pods: readonly Pod[];
  hash: string;
  now: number;
}

export interface Actions {
  /** Names of the nodes that get a new pod. */
  create: string[];
  delete: Pod[];
  /** The pods in `delete` that finished by themselves. */
  ended: Pod[];
}

/**
 * First fills nodes without a pod and deletes surplus pods. Replaces old pods only if nothing is left to fill or
 * delete.
 */
export function nextActions(situation: Situation): Actions {
  const settled = fill(situation);
  const isRolling = (situation.set.spec.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate";
  const isBusy = settled.create.length > 0 || settled.delete.length > 0;
  return isBusy || !isRolling ? settled : replace(situation);
}

function fill({ set, nodes, pods, hash, now }: Situation): Actions {
  const actions: Actions = { create: [], delete: [], ended: [] };
  const byNode = podsByNode(pods);
  const { surge } = limits(set, nodes);
  for (const node of nodes) {
    const there = byNode.get(node.metadata.name) ?? [];
    const { wants, keeps } = wantsDaemon(set, node);
    if (!keeps) {
      actions.delete.push(...there.filter((pod) => !isTerminating(pod)));
      continue;
    }
    const staying = there.filter((pod) => !isTerminating(pod));
    const ended = staying.filter((pod) => ["Failed", "Succeeded"].includes(phaseOf(pod)));
    actions.delete.push(...ended);
    actions.ended.push(...ended);
    const running = staying.filter((pod) => !ended.includes(pod)).toSorted(byPlace);
    // Without surge a node is free only when its former pod is gone.
    if (wants && running.length === 0 && (there.length === 0 || surge > 0)) actions.create.push(node.metadata.name);
    if (surge === 0) {
      actions.delete.push(...running.slice(1));
      continue;
    }
    const fresh = running.filter((pod) => isUpdated(pod, hash));
    const old = running.filter((pod) => !isUpdated(pod, hash));
    actions.delete.push(...fresh.slice(1), ...old.slice(1));
    const [newest] = fresh;
    const [oldest] = old;
    if (newest === undefined || oldest === undefined) continue;
    if (!isReady(oldest) || isAvailable(newest, set.spec.minReadySeconds ?? 0, now)) actions.delete.push(oldest);
  }
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  actions.delete.push(
    ...pods.filter(
      (pod) => pod.spec.nodeName === undefined && !names.has(targetNode(pod) ?? "") && !isTerminating(pod),
    ),
  );
  return actions;
}

function replace({ set, nodes, pods, hash, now }: Situation): Actions {
  const actions: Actions = { create: [], delete: [], ended: [] };
  const { surge, unavailable } = limits(set, nodes);
  const byNode = podsByNode(pods);
  const minReadySeconds = set.spec.minReadySeconds ?? 0;
  let missing = 0;
  let extra = 0;
  const candidates: { node: string; pod: Pod }[] = [];
  for (const node of nodes.filter((one) => wantsDaemon(set, one).wants)) {
    const there = (byNode.get(node.metadata.name) ?? []).filter((pod) => !isTerminating(pod));
    const old = there.find((pod) => !isUpdated(pod, hash));
    const isUp = there.some((pod) => isAvailable(pod, minReadySeconds, now));
    if (!isUp) missing++;
    if (there.length > 1) extra++;
    if (old === undefined || there.length > 1) continue;
    if (isUp) candidates.push({ node: node.metadata.name, pod: old });
    else if (surge > 0) actions.create.push(node.metadata.name);
    else actions.delete.push(old);
  }
  const room = Math.max(0, surge > 0 ? surge - extra - actions.create.length : unavailable - missing);
  for (const { node, pod } of candidates.slice(0, room)) {
    if (surge > 0) actions.create.push(node);
    else actions.delete.push(pod);
  }
  return actions;
}

function limits(set: DaemonSet, nodes: readonly Node[]): { surge: number; unavailable: number } {
  const desired = nodes.filter((node) => wantsDaemon(set, node).wants).length;
  const { maxSurge, maxUnavailable } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, desired, true);
  const unavailable = scaledValue(maxUnavailable ?? (surge === 0 ? 1 : 0), desired, true);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

function podsByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  return Map.groupBy(pods, (pod) => targetNode(pod) ?? "");
}

export function isUpdated({ metadata }: Pod, hash: string): boolean {
  return metadata.labels?.[HASH_LABEL] === hash;
}

/** Orders pods with a node first, then older pods first. */
function byPlace(a: Pod, b: Pod): number {
  return compare(a.spec.nodeName === undefined ? 1 : 0, b.spec.nodeName === undefined ? 1 : 0) || byCreation(a, b);
}

export function daemonSetStatus({ set, nodes, pods, hash, now }: Situation, collisions: number): DaemonSetStatus {
  const byNode = podsByNode(pods);
  const wanted = nodes.filter((node) => wantsDaemon(set, node).wants);
  const first = wanted
    .map(({ metadata }) => byNode.get(metadata.name)?.toSorted(byPlace)[0])
    .filter((pod) => pod !== undefined);
  const ready = first.filter(isReady);
  const available = ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now)).length;
  const unwanted = nodes.filter((node) => !wantsDaemon(set, node).wants);
  return {
    currentNumberScheduled: first.length,
    numberMisscheduled: unwanted.filter(({ metadata }) => byNode.has(metadata.name)).length,
    desiredNumberScheduled: wanted.length,
    numberReady: ready.length,
    ...positive("observedGeneration", set.metadata.generation ?? 0),
    ...positive("updatedNumberScheduled", first.filter((pod) => isUpdated(pod, hash)).length),
    ...positive("numberAvailable", available),
    ...positive("numberUnavailable", wanted.length - available),
    ...positive("collisionCount", collisions),
  };
}
