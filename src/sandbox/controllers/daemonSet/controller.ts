import type { KubeObject } from "../../../apis/index.ts";
import type { ResourceName, WatchEvent } from "../../types.ts";
import { matchesSelector, selectsAll } from "../../labelSelectors.ts";
import {
  claim,
  type Context,
  type Controller,
  createPod,
  DAEMON_SETS,
  deletePod,
  failureOf,
  isTerminating,
  nextAvailability,
  NODES,
  owningNames,
  type Pod,
  podFromTemplate,
  PODS,
  type Result,
  sameValue,
  syncHistory,
  truncateHistory,
} from "../shared/index.ts";
import type { Node } from "../nodes/index.ts";
import {
  type DaemonSet,
  daemonSetStatus,
  HASH_LABEL,
  nextActions,
  type Situation,
  targetNode,
  templateFor,
} from "./plan.ts";

/** Keeps one pod of each DaemonSet on every eligible node. */
export class DaemonSetController implements Controller {
  readonly name = "daemonset-controller";
  readonly resources = [DAEMON_SETS, PODS, NODES];
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  observe({ plural }: ResourceName, { type, object }: WatchEvent, old: KubeObject | undefined): void {
    const { namespace, name } = object.metadata;
    if (plural === DAEMON_SETS.plural) {
      if (type !== "DELETED") this.#context.enqueue(this.name, namespace, name);
    } else if (plural === PODS.plural) {
      for (const owner of owningNames([object, old], "DaemonSet")) this.#context.enqueue(this.name, namespace, owner);
    } else {
      const facts = (node: KubeObject | undefined) => [node?.metadata.labels, node?.["spec"]];
      if (old !== undefined && type !== "DELETED" && sameValue(facts(object), facts(old))) return;
      for (const { metadata } of this.#context.client.list(DAEMON_SETS)) {
        this.#context.enqueue(this.name, metadata.namespace, metadata.name);
      }
    }
  }

  async reconcile(namespace: string | undefined, name: string): Promise<Result> {
    const { client, clock, events, graph } = this.#context;
    const set = client.get(DAEMON_SETS, namespace, name) as DaemonSet | undefined;
    if (set === undefined || isTerminating(set)) return undefined;
    if (selectsAll(set.spec.selector)) {
      const message = "This daemon set is selecting all pods. A non-empty selector is required.";
      events.record(this.name, set, "Warning", "SelectingAll", message);
      return undefined;
    }
    await claim<Pod>(this.#context, set, PODS, set.spec.selector);
    const history = await syncHistory(this.#context, set, HASH_LABEL, set.status?.collisionCount ?? 0);
    const hash = history.update.metadata.labels?.[HASH_LABEL] ?? "";
    const situation = (): Situation => ({
      set,
      nodes: client.list(NODES) as readonly Node[],
      pods: graph
        .controlled<Pod>(set, PODS)
        .filter((pod) => targetNode(pod) !== undefined && matchesSelector(set.spec.selector, pod.metadata.labels)),
      hash,
      now: clock.now(),
    });
    const failure = await failureOf(() => this.#act(situation()));
    const after = situation();
    const status = daemonSetStatus(after, history.collisions);
    if (!sameValue(status, set.status)) await client.update(DAEMON_SETS, { ...set, status }, "status");
    const live = new Set([hash, ...after.pods.map(({ metadata }) => metadata.labels?.[HASH_LABEL])]);
    const limit = set.spec.revisionHistoryLimit ?? 10;
    await truncateHistory(
      this.#context,
      history.revisions,
      ({ metadata }) => live.has(metadata.labels?.[HASH_LABEL]),
      limit,
    );
    if (failure !== undefined) throw failure;
    const wait = nextAvailability(after.pods, set.spec.minReadySeconds ?? 0, after.now);
    return wait === undefined ? undefined : { after: wait };
  }

  async #act(situation: Situation): Promise<void> {
    const { set, hash } = situation;
    const actions = nextActions(situation);
    for (const node of actions.create) {
      await createPod(this.#context, this.name, set, podFromTemplate(set, templateFor(set, hash, node)));
    }
    for (const pod of actions.delete) {
      if (actions.ended.includes(pod)) this.#reportEnd(set, pod);
      await deletePod(this.#context, this.name, set, pod);
    }
  }

  #reportEnd(set: DaemonSet, pod: Pod): void {
    const place = `daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${pod.spec.nodeName}`;
    const { events } = this.#context;
    if (pod.status?.phase === "Failed") {
      events.record(this.name, set, "Warning", "FailedDaemonPod", `Found failed ${place}, will try to kill it`);
    } else {
      events.record(this.name, set, "Normal", "SucceededDaemonPod", `Found succeeded ${place}, will try to delete it`);
    }
  }
}
