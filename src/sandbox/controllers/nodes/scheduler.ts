import { defined, type KubeObject } from "../../../apis/index.ts";
import type { ResourceName, WatchEvent } from "../../types.ts";
import {
  CLAIMS,
  compare,
  type Context,
  type Controller,
  isFinished,
  isTerminating,
  NODES,
  type Pod,
  type PodCondition,
  PODS,
  type Result,
  uidOf,
} from "../shared/index.ts";
import { timestamp } from "../../timestamp.ts";
import { Ledger } from "./ledger.ts";
import { choose, type Node, requestsOf, type Usage } from "./placement.ts";

/**
 * Binds pods to nodes with room. An unschedulable pod gets the reason in its status, and is retried when resources
 * become free.
 */
export class Scheduler implements Controller {
  readonly name = "default-scheduler";
  readonly resources = [PODS, NODES, CLAIMS];
  readonly #context: Context;
  readonly #ledger = new Ledger();
  /** Pods being bound, with the resources reserved on their node. Other pods are placed meanwhile. */
  readonly #reserved = new Map<string, { node: string; wanted: Usage }>();
  readonly #pending = new Map<string, { namespace: string | undefined; name: string }>();

  constructor(context: Context) {
    this.#context = context;
  }

  observe({ plural }: ResourceName, event: WatchEvent, old: KubeObject | undefined): void {
    if (plural !== PODS.plural) {
      if (event.type !== "DELETED" && hasNews(event.object, old)) this.#retry();
      return;
    }
    const pod = event.object as Pod;
    if (pod.spec.nodeName !== undefined) this.#unreserve(uidOf(pod));
    if (this.#ledger.take(event, old)) this.#retry();
    const { namespace, name } = pod.metadata;
    if (event.type === "DELETED" || pod.spec.nodeName !== undefined) this.#pending.delete(`${namespace}/${name}`);
    else if (event.type === "ADDED" || pod.metadata.generation !== old?.metadata.generation) {
      this.#context.enqueue(this.name, namespace, name);
    }
  }

  async reconcile(namespace: string | undefined, name: string): Promise<Result> {
    const { client, events } = this.#context;
    const pod = client.get(PODS, namespace, name) as Pod | undefined;
    const key = `${namespace}/${name}`;
    if (pod === undefined || !isSchedulable(pod)) {
      this.#pending.delete(key);
      return undefined;
    }
    const wanted = requestsOf(pod.spec);
    const obstacle = this.#missingClaim(pod);
    const { node, message = obstacle } =
      obstacle === undefined ? choose(pod, wanted, this.#nodes(), (node) => this.#ledger.used(node)) : {};
    if (node === undefined) {
      this.#pending.set(key, { namespace, name });
      await this.#refuse(pod, message ?? "");
      return undefined;
    }
    const { name: nodeName } = node.metadata;
    const uid = uidOf(pod);
    this.#reserved.set(uid, { node: nodeName, wanted });
    this.#ledger.add(nodeName, wanted);
    try {
      const metadata = { name, ...defined({ namespace }) };
      const target = { kind: "Node", name: nodeName };
      await client.create(PODS, { apiVersion: "v1", kind: "Binding", metadata, target }, "binding");
    } finally {
      if (this.#unreserve(uid)) this.#retry();
    }
    this.#pending.delete(key);
    events.record(this.name, pod, "Normal", "Scheduled", `Successfully assigned ${key} to ${nodeName}`);
    return undefined;
  }

  /** True if the reservation still existed, so the pod was not bound. */
  #unreserve(uid: string): boolean {
    const reservation = this.#reserved.get(uid);
    if (reservation === undefined) return false;
    this.#reserved.delete(uid);
    this.#ledger.add(reservation.node, reservation.wanted, -1);
    return true;
  }

  #nodes(): Node[] {
    return this.#context.client.list(NODES).filter((node) => !isTerminating(node)) as Node[];
  }

  #missingClaim({ spec, metadata }: Pod): string | undefined {
    for (const { persistentVolumeClaim } of spec.volumes ?? []) {
      if (persistentVolumeClaim === undefined) continue;
      const { claimName } = persistentVolumeClaim;
      if (this.#context.client.get(CLAIMS, metadata.namespace, claimName) === undefined) {
        return `persistentvolumeclaim "${claimName}" not found`;
      }
    }
    return undefined;
  }

  async #refuse(pod: Pod, message: string): Promise<void> {
    const { client, clock, events } = this.#context;
    const known = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (known?.status === "False" && known.message === message) return;
    const condition: PodCondition = {
      type: "PodScheduled",
      status: "False",
      lastProbeTime: null,
      lastTransitionTime: known?.status === "False" ? (known.lastTransitionTime ?? null) : timestamp(clock.now()),
      reason: "Unschedulable",
      message,
      ...defined({ observedGeneration: pod.metadata.generation }),
    };
    const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
    const status = { ...pod.status, phase: "Pending", conditions: [...others, condition] };
    await client.update(PODS, { ...pod, status }, "status");
    events.record(this.name, pod, "Warning", "FailedScheduling", message);
  }

  #retry(): void {
    for (const { namespace, name } of this.#pending.values()) this.#context.enqueue(this.name, namespace, name);
  }
}

function isSchedulable(pod: Pod): boolean {
  const { nodeName, schedulerName = "default-scheduler" } = pod.spec;
  const gates = pod.spec["schedulingGates"];
  const isGated = Array.isArray(gates) && gates.length > 0;
  return (
    nodeName === undefined &&
    schedulerName === "default-scheduler" &&
    !isGated &&
    !isTerminating(pod) &&
    !isFinished(pod)
  );
}

/** Heartbeats of a node are no news. */
function hasNews(object: KubeObject, old: KubeObject | undefined): boolean {
  if (old === undefined || object.kind !== "Node") return true;
  const facts = ({ metadata, spec, status }: Node) => JSON.stringify([metadata.labels, spec, status?.allocatable]);
  return compare(facts(object as Node), facts(old as Node)) !== 0;
}
