import type { FederatedStatus, KubeObject } from "../../apis/index.ts";
import {
  assembleSnapshot,
  computeTarget,
  copiesToPlan,
  isUnrecorded,
  leftBehind,
  type Snapshot,
  type Target,
  type WaitFor,
  waitsOfRoom,
} from "../../desiredstate/index.ts";
import type { PlacedObject, StatusStore } from "../../hub/index.ts";
import { type EventSink, type Metrics, startSpan, type Tracer } from "../../observability/index.ts";
import {
  type Client,
  type Clock,
  done,
  type ReconcileContext,
  requeueAfter,
  type Result,
} from "../../runtime/index.ts";
import {
  type CopySources,
  type EvictionPace,
  type HubNamespaces,
  type PendingMembers,
  RETRY_FINALIZER_MS,
} from "../facts/index.ts";
import { type DelayedWarnings, logProblems, recordDecision, recordStart, warnLater } from "../progress/index.ts";
import { lifeOf, type Plan } from "../states/index.ts";
import {
  attempted,
  awaitsMembers,
  claim,
  footprintOf,
  isForMembers,
  type Leftovers,
  leftoversBeside,
  logChange,
  logEnd,
  logPlan,
  type ResolvedObject,
  resolvedOf,
  type RowPlanner,
  waitsOfRollout,
} from "./plan/index.ts";
import { type Decide, type ObjectRollout, recordPlanned, type RolloutStep } from "./rollout/index.ts";
import { isOver, type ObjectEnds, releaseHubObject } from "./ends/index.ts";

export interface PlacingOptions extends CopySources {
  client: Client;
  store: Pick<StatusStore, "record" | "decide" | "bind" | "unbind">;
  namespaces: HubNamespaces;
  pace: EvictionPace;
  clock: Clock;
  metrics: Metrics;
  tracer: Tracer;
  events: EventSink;
  warnings: Pick<DelayedWarnings, "warn">;
  pendingMembers: PendingMembers;
  rolloutStep: RolloutStep;
  rows: RowPlanner;
  ends: ObjectEnds;
}

/** The object of one reconcile. */
interface Subject extends PlacedObject {
  owner: string;
  kind: NonNullable<ReturnType<CopySources["hub"]["object"]>>["kind"];
  context: ReconcileContext;
  signal: AbortSignal;
  /** The plan before this reconcile. */
  before: Plan | undefined;
  status: FederatedStatus | undefined;
}

interface Computed {
  resolved: ResolvedObject;
  snapshot: Snapshot;
  target: Target;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * Plans an object that is to run on members, in steps: gather what the object needs, compute the target, claim the
 * object, advance the rollout, record the decision on the hub, and hand rows to the workers. A step that cannot go on
 * leaves a wait behind; the rows stay as they are until then.
 */
export class Placing {
  readonly #options: PlacingOptions;

  constructor(options: PlacingOptions) {
    this.#options = options;
  }

  async run(owner: string, found: Pick<Subject, "object" | "kind">, context: ReconcileContext, signal: AbortSignal) {
    const { client, hub, hubState, states, events, namespaces, pendingMembers, clock, store, classes } = this.#options;
    const { dependencies } = this.#options;
    const { object, kind } = found;
    const startedAt = clock.monotonic();
    const before = states.planOf(owner);
    const subject: Subject = { owner, object, kind, context, signal, before, status: hub.statuses.of(object, kind) };
    if (before?.generation !== object.metadata.generation) recordStart(events, object);
    const resolved = this.#attempt(subject, () => resolvedOf({ hub, hubState, dependencies }, owner, found));
    if (resolved === undefined) return this.#postpone(owner, { for: "dependency" });
    const { namespace } = object.metadata;
    if (namespace !== undefined && namespaces.termsFor(object) === undefined)
      return this.#postpone(owner, { for: "dependency", of: namespace });
    const computed = this.#compute(subject, resolved, startedAt);
    if (isUnrecorded(computed.snapshot.previous) && before?.uid !== object.metadata.uid) {
      const since = states.waits.of(owner).find(isForMembers)?.since;
      const leftMs = pendingMembers.leftFor(
        since ?? computed.now,
        computed.now,
        resolved.choice.placement,
        computed.target,
      );
      if (leftMs > 0) {
        // Rows of an earlier object with this name could remove copies that the present object is to keep.
        this.#options.assignments.replace(owner, []);
        states.waits.set(owner, [{ for: "contact", until: computed.now + leftMs }], computed.now);
        return requeueAfter(leftMs);
      }
    }
    const claimed = await claim({ client, hub, store, events, classes }, object, kind, computed.target, signal);
    if (claimed === undefined) return requeueAfter(RETRY_FINALIZER_MS);
    states.traces.claimed(owner, object, claimed);
    return await this.#rollOut(subject, claimed, computed);
  }

  #compute(subject: Subject, resolved: ResolvedObject, startedAt: number): Computed {
    const { owner, object, context, before, status } = subject;
    const { hub, hubState, states, clock, metrics, tracer, pace } = this.#options;
    if (!awaitsMembers(states.waits.of(owner))) logChange(context, owner, object, { plan: before, status });
    const now = hub.now();
    const computing = startSpan(tracer, "ComputeTarget", { parent: context.span });
    const snapshot = this.#attempt(subject, () => assembleSnapshot(hubState, object, resolved));
    const waitedMs = now - (states.waits.since(owner, "dependency") ?? now);
    metrics.observePhase("fetch", clock.monotonic() - startedAt + waitedMs);
    const target = this.#attempt(subject, () => computeTarget(snapshot, now));
    pace.note(owner, target, now);
    computing.end();
    return { resolved, snapshot, target, now };
  }

  async #rollOut(subject: Subject, claimed: KubeObject, computed: Computed): Promise<Result> {
    const { owner, object, kind, context, signal, status } = subject;
    const { hub, hubState, store, rolloutStep, rows, assignments, observations, progress } = this.#options;
    const sources = { hub, hubState, assignments, observations, progress };
    const { resolved, snapshot, target: wanted, now } = computed;
    const { placement } = resolved.choice;
    const leftovers = (target: Target): Leftovers =>
      leftoversBeside(sources, target, () => footprintOf(kind, object, resolved.needs.dependencies));
    const decide: Decide = async (target, rollout) => {
      let open: ReadonlySet<string> | undefined;
      const isOpen = (cluster: string): boolean => (open ??= leftovers(target).open).has(cluster);
      return await recordPlanned(store, owner, { object, kind }, { target, rollout, isOpen }, signal);
    };
    const copies = () => copiesToPlan(hubState, owner, wanted);
    const request = { owner, object, placement, snapshot, target: wanted, observations: copies, status, now };
    const rollout = await rolloutStep.of(owner, request, decide, context.logger, signal);
    if (rollout === undefined || rollout.decision.kind === "Stale") return done;
    const next = this.#attempt(subject, () => rows.step(owner, wanted, leftBehind(rollout.target.owner), rollout));
    const remains = leftovers(rollout.target);
    if (isOver(kind, wanted, remains)) return await this.#release(subject);
    return this.#hand(subject, claimed, { rollout, next, remains, now });
  }

  async #release({ owner, object, kind, context, signal }: Subject): Promise<Result> {
    const { client, store, classes, ends } = this.#options;
    if (!(await releaseHubObject({ client, store, classes }, object, kind, signal)))
      return requeueAfter(RETRY_FINALIZER_MS);
    logEnd(context, owner, object);
    return ends.leave(owner, object, "Unplanned");
  }

  /** Sets the plan, and hands its rows to the workers: rows for clusters that the hub does not name stay back. */
  #hand(
    subject: Subject,
    claimed: KubeObject,
    planned: { rollout: ObjectRollout; next: ReturnType<RowPlanner["step"]>; remains: Leftovers; now: number },
  ): Result {
    const { owner, context } = subject;
    const { states, store, rows, progress, hub } = this.#options;
    const { rollout, next, remains, now } = planned;
    const { target, awaitsContact, decision, status } = rollout;
    states.update(owner, { life: "Placing", finalization: undefined, deletionPolicy: undefined });
    states.setPlan(owner, {
      ...lifeOf(claimed),
      target,
      remaining: remains.open,
      rollout: status,
      awaitsContact,
      ours: true,
    });
    const waits = [...waitsOfRollout(rollout), ...waitsOfRoom(target)];
    if (awaitsContact) {
      states.waits.add(owner, waits, hub.now());
      return done;
    }
    const recheckAt = Math.min(next.recheckAt ?? Infinity, rollout.recheckAt ?? Infinity);
    if (recheckAt < Infinity) waits.push({ for: "window", until: recheckAt });
    const recorded = decision.kind === "Failed" ? store.record(owner).clusters : undefined;
    const allowed = next.rows.filter(({ verb, cluster }) => verb !== "Apply" || recorded?.has(cluster) !== false);
    const changed = rows.assign(owner, [...allowed, ...remains.rows], context, waits);
    progress.planned(owner);
    this.#report(subject, target, changed);
    if (decision.kind === "Failed") throw decision.error;
    return recheckAt === Infinity ? done : requeueAfter(Math.max(1, recheckAt - now));
  }

  /** Reports a plan in Events, metrics and the log. */
  #report({ owner, object, context, before, status }: Subject, target: Target, changed: ReadonlySet<string>): void {
    const { states, events, metrics, warnings } = this.#options;
    recordDecision(
      events,
      object,
      target,
      { before: before?.target, status },
      {
        warn: (warning) => warnLater({ states, warnings }, owner, warning),
        failedOver: (reason) => metrics.failedOver(reason),
      },
    );
    logProblems(context.logger, owner, target, before?.target);
    logPlan(context, owner, object, target, { plan: before, status, cause: states.traces.takeCause(owner) }, changed);
  }

  /** The rows and the other waits stay as they are. The end of the wait wakes the object. */
  #postpone(owner: string, wait: WaitFor): Result {
    const { states, hub } = this.#options;
    states.waits.add(owner, [wait], hub.now());
    return done;
  }

  #attempt<T>({ owner, object }: Subject, plan: () => T): T {
    const { states, events } = this.#options;
    return attempted({ states, events }, owner, object, plan);
  }
}
