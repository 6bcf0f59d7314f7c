import { labelOf } from "../clusterMatcher.ts";
import { isRecord, type KubeObject } from "../../apis/index.ts";
import { amountOf, needsOfPod, type PodNeeds, podNeedsKey, type PodToleration } from "../../interpreter/index.ts";

/** Room on a member's nodes at one moment. Nodes that differ only in their names form one group. Treat as frozen. */
export interface Headroom {
  groups: readonly NodeGroup[];
}

export interface NodeGroup {
  /** Node labels without the host name, which differs on each node. */
  labels: Readonly<Record<string, string>>;
  /** Taints that keep pods away. */
  taints: readonly NodeTaint[];
  nodes: readonly NodeHeadroom[];
}

interface NodeTaint {
  key: string;
  value: string;
  effect: string;
}

export interface NodeHeadroom {
  name: string;
  host: string;
  /** Not requested by any pod, in the units of {@link PodNeeds}; `pods`: further pods. */
  free: Record<string, number>;
}

/**
 * Characters kept of one member, also written as JSON at once: 5,000 nodes with 2 KiB of labels take two thirds of
 * them.
 */
const MOST_KEPT = 20 << 20;
/** Characters that a node counts for besides its text. */
const OF_A_NODE = 512;
/** Kinds of waiting pods, by their needs: each is tried on every node. */
const MOST_WAITING = 10_000;

/** A member has more nodes, or more pods that wait for a node, than are kept. */
export class HeadroomTooLargeError extends Error {
  override readonly name = "RoomTooLargeError";

  constructor() {
    super("its nodes and pods say more of themselves than is kept");
  }
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const HOST_LABEL = "kubernetes.io/hostname";

/** Counts one reading, page by page. Pods may come before or after their nodes. */
export class HeadroomCount {
  readonly #groups = new Map<string, { group: NodeGroup; nodes: NodeHeadroom[] }>();
  readonly #used = new Map<string, Record<string, number>>();
  readonly #waiting = new Map<string, PodCount>();
  #kept = 0;

  /** Counts characters that stay in memory. */
  #keep(characters: number): void {
    this.#kept += characters;
    if (this.#kept > MOST_KEPT) throw new HeadroomTooLargeError();
  }

  /** Skips nodes on which the member starts no pods: they have no room. */
  addNode(node: KubeObject): void {
    const { name, labels = {} } = node.metadata;
    const { taints, unschedulable } = fieldsOf(node["spec"]);
    const { allocatable, conditions } = fieldsOf(node["status"]);
    const isReady = listOf(conditions).find(({ type }) => type === "Ready")?.["status"] ?? "True";
    if (unschedulable === true || isReady !== "True") return;
    const keepAway = listOf(taints)
      .map(({ key, value, effect }) => ({ key: textOf(key), value: textOf(value), effect: textOf(effect) }))
      .filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute");
    const { [HOST_LABEL]: host = name, ...shared } = labels;
    const key = JSON.stringify([Object.entries(shared).sort(([a], [b]) => (a < b ? -1 : 1)), keepAway]);
    let known = this.#groups.get(key);
    if (known === undefined) {
      this.#keep(key.length);
      const nodes: NodeHeadroom[] = [];
      this.#groups.set(key, (known = { group: { labels: shared, taints: keepAway, nodes }, nodes }));
    }
    const free: Record<string, number> = {};
    for (const [resource, quantity] of Object.entries(fieldsOf(allocatable))) {
      const amount = amountOf(resource, quantity);
      if (amount !== undefined) free[resource] = amount;
      this.#keep(resource.length);
    }
    this.#keep(name.length + host.length + OF_A_NODE);
    known.nodes.push({ name, host, free });
  }

  /** Finished pods use nothing. A pod that waits for a node uses the room that it will get. */
  addPod(pod: KubeObject): void {
    const spec = fieldsOf(pod["spec"]);
    const { phase } = fieldsOf(pod["status"]);
    if (phase === "Succeeded" || phase === "Failed") return;
    const needs = needsOfPod(spec);
    const { nodeName } = spec;
    if (typeof nodeName === "string" && nodeName !== "") {
      const used = this.#used.get(nodeName) ?? {};
      if (!this.#used.has(nodeName)) this.#keep(nodeName.length);
      this.#used.set(nodeName, used);
      for (const [resource, amount] of Object.entries(asked(needs))) {
        const before = amountIn(used, resource);
        if (before === undefined) this.#keep(resource.length);
        used[resource] = (before ?? 0) + amount;
      }
      return;
    }
    if (pod.metadata.deletionTimestamp !== undefined) return;
    const key = podNeedsKey(needs);
    const known = this.#waiting.get(key);
    if (known === undefined) {
      this.#keep(key.length);
      if (this.#waiting.size >= MOST_WAITING) throw new HeadroomTooLargeError();
      this.#waiting.set(key, { needs, count: 1 });
    } else known.count += 1;
  }

  /** Once, after the last page. Yields between steps; each visits every node once. */
  *steps(): Generator<void, Headroom> {
    const groups = [...this.#groups.values()].map(({ group }) => group);
    for (const { nodes } of groups) for (const { name, free } of nodes) take(free, this.#used.get(name) ?? {}, 1);
    for (const waiting of this.#waiting.values()) {
      yield;
      place(groups, [waiting]);
    }
    return { groups };
  }

  /** Runs {@link steps} in one go. */
  room(): Headroom {
    const steps = this.steps();
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  }
}

/** Number of pods with the same needs. */
export interface PodCount {
  needs: PodNeeds;
  count: number;
}

/** Room after these pods have found a node, too. Pods that find none use nothing. */
export function headroomBeside(room: Headroom, pods: Iterable<PodCount>): Headroom {
  const groups = room.groups.map((group) => ({
    ...group,
    nodes: group.nodes.map((node) => ({ ...node, free: { ...node.free } })),
  }));
  place(groups, pods);
  return { groups };
}

function place(groups: readonly NodeGroup[], pods: Iterable<PodCount>): void {
  for (const { needs, count } of pods) {
    let left = count;
    for (const { node, fits } of nodesFor({ groups }, needs)) {
      const given = Math.min(left, fits);
      take(node.free, asked(needs), given);
      left -= given;
      if (left === 0) break;
    }
  }
}

/** Further pods that fit. Rules between pods, such as spreading, and volumes do not count. */
export function podsThatFit(room: Headroom, needs: PodNeeds): number {
  let count = 0;
  for (const { fits } of nodesFor(room, needs)) count += fits;
  return count;
}

/** Nodes that take such pods, with the number of pods for each. */
function* nodesFor({ groups }: Headroom, needs: PodNeeds): Generator<{ node: NodeHeadroom; fits: number }> {
  const requests = Object.entries(asked(needs));
  for (const { labels, taints, nodes } of groups) {
    if (!taints.every((taint) => needs.tolerations.some((one) => tolerates(one, taint)))) continue;
    for (const node of nodes) {
      const fits = fitting(node, requests);
      if (fits > 0 && isSelected(needs, labels, node)) yield { node, fits };
    }
  }
}

/** Resource names are free text, and may equal a property that every JavaScript object inherits. */
function amountIn(amounts: Readonly<Record<string, number>>, resource: string): number | undefined {
  return Object.hasOwn(amounts, resource) ? amounts[resource] : undefined;
}

function fitting({ free }: NodeHeadroom, requests: readonly (readonly [string, number])[]): number {
  let fits = Number.POSITIVE_INFINITY;
  for (const [resource, amount] of requests) {
    // A node that reports no limit of pods has none.
    const left = amountIn(free, resource) ?? (resource === "pods" ? Number.POSITIVE_INFINITY : 0);
    fits = Math.min(fits, Math.floor(left / amount));
    if (fits <= 0) return 0;
  }
  return fits === Number.POSITIVE_INFINITY ? MOST_PODS : fits;
}

/** Pods on a node that reports nothing: the default limit of Kubernetes. */
const MOST_PODS = 110;

const asked = ({ requests }: PodNeeds): Record<string, number> => ({ ...requests, pods: 1 });

function take(free: Record<string, number>, amounts: Readonly<Record<string, number>>, times: number): void {
  for (const [resource, amount] of Object.entries(amounts)) {
    const left = amountIn(free, resource);
    if (left !== undefined) free[resource] = left - amount * times;
  }
}

function isSelected(
  { nodeSelector, nodeTerms }: PodNeeds,
  labels: Readonly<Record<string, string>>,
  { name, host }: NodeHeadroom,
): boolean {
  const valueOf = (key: string): string | undefined => {
    if (key === HOST_LABEL) return host;
    return key === "metadata.name" ? name : labelOf(labels, key);
  };
  if (!Object.entries(nodeSelector).every(([key, value]) => valueOf(key) === value)) return false;
  const holds = ({ key, operator, values }: PodNeeds["nodeTerms"][number][number]): boolean => {
    const value = valueOf(key);
    switch (operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      case "DoesNotExist":
        return value === undefined;
      case "Gt":
        return Number(value) > Number(values[0]);
      case "Lt":
        return Number(value) < Number(values[0]);
      default:
        return false;
    }
  };
  // An empty term selects nothing.
  return nodeTerms.length === 0 || nodeTerms.some((term) => term.length > 0 && term.every(holds));
}

function tolerates({ key, operator, value = "", effect }: PodToleration, taint: NodeTaint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key === undefined) return operator === "Exists";
  return key === taint.key && (operator === "Exists" || value === taint.value);
}
