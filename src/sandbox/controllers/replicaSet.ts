import type { KubeObject } from "../../apis/index.ts";
import type { ResourceName, WatchEvent } from "../types.ts";
import { matchesSelector } from "../labelSelectors.ts";
import {
  claim,
  type Context,
  type Controller,
  controllerOf,
  createPod,
  deletePod,
  failureOf,
  inDeletionOrder,
  isActive,
  isAvailable,
  isLeaving,
  isReady,
  isTerminating,
  nextAvailability,
  owningNames,
  type Pod,
  podFromTemplate,
  PODS,
  REPLICA_SETS,
  type ReplicaSet,
  type ReplicaSetStatus,
  type Result,
  sameValue,
  type WorkloadCondition,
} from "./shared/index.ts";
import { timestamp } from "../timestamp.ts";

/** Maximum number of pods that one reconcile creates or deletes. */
const BURST = 500;

/** Keeps the number of pods that a ReplicaSet asks for. */
export class ReplicaSetController implements Controller {
  readonly name = "replicaset-controller";
  readonly resources = [REPLICA_SETS, PODS];
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  observe({ plural }: ResourceName, { type, object }: WatchEvent, old: KubeObject | undefined): void {
    const { namespace, name } = object.metadata;
    if (plural === REPLICA_SETS.plural) {
      if (type !== "DELETED") this.#context.enqueue(this.name, namespace, name);
      return;
    }
    for (const owner of owningNames([object, old], "ReplicaSet")) this.#context.enqueue(this.name, namespace, owner);
    if (type !== "DELETED" && controllerOf(object) === undefined) this.#offer(object);
  }

  async reconcile(namespace: string | undefined, name: string): Promise<Result> {
    const { client, clock } = this.#context;
    const replicaSet = client.get(REPLICA_SETS, namespace, name) as ReplicaSet | undefined;
    if (replicaSet === undefined) return undefined;
    const isLive = (pod: Pod) => isActive(pod);
    const pods = await claim<Pod>(this.#context, replicaSet, PODS, replicaSet.spec.selector, isLive);
    const failure = await failureOf(async () => {
      if (!isTerminating(replicaSet)) await this.#scale(replicaSet, pods.filter(isActive));
    });
    // Reads come from the store, so new pods are visible at once; there is no cache to wait for.
    const now = clock.now();
    const current = this.#context.graph.controlled<Pod>(replicaSet, PODS);
    const mine = current.filter(({ metadata }) => matchesSelector(replicaSet.spec.selector, metadata.labels));
    const status = replicaSetStatus(replicaSet, mine, failure, now);
    if (!sameValue(status, replicaSet.status)) await client.update(REPLICA_SETS, { ...replicaSet, status }, "status");
    if (failure !== undefined) throw failure;
    const { minReadySeconds = 0 } = replicaSet.spec;
    const after = nextAvailability(mine.filter(isActive), minReadySeconds, now);
    return after === undefined ? undefined : { after };
  }

  async #scale(replicaSet: ReplicaSet, active: readonly Pod[]): Promise<void> {
    const difference = (replicaSet.spec.replicas ?? 1) - active.length;
    for (let missing = Math.min(difference, BURST); missing > 0; missing--) {
      await createPod(this.#context, this.name, replicaSet, podFromTemplate(replicaSet, replicaSet.spec.template));
    }
    if (difference >= 0) return;
    const surplus = Math.min(-difference, BURST);
    const now = this.#context.clock.now();
    for (const pod of inDeletionOrder(active, this.#fellows(replicaSet), now).slice(0, surplus)) {
      await deletePod(this.#context, this.name, replicaSet, pod);
    }
  }

  /** The pods of all ReplicaSets of the same Deployment. */
  #fellows(replicaSet: ReplicaSet): Pod[] {
    const { graph } = this.#context;
    const owner = controllerOf(replicaSet);
    if (owner === undefined) return graph.controlled<Pod>(replicaSet, PODS);
    const siblings = graph.dependents(owner.uid).filter(({ resource }) => resource.plural === REPLICA_SETS.plural);
    return siblings.flatMap(({ object }) => graph.controlled<Pod>(object, PODS));
  }

  /** Enqueues the ReplicaSets that may adopt a pod without a controller. */
  #offer(pod: KubeObject): void {
    for (const replicaSet of this.#context.client.list(REPLICA_SETS, { namespace: pod.metadata.namespace ?? "" })) {
      if (!matchesSelector((replicaSet as ReplicaSet).spec.selector, pod.metadata.labels)) continue;
      this.#context.enqueue(this.name, replicaSet.metadata.namespace, replicaSet.metadata.name);
    }
  }
}

/** The status of a ReplicaSet with these pods; `failure`: why pods could not be created or deleted. */
export function replicaSetStatus(
  { spec, status, metadata }: ReplicaSet,
  pods: readonly Pod[],
  failure: Error | undefined,
  now: number,
): ReplicaSetStatus {
  const active = pods.filter(isActive);
  const { replicas = 1, minReadySeconds = 0, template } = spec;
  const labelled = active.filter((pod) =>
    matchesSelector(labelSelector(template.metadata?.labels), pod.metadata.labels),
  );
  const ready = active.filter(isReady);
  const conditions = withFailure(status?.conditions ?? [], failure, replicas - active.length, now);
  return {
    replicas: active.length,
    ...positive("fullyLabeledReplicas", labelled.length),
    ...positive("readyReplicas", ready.length),
    ...positive("availableReplicas", ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length),
    terminatingReplicas: pods.filter(isLeaving).length,
    observedGeneration: metadata.generation ?? 0,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function labelSelector(matchLabels: Readonly<Record<string, string>> | undefined) {
  return matchLabels === undefined ? {} : { matchLabels };
}

/** The API server omits zero, and so does this function. */
export function positive<K extends string>(key: K, count: number): Partial<Record<K, number>> {
  return (count === 0 ? {} : { [key]: count }) as Partial<Record<K, number>>;
}

function withFailure(
  conditions: readonly WorkloadCondition[],
  failure: Error | undefined,
  missing: number,
  now: number,
): readonly WorkloadCondition[] {
  const known = conditions.find(({ type }) => type === "ReplicaFailure");
  if (failure === undefined) return known === undefined ? conditions : conditions.filter((kept) => kept !== known);
  if (known !== undefined) return conditions;
  const reason = missing > 0 ? "FailedCreate" : "FailedDelete";
  const condition = { type: "ReplicaFailure", status: "True", reason, message: failure.message };
  return [...conditions, { ...condition, lastTransitionTime: timestamp(now) }];
}
