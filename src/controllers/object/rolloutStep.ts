import {
  defined,
  fullMessage,
  type KubeObject,
  type Reason,
  type RolloutStatus,
  shortMessage,
} from "../../apis/index.ts";
import type { RolloutState, Target, Why } from "../../desiredstate/index.ts";
import type { EventRecorder, Logger, Metrics } from "../../observability/index.ts";
import { hasLateClusters, type Transition } from "../../rollout/index.ts";
import { recordOn } from "../progress/index.ts";
import { keptOf, type Plans } from "../tables/index.ts";
import { type RolloutRequest, Rollouts, type RolloutSources } from "./rollouts.ts";

export interface RolloutStepSources extends RolloutSources {
  plans: Plans;
  events: EventRecorder;
  metrics: Pick<Metrics, "rolloutTransition">;
}

export interface ObjectRollout {
  target: Target;
  step: { lastGood?: Target; rollout?: RolloutState };
  status: RolloutStatus | undefined;
  /** The rows wait until the hub holds the state that they follow from: a restarted manager must know of a rollback. */
  isHeld: boolean;
  awaitsContact: boolean;
  recheckAt?: number;
}

/** Tracks the objects that are rolled out in stages. Reports each transition by an Event, a log line and a count. */
export class RolloutStep {
  readonly #sources: RolloutStepSources;
  readonly #rollouts: Rollouts;
  /** Objects whose rollout is under way. Any observation of their copies may advance the rollout. */
  readonly #open = new Set<string>();
  readonly #held = new Set<string>();
  /** Reported transitions by object. The same transitions are computed again while their status is being written. */
  readonly #reported = new Map<string, string>();
  readonly #warned = new Map<string, string>();

  constructor(sources: RolloutStepSources) {
    this.#sources = sources;
    const { hub, observations, revisions, gates, places, approversProvenSince } = sources;
    this.#rollouts = new Rollouts({
      ...{ hub, observations, revisions, gates, places },
      ...defined({ approversProvenSince }),
    });
  }

  isOpen(owner: string): boolean {
    return this.#open.has(owner);
  }

  isHeld(owner: string): boolean {
    return this.#held.has(owner);
  }

  open(): Iterable<string> {
    return [...this.#open];
  }

  /** `uid`: UID of the object, if it is known. The object's revisions are then dropped from memory. */
  forget(owner: string, uid: string | undefined): void {
    this.#open.delete(owner);
    this.#held.delete(owner);
    this.#reported.delete(owner);
    this.#warned.delete(owner);
    this.#sources.gates.forget(owner);
    this.#sources.places.release(owner);
    if (uid !== undefined) this.#sources.revisions.forget(uid);
  }

  /** Undefined if the object cannot be rolled out. Its rows then stay as they are, and the plan says why. */
  async of(
    owner: string,
    request: RolloutRequest,
    logger: Logger,
    signal: AbortSignal,
  ): Promise<ObjectRollout | undefined> {
    const { object, target, placement, status } = request;
    const plan = await this.#rollouts.plan(request, signal);
    if (plan.kind === "Refused") {
      this.#fail(owner, object, plan.why);
      return undefined;
    }
    if (plan.kind === "NoRollout") {
      this.forget(owner, object.metadata.uid);
      const rollout = placement?.spec.rollout === undefined ? undefined : status?.rollout;
      return { target, step: {}, status: rollout, isHeld: false, awaitsContact: false };
    }
    const { isDurable } = plan;
    const isOver = plan.status.state === "Succeeded" && !hasLateClusters(plan.status);
    if (isDurable) this.#held.delete(owner);
    else this.#held.add(owner);
    if (isDurable && isOver && plan.recheckAt === undefined && !plan.awaitsContact) this.#open.delete(owner);
    else this.#open.add(owner);
    this.#report(owner, object, plan.transitions, logger);
    this.#warn(owner, object, plan.unusable, logger);
    const { lastGood, awaitsContact, recheckAt } = plan;
    return {
      target: plan.target,
      step: { rollout: plan.turns, ...defined({ lastGood }) },
      status: plan.status,
      isHeld: !isDurable || awaitsContact,
      awaitsContact,
      ...defined({ recheckAt }),
    };
  }

  #fail(owner: string, object: KubeObject, failure: Why): void {
    const { plans, events } = this.#sources;
    const before = plans.get(owner);
    if (before?.failure?.reason !== failure.reason)
      recordOn(events, object, {
        type: "Warning",
        reason: failure.reason,
        action: "RollOut",
        note: fullMessage(failure.message),
      });
    plans.set(owner, { ...keptOf(before, object), failure, ours: true });
  }

  #warn(owner: string, object: KubeObject, unusable: Why | undefined, logger: Logger): void {
    if (unusable === undefined) return;
    const { reason } = unusable;
    const note = fullMessage(unusable.message);
    if (this.#warned.get(owner) === note) return;
    this.#warned.set(owner, note);
    logger.warn({ object: owner, resource_uid: object.metadata.uid, event_reason: reason }, `rollout: ${note}`);
    recordOn(this.#sources.events, object, { type: "Warning", reason, action: "RollOut", note });
  }

  #report(owner: string, object: KubeObject, transitions: readonly Transition[], logger: Logger): void {
    if (transitions.length === 0) return;
    const text = JSON.stringify(transitions);
    if (this.#reported.get(owner) === text) return;
    this.#reported.set(owner, text);
    const { events, metrics } = this.#sources;
    for (const { of, name, from, to, reason, revision } of transitions) {
      metrics.rolloutTransition(of, to);
      const what = of === "Run" ? "the rollout" : `${of.toLowerCase()} ${name ?? ""}`;
      const before = from === "" ? "" : `, was ${from}`;
      const why = reason === undefined ? "" : ` (${reason})`;
      const said = `revision ${revision}: ${what} is ${to}${why}${before}`;
      const event =
        of === "Run" ? (REASONS[to] ?? "RolloutProgressing") : of === "Stage" ? "RolloutStage" : "RolloutCluster";
      const fields = { object: owner, resource_uid: object.metadata.uid, event_reason: event };
      // The workers log the writes to each cluster.
      const level = of === "Cluster" ? "debug" : to === "Failed" ? "warn" : "info";
      logger[level](fields, `rollout: ${said}`);
      recordOn(events, object, {
        type: to === "Failed" || to === "RollingBack" || to === "RolledBack" ? "Warning" : "Normal",
        reason: event,
        action: "RollOut",
        note: shortMessage(said),
      });
    }
  }
}

const REASONS: Readonly<Record<string, Reason>> = {
  Planned: "RolloutPlanned",
  Progressing: "RolloutProgressing",
  Paused: "RolloutPaused",
  RollingBack: "RollingBack",
  RolledBack: "RolledBack",
  Succeeded: "RolloutSucceeded",
  Superseded: "RolloutSuperseded",
};
