import { defined, type KubeObject } from "../../../apis/index.ts";
import type { ResourceName, WatchEvent } from "../../types.ts";
import { matchesSelector } from "../../labelSelectors.ts";
import {
  claim,
  CLAIMS,
  type Context,
  type Controller,
  controllerOf,
  failureOf,
  isAlreadyExists,
  isAvailable,
  isReady,
  isTerminating,
  nextAvailability,
  owningNames,
  type Pod,
  PODS,
  type Result,
  sameValue,
  STATEFUL_SETS,
  syncHistory,
  textOf,
  truncateHistory,
  uidOf,
} from "../shared/index.ts";
import { positive } from "../replicaSet.ts";
import {
  claimOwners,
  claimsFor,
  ordinalOf,
  revisionNameOf,
  type StatefulSet,
  type StatefulSetStatus,
  statefulPod,
} from "./identity.ts";
import { nextSteps, type Plan, type Step } from "./plan.ts";

const HISTORY_HASH = "controller.kubernetes.io/hash";

/** Keeps the numbered pods of a StatefulSet with their claims, by default one pod after the other. */
export class StatefulSetController implements Controller {
  readonly name = "statefulset-controller";
  readonly resources = [STATEFUL_SETS, PODS];
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  observe({ plural }: ResourceName, { type, object }: WatchEvent, old: KubeObject | undefined): void {
    const { namespace, name } = object.metadata;
    if (plural === STATEFUL_SETS.plural) {
      if (type !== "DELETED") this.#context.enqueue(this.name, namespace, name);
      return;
    }
    for (const owner of owningNames([object, old], "StatefulSet")) this.#context.enqueue(this.name, namespace, owner);
    // A StatefulSet can adopt only a pod whose name ends in a number.
    const parent = controllerOf(object) === undefined ? /^(.+)-\d+$/.exec(name)?.[1] : undefined;
    if (parent !== undefined && this.#context.client.get(STATEFUL_SETS, namespace, parent) !== undefined) {
      this.#context.enqueue(this.name, namespace, parent);
    }
  }

  async reconcile(namespace: string | undefined, name: string): Promise<Result> {
    const { client, clock, graph } = this.#context;
    const set = client.get(STATEFUL_SETS, namespace, name) as StatefulSet | undefined;
    if (set === undefined) return undefined;
    const isMember = (pod: Pod) => ordinalOf(set, pod.metadata.name) !== undefined;
    await claim<Pod>(this.#context, set, PODS, set.spec.selector, isMember);
    const { status: known = EMPTY, spec } = set;
    const history = await syncHistory(this.#context, set, HISTORY_HASH, known.collisionCount ?? 0);
    const current = history.revisions.find(({ metadata }) => metadata.name === known.currentRevision) ?? history.update;
    const members = () =>
      graph
        .controlled<Pod>(set, PODS)
        .filter((pod) => isMember(pod) && matchesSelector(spec.selector, pod.metadata.labels));

    const plan: Plan = { set, current, update: history.update, now: clock.now() };
    const failure = await failureOf(async () => {
      const steps = isTerminating(set) ? [] : nextSteps(plan, members());
      for (const step of steps) await this.#take(plan, step);
    });
    const status = statefulSetStatus(plan, members(), history.collisions);
    if (!sameValue(status, set.status)) await client.update(STATEFUL_SETS, { ...set, status }, "status");
    const live = new Set([status.currentRevision, status.updateRevision, ...members().map(revisionNameOf)]);
    const limit = spec.revisionHistoryLimit ?? 10;
    await truncateHistory(this.#context, history.revisions, ({ metadata }) => live.has(metadata.name), limit);
    if (failure !== undefined) throw failure;
    const after = nextAvailability(members(), spec.minReadySeconds ?? 0, clock.now());
    return after === undefined ? undefined : { after };
  }

  async #take({ set, current, update }: Plan, step: Step): Promise<void> {
    if (step.kind === "create") {
      const revision = step.isCurrent ? current : update;
      await this.#claims(set, step.ordinal, undefined, false);
      await this.#attempt(set, "Create", statefulPod(set, step.ordinal, revision).metadata.name, async () => {
        await this.#context.client.create(PODS, statefulPod(set, step.ordinal, revision));
      });
      return;
    }
    const { namespace, name } = step.pod.metadata;
    if (step.kind === "delete") {
      const ordinal = ordinalOf(set, name) ?? 0;
      if (step.isScaledAway) await this.#claims(set, ordinal, step.pod, true);
      await this.#attempt(set, "Delete", name, () =>
        this.#context.client.delete(PODS, namespace, name, { preconditions: { uid: uidOf(step.pod) } }),
      );
      return;
    }
    await this.#claims(set, ordinalOf(set, name) ?? 0, step.pod, false);
  }

  async #attempt(set: StatefulSet, verb: "Create" | "Delete", pod: string, act: () => Promise<void>): Promise<void> {
    const { events } = this.#context;
    const subject = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name}`;
    try {
      await act();
    } catch (error) {
      if (!isAlreadyExists(error)) {
        const message = `${subject} failed error: ${textOf(error)}`;
        events.record(this.name, set, "Warning", `Failed${verb}`, message);
      }
      throw error;
    }
    events.record(this.name, set, "Normal", `Successful${verb}`, `${subject} successful`);
  }

  /** Creates the claims of a pod, and sets the owners that the retention policy wants. */
  async #claims(set: StatefulSet, ordinal: number, pod: Pod | undefined, isScaledAway: boolean): Promise<void> {
    const { client, events } = this.#context;
    const podName = `${set.metadata.name}-${ordinal}`;
    for (const wanted of claimsFor(set, ordinal)) {
      const { namespace, name } = wanted.metadata;
      const owners = claimOwners(set, pod, isScaledAway);
      const known = client.get(CLAIMS, namespace, name);
      if (known === undefined) {
        const metadata = owners.length === 0 ? wanted.metadata : { ...wanted.metadata, ownerReferences: owners };
        await client.create(CLAIMS, { ...wanted, metadata });
        const message = `Create Claim ${name} Pod ${podName} in StatefulSet ${set.metadata.name} success`;
        events.record(this.name, set, "Normal", "SuccessfulCreate", message);
        continue;
      }
      const before = known.metadata.ownerReferences ?? [];
      const others = before.filter(({ kind, name: owner }) => {
        return !(kind === "StatefulSet" && owner === set.metadata.name) && !(kind === "Pod" && owner === podName);
      });
      const ownerReferences = [...others, ...owners];
      if (sameValue(ownerReferences, before)) continue;
      await client.update(CLAIMS, { ...known, metadata: { ...known.metadata, ownerReferences } });
    }
  }
}

const EMPTY: StatefulSetStatus = { replicas: 0, availableReplicas: 0 };

/** The status computed from the pods. When all pods have the new revision and are ready, it becomes the current one. */
export function statefulSetStatus(
  { set, current, update, now }: Plan,
  pods: readonly Pod[],
  collisionCount: number,
): StatefulSetStatus {
  const { replicas = 1, minReadySeconds = 0, updateStrategy } = set.spec;
  const staying = pods.filter((pod) => !isTerminating(pod));
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isReady(pod));
  const withRevision = (name: string) => staying.filter((pod) => revisionNameOf(pod) === name).length;
  const updated = withRevision(update.metadata.name);
  const isComplete =
    updateStrategy?.type !== "OnDelete" &&
    updated === replicas &&
    ready.length === replicas &&
    pods.length === replicas;
  const conditions = set.status?.conditions;
  return {
    ...positive("observedGeneration", set.metadata.generation ?? 0),
    replicas: pods.length,
    ...positive("readyReplicas", ready.length),
    ...positive("currentReplicas", isComplete ? updated : withRevision(current.metadata.name)),
    ...positive("updatedReplicas", updated),
    currentRevision: isComplete ? update.metadata.name : current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    ...defined({ conditions }),
  };
}
