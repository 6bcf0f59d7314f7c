import {
  defined,
  fullMessage,
  type KubeObject,
  type Reason,
  type RolloutStatus,
  shortMessage,
} from "../../../apis/index.ts";
import type { RolloutState, Target, Why } from "../../../desiredstate/index.ts";
import type { EventSink, Logger, Metrics } from "../../../observability/index.ts";
import { hasLateClusters, type Transition } from "../../../rollout/index.ts";
import { recordOn } from "../../progress/index.ts";
import { keptOf, type ObjectStates } from "../../states/index.ts";
import type { DecisionResult } from "./decision.ts";
import { DRAFT_MS, draftOn, isMinorStep } from "./rolloutDraft.ts";
import { type RolloutRequest, Rollouts, type RolloutSources } from "./rollouts.ts";

export interface RolloutStepSources extends RolloutSources {
  states: ObjectStates;
  events: EventSink;
  metrics: Pick<Metrics, "rolloutTransition">;
}

export interface ObjectRollout {
  target: Target;
  step: { lastGood?: Target; rollout?: RolloutState };
  status: RolloutStatus | undefined;
  /** A cluster is still pending, or the proof of approvals is not known: no rows follow from the status yet. */
  awaitsContact: boolean;
  /** Any report of a copy may advance the rollout. */
  isUnderWay: boolean;
  recheckAt?: number;
  decision: DecisionResult;
}

/** Writes the clusters and the rollout of an object onto the hub, unless the hub has them. */
export type Decide = (target: Target, rollout: RolloutStatus | undefined) => Promise<DecisionResult>;

/** Tracks the objects that are rolled out in stages. Reports each transition by an Event, a log line and a count. */
export class RolloutStep {
  readonly #sources: RolloutStepSources;
  readonly #rollouts: Rollouts;

  constructor(sources: RolloutStepSources) {
    this.#sources = sources;
    const { hub, observations, revisions, gates, places, approversProvenSince } = sources;
    this.#rollouts = new Rollouts({
      ...{ hub, observations, revisions, gates, places },
      ...defined({ approversProvenSince }),
    });
  }

  /** `uid`: UID of the object, if it is known. The object's revisions are then dropped from memory. */
  forget(owner: string, uid: string | undefined): void {
    const { states } = this.#sources;
    const { rolloutWarning, rolloutDraft } = states.get(owner) ?? {};
    if (rolloutWarning !== undefined || rolloutDraft !== undefined)
      states.update(owner, { rolloutWarning: undefined, rolloutDraft: undefined });
    this.#sources.gates.forget(owner);
    this.#sources.places.release(owner);
    if (uid !== undefined) this.#sources.revisions.forget(uid);
  }

  /**
   * Undefined if the object cannot be rolled out. Its rows then stay as they are, and the plan says why. `decide` writes
   * the state of the rollout: a restarted manager must know of a rollback before any row follows.
   */
  async of(
    owner: string,
    request: RolloutRequest,
    decide: Decide,
    logger: Logger,
    signal: AbortSignal,
  ): Promise<ObjectRollout | undefined> {
    const { states } = this.#sources;
    const { object, target, placement, status, now } = request;
    const draft = draftOn(states.get(owner)?.rolloutDraft, status?.rollout);
    const known = draft === undefined ? request : { ...request, status: { ...status, rollout: draft.status } };
    const plan = await this.#rollouts.plan(known, signal);
    if (plan.kind === "Refused") {
      this.#fail(owner, object, plan.why);
      return undefined;
    }
    if (plan.kind === "NoRollout") {
      this.forget(owner, object.metadata.uid);
      const rollout = placement?.spec.rollout === undefined ? undefined : status?.rollout;
      const decision = await decide(target, rollout);
      return { target, step: {}, status: rollout, awaitsContact: false, isUnderWay: false, decision };
    }
    const { lastGood, awaitsContact } = plan;
    const since = draft?.since ?? now;
    const isMinor = isMinorStep(status?.rollout, plan.status) && now < since + DRAFT_MS;
    const decision = await decide(plan.target, isMinor ? status?.rollout : plan.status);
    if (decision.kind === "Failed") throw decision.error;
    const recheckAt = isMinor ? Math.min(plan.recheckAt ?? Infinity, since + DRAFT_MS) : plan.recheckAt;
    const under = {
      step: { rollout: plan.turns, ...defined({ lastGood }) },
      ...defined({ recheckAt }),
    };
    const planned = { ...under, target: plan.target, status: plan.status, awaitsContact, decision };
    if (decision.kind === "Stale") return { ...planned, isUnderWay: true };
    states.update(owner, { rolloutDraft: isMinor ? { base: status?.rollout, status: plan.status, since } : undefined });
    this.#report(owner, object, plan.transitions, logger);
    this.#warn(owner, object, plan.unusable, logger);
    await this.#rollouts.settle(known, plan, signal);
    const isOver = plan.status.state === "Succeeded" && !hasLateClusters(plan.status);
    return { ...planned, isUnderWay: !isOver || recheckAt !== undefined || awaitsContact };
  }

  #fail(owner: string, object: KubeObject, failure: Why): void {
    const { states, events } = this.#sources;
    const before = states.planOf(owner);
    if (before?.failure?.reason !== failure.reason)
      recordOn(events, object, {
        type: "Warning",
        reason: failure.reason,
        action: "RollOut",
        note: fullMessage(failure.message),
      });
    states.setPlan(owner, { ...keptOf(before, object), failure, ours: true });
  }

  #warn(owner: string, object: KubeObject, unusable: Why | undefined, logger: Logger): void {
    if (unusable === undefined) return;
    const { reason } = unusable;
    const note = fullMessage(unusable.message);
    const { states } = this.#sources;
    if (states.get(owner)?.rolloutWarning === note) return;
    states.update(owner, { rolloutWarning: note });
    logger.warn({ object: owner, resource_uid: object.metadata.uid, event_reason: reason }, `rollout: ${note}`);
    recordOn(this.#sources.events, object, { type: "Warning", reason, action: "RollOut", note });
  }

  #report(owner: string, object: KubeObject, transitions: readonly Transition[], logger: Logger): void {
    if (transitions.length === 0) return;
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
