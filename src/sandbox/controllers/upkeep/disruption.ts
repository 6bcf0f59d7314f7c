import type { KubeObject } from "../../../apis/index.ts";
import type { ResourceName, WatchEvent } from "../../types.ts";
import { type LabelSelector, matchesSelector } from "../../labelSelectors.ts";
import {
  type Context,
  type Controller,
  controllerOf,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  type IntOrPercent,
  isReady,
  isTerminating,
  type Pod,
  PODS,
  REPLICA_SETS,
  type Result,
  sameValue,
  scaledValue,
  STATEFUL_SETS,
} from "../shared/index.ts";
import { timestamp } from "../../timestamp.ts";

interface DisruptionBudgetStatus {
  observedGeneration?: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  disruptionsAllowed: number;
  disruptedPods?: Readonly<Record<string, string>>;
  conditions?: readonly {
    type: string;
    status: string;
    reason: string;
    message: string;
    observedGeneration: number;
    lastTransitionTime: string;
  }[];
}

interface DisruptionBudget extends KubeObject {
  spec: { selector?: LabelSelector; minAvailable?: IntOrPercent; maxUnavailable?: IntOrPercent };
  status?: DisruptionBudgetStatus;
}

/** Time after which an eviction stops counting if its pod still exists. */
const DELETION_TIMEOUT_MS = 120_000;

/** Computes how many pods of a PodDisruptionBudget may be evicted now. */
export class DisruptionController implements Controller {
  readonly name = "disruption-controller";
  readonly resources = [DISRUPTION_BUDGETS, PODS];
  readonly #context: Context;
  /** Budget names by namespace, so that pods of other namespaces cost nothing. */
  readonly #budgets = new Map<string, Set<string>>();

  constructor(context: Context) {
    this.#context = context;
  }

  observe({ plural }: ResourceName, { type, object }: WatchEvent): void {
    const { namespace = "", name } = object.metadata;
    const names = this.#budgets.get(namespace) ?? new Set<string>();
    if (plural === PODS.plural) {
      for (const budget of names) this.#context.enqueue(this.name, namespace, budget);
      return;
    }
    if (type === "DELETED") names.delete(name);
    else {
      names.add(name);
      this.#context.enqueue(this.name, namespace, name);
    }
    if (names.size === 0) this.#budgets.delete(namespace);
    else this.#budgets.set(namespace, names);
  }

  async reconcile(namespace: string | undefined, name: string): Promise<Result> {
    const { client, clock } = this.#context;
    const budget = client.get(DISRUPTION_BUDGETS, namespace, name) as DisruptionBudget | undefined;
    if (budget === undefined || isTerminating(budget)) return undefined;
    const all = client.list(PODS, namespace === undefined ? {} : { namespace }) as readonly Pod[];
    const pods = all.filter(({ metadata }) => matchesSelector(budget.spec.selector, metadata.labels));
    const now = clock.now();
    const disrupted = Object.entries(budget.status?.disruptedPods ?? {}).filter(([pod, since]) => {
      const isThere = pods.some((one) => one.metadata.name === pod && !isTerminating(one));
      return isThere && Date.parse(since) + DELETION_TIMEOUT_MS > now;
    });
    const status = budgetStatus(budget, pods, this.#expectedScale(pods), Object.fromEntries(disrupted), now);
    if (!sameValue(status, budget.status)) await client.update(DISRUPTION_BUDGETS, { ...budget, status }, "status");
    if (disrupted.length === 0) return undefined;
    const ends = disrupted.map(([, since]) => Date.parse(since) + DELETION_TIMEOUT_MS - now);
    return { after: Math.max(0, Math.min(...ends)) };
  }

  /** The sum of replicas that the pods' controllers want; each controller counts once. */
  #expectedScale(pods: readonly Pod[]): number {
    const { client } = this.#context;
    const scales = new Map<string, number>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      if (owner === undefined) continue;
      const { namespace } = pod.metadata;
      const resource =
        owner.kind === "ReplicaSet" ? REPLICA_SETS : owner.kind === "StatefulSet" ? STATEFUL_SETS : undefined;
      const controller = resource === undefined ? undefined : client.get(resource, namespace, owner.name);
      if (controller === undefined) continue;
      const above = controllerOf(controller);
      const top = above?.kind === "Deployment" ? client.get(DEPLOYMENTS, namespace, above.name) : controller;
      if (top?.metadata.uid !== undefined)
        scales.set(top.metadata.uid, (top["spec"] as { replicas?: number }).replicas ?? 1);
    }
    return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
  }
}

/** `scale`: the replicas that the pods' controllers want, the base of percentages and maxUnavailable. */
export function budgetStatus(
  { spec, status, metadata }: DisruptionBudget,
  pods: readonly Pod[],
  scale: number,
  disruptedPods: Readonly<Record<string, string>>,
  now: number,
): DisruptionBudgetStatus {
  const { minAvailable, maxUnavailable } = spec;
  const expectedPods = maxUnavailable === undefined && typeof minAvailable !== "string" ? pods.length : scale;
  const desiredHealthy =
    maxUnavailable === undefined
      ? scaledValue(minAvailable, expectedPods, true)
      : Math.max(0, expectedPods - scaledValue(maxUnavailable, expectedPods, true));
  const healthy = pods.filter((pod) => isReady(pod) && !isTerminating(pod) && !(pod.metadata.name in disruptedPods));
  const currentHealthy = healthy.length;
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const isAllowed = disruptionsAllowed > 0;
  const known = status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  const conditionStatus = isAllowed ? "True" : "False";
  const observedGeneration = metadata.generation ?? 0;
  return {
    observedGeneration,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    conditions: [
      {
        type: "DisruptionAllowed",
        status: conditionStatus,
        reason: isAllowed ? "SufficientPods" : "InsufficientPods",
        message: "",
        observedGeneration,
        lastTransitionTime: known?.status === conditionStatus ? known.lastTransitionTime : timestamp(now),
      },
    ],
  };
}
