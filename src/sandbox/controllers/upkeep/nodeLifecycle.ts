import type { KubeObject } from "../../../apis/index.ts";
import type { ResourceName, WatchEvent } from "../../types.ts";
import { type Context, type Controller, isTerminating, NODES, type Result, sameValue } from "../shared/index.ts";

interface Taint {
  key: string;
  effect: string;
  value?: string;
  timeAdded?: string;
}

interface Node extends KubeObject {
  spec?: { unschedulable?: boolean; taints?: readonly Taint[] };
  status?: { conditions?: readonly { type: string; status: string }[] };
}

/** Taints by node condition. */
const TAINTS: readonly { type: string; status: string; key: string }[] = [
  { type: "Ready", status: "False", key: "node.kubernetes.io/not-ready" },
  { type: "Ready", status: "Unknown", key: "node.kubernetes.io/unreachable" },
  { type: "MemoryPressure", status: "True", key: "node.kubernetes.io/memory-pressure" },
  { type: "DiskPressure", status: "True", key: "node.kubernetes.io/disk-pressure" },
  { type: "PIDPressure", status: "True", key: "node.kubernetes.io/pid-pressure" },
  { type: "NetworkUnavailable", status: "True", key: "node.kubernetes.io/network-unavailable" },
];
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";
const OWN_KEYS: ReadonlySet<string> = new Set([...TAINTS.map(({ key }) => key), UNSCHEDULABLE]);

/** Taints nodes by their conditions. A new node accepts pods only once it is ready. */
export class NodeLifecycle implements Controller {
  readonly name = "node-lifecycle-controller";
  readonly resources = [NODES];
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  observe(_: ResourceName, { type, object }: WatchEvent): void {
    if (type === "DELETED" || isTerminating(object) || wantedTaints(object as Node) === undefined) return;
    this.#context.enqueue(this.name, undefined, object.metadata.name);
  }

  async reconcile(_: string | undefined, name: string): Promise<Result> {
    const { client } = this.#context;
    const node = client.get(NODES, undefined, name) as Node | undefined;
    const taints = node === undefined || isTerminating(node) ? undefined : wantedTaints(node);
    if (node === undefined || taints === undefined) return undefined;
    const { taints: _old, ...spec } = node.spec ?? {};
    await client.update(NODES, { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } });
    return undefined;
  }
}

/** Undefined if the node has the taints already, or reports no conditions yet. */
function wantedTaints({ spec, status }: Node): Taint[] | undefined {
  const conditions = status?.conditions ?? [];
  if (!conditions.some(({ type }) => type === "Ready")) return undefined;
  const before = spec?.taints ?? [];
  const keys = TAINTS.filter((taint) =>
    conditions.some(({ type, status: is }) => type === taint.type && is === taint.status),
  ).map(({ key }) => key);
  if (spec?.unschedulable === true) keys.push(UNSCHEDULABLE);
  const isOwn = ({ key, effect }: Taint) => effect === "NoSchedule" && OWN_KEYS.has(key);
  const kept = before.filter((taint) => !isOwn(taint) || keys.includes(taint.key));
  const missing = keys.filter((key) => !before.some((taint) => isOwn(taint) && taint.key === key));
  const wanted = [...kept, ...missing.map((key) => ({ key, effect: "NoSchedule" }))];
  return sameValue(wanted, before) ? undefined : wanted;
}
