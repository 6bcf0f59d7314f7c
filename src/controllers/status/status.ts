import { type FederatedStatus, isResponsible, type KubeObject, refKey, refOf } from "../../apis/index.ts";
import type { PlacedKind, StatusStore } from "../../hub/index.ts";
import { follow, type Following, type Metrics, type Tracer } from "../../observability/index.ts";
import {
  type Client,
  type Clock,
  done,
  type Enqueue,
  from,
  isNotFound,
  type ReconcileContext,
  type Reconciler,
  requeueAfter,
  type Result,
  type Source,
} from "../../runtime/index.ts";
import { aggregate } from "../../status/index.ts";
import {
  type AssignmentChange,
  logFieldsOf,
  type ObservationChange,
  type Plan,
  type PlanChange,
  type ObjectStates,
  spanAttributes,
} from "../tables/index.ts";
import { awaitsAnswer, hasBegun, openCell, type RowProgressSources } from "./rowProgress.ts";
import { clusterViews, type ViewSources } from "./clusterViews.ts";
import { recordedKindsOf } from "./bundleKinds.ts";
import { classesOf, type ControllerClasses, holdersBeside } from "../facts/index.ts";
import { heldFor, writeDue, WriteRate } from "./debounce.ts";
import { patienceLeft, type ProgressSinks, recordProgress } from "./progressEvents.ts";
import { reportTrouble, type TroubleSinks } from "./statusEvents.ts";
import { StatusSums } from "./statusSums.ts";
import { phaseOf, writeStatus } from "./statusWrites.ts";
import { newTracked, noteRows, saysReady, tookToPropagate, type Tracked } from "./trackedStatus.ts";
import { startupDelayFor } from "./startupDelay.ts";
import { changedBounds, validated } from "./validated.ts";

export interface StatusReconcilerOptions extends ViewSources, TroubleSinks, ProgressSinks {
  states: ObjectStates;
  classes: ControllerClasses;
  store: StatusStore;
  client: Client;
  clock: Clock;
  metrics: Metrics;
  tracer: Tracer;
}

/** Keeps the status of every hub object up to date. Writes are debounced, so that many changes cost few writes. */
export class StatusReconciler implements Reconciler {
  readonly #options: StatusReconcilerOptions;
  readonly #tracked = new Map<string, Tracked>();
  readonly #rate = new WriteRate();
  readonly #sums: StatusSums;
  readonly #rows: RowProgressSources;
  readonly #carriedOut = new Set<string>();
  readonly #startedAt: number;

  constructor(options: StatusReconcilerOptions) {
    this.#options = options;
    const { client, clock, states, assignments, observations } = options;
    this.#startedAt = clock.monotonic();
    this.#sums = new StatusSums({ client, clock });
    this.#rows = { states, assignments, observations };
  }

  sources(): Source[] {
    const { states, assignments, observations, contacts, hub } = this.#options;
    return [
      { subscribe: (enqueue) => states.planChanges.subscribe((change) => this.#planned(change, enqueue)) },
      { subscribe: (enqueue) => assignments.changes.subscribe((change) => this.#assigned(change, enqueue)) },
      { subscribe: (enqueue) => observations.changes.subscribe((change) => this.#observed(change, enqueue)) },
      { subscribe: (enqueue) => assignments.departures.subscribe((owner) => this.#changed(owner, enqueue)) },
      from(contacts.changes).map((cluster) => this.#changedOn(cluster)),
      // Somebody deleted the binding that holds the status: a new binding is created.
      {
        subscribe: (enqueue) =>
          hub.bindings.events.subscribe(({ type, key }) => {
            if (type === "Deleted") this.#changed(key, enqueue);
          }),
      },
      from(hub.namespaces)
        .when(changedBounds)
        .map(({ object }) => this.#changedIn(object.metadata.name)),
    ];
  }

  /** A status reports the results of the last plan. */
  follows(owner: string): Following {
    const { states, clock } = this.#options;
    return follow(states.traces.lastOf(owner), clock.now());
  }

  logFields(owner: string): Record<string, string | undefined> {
    return logFieldsOf(this.#options.hub, owner);
  }

  dueIn(owner: string): number {
    const tracked = this.#tracked.get(owner);
    const plan = this.#options.states.planOf(owner);
    if (tracked === undefined || plan?.ours !== true) return 0;
    return Math.max(this.#dueIn(owner, tracked), this.#goneFor(owner, tracked, this.#options.clock.monotonic()));
  }

  async reconcile(owner: string, signal: AbortSignal, context: ReconcileContext): Promise<Result> {
    const { hub, states, classes, clock, store, assignments, observations } = this.#options;
    const tracked = this.#tracked.get(owner);
    const plan = states.planOf(owner);
    if (tracked === undefined || plan?.ours !== true) return done;
    const dueIn = this.#dueIn(owner, tracked);
    if (dueIn > 0) return requeueAfter(dueIn);
    const found = hub.object(owner);
    // A status is written only for the object's UID in the plan, and never for an object of another class.
    if (found === undefined || found.object.metadata.uid !== plan.uid) return done;
    if (!isResponsible(classes.of(found.object))) return done;
    context.span?.setAttributes(spanAttributes(owner, found.object));
    const now = clock.monotonic();
    const waitMs = Math.max(
      startupDelayFor({ hub, store, assignments, observations }, owner, plan, now - this.#startedAt),
      this.#goneFor(owner, tracked, now),
    );
    if (waitMs > 0) return requeueAfter(waitMs);

    try {
      tracked.changed = false;
      await this.#update(owner, tracked, plan, found, context, signal);
      const patience = [undefined, ...plan.remaining].map((cluster) => this.#patienceLeft(found.object, cluster));
      const soonest = Math.min(...patience.filter((ms) => ms > 0));
      if (soonest < Infinity) return requeueAfter(soonest);
    } catch (error) {
      tracked.changed = true;
      if (!isNotFound(error)) throw error;
    }
    return done;
  }

  #isDeletion(owner: string): boolean {
    const plan = this.#options.states.planOf(owner);
    // An object that could not be planned is not being deleted.
    return plan !== undefined && plan.target === undefined && plan.failure === undefined;
  }

  #goneFor(owner: string, tracked: Tracked, now: number): number {
    if (!this.#isDeletion(owner) || !this.#isComplete(owner, tracked) || awaitsAnswer(this.#rows, owner)) {
      tracked.goneAt = undefined;
      return 0;
    }
    tracked.goneAt ??= now;
    return heldFor(now - tracked.goneAt, this.#options.hub.object(owner)?.object.metadata.finalizers);
  }

  #planned({ owner, before, after }: PlanChange, enqueue: Enqueue): void {
    if (after?.ours !== true) {
      this.#forget(owner);
      return;
    }
    const tracked = this.#track(owner);
    // A deletion is carried out like a plan and replaces the previous plan.
    if (after.target === undefined && before?.target !== undefined) this.#carriedThrough(owner, tracked);
    this.#changed(owner, enqueue);
  }

  #assigned({ owner }: AssignmentChange, enqueue: Enqueue): void {
    const tracked = this.#tracked.get(owner);
    if (tracked === undefined) return;
    const { clock, hub, states } = this.#options;
    const now = clock.monotonic();
    noteRows(tracked, states.planOf(owner), now);
    const isComplete = this.#isComplete(owner, tracked);
    if (!isComplete) {
      tracked.plannedAt = now;
      // A deletion counts as begun: most copies are gone while progress is collected, and cost no write.
      tracked.movedAt = this.#isDeletion(owner) ? now : undefined;
      const { object, kind } = hub.object(owner) ?? {};
      tracked.saysReady = object !== undefined && saysReady(object, hub.statuses.of(object, kind));
      this.#carriedOut.add(owner);
    }
    this.#changed(owner, enqueue, isComplete);
  }

  #observed(change: ObservationChange, enqueue: Enqueue): void {
    for (const owner of this.#options.assignments.ownersOfChange(change)) this.#changed(owner, enqueue);
  }

  #changed(owner: string, enqueue: Enqueue, isComplete?: boolean): void {
    const tracked = this.#noteChange(owner);
    if (tracked !== undefined) enqueue(owner, Math.max(0, this.#dueIn(owner, tracked, isComplete)));
  }

  /** Records that an input of the status has changed; undefined if this manager does not write that status. */
  #noteChange(owner: string): Tracked | undefined {
    const tracked = this.#tracked.get(owner);
    if (tracked === undefined) return undefined;
    const now = this.#options.clock.monotonic();
    const { plannedAt, movedAt } = tracked;
    if (movedAt === undefined && plannedAt !== undefined && hasBegun(this.#rows, owner, plannedAt))
      tracked.movedAt = now;
    if (!tracked.changed) tracked.changedAt = now;
    tracked.changed = true;
    return tracked;
  }

  /** The objects with rows, copies or a plan on the cluster. Yields undefined where the caller may pause. */
  *#changedOn(cluster: string): Iterable<string | undefined> {
    const { assignments, observations, states } = this.#options;
    const seen = new Set<string>();
    const isNew = (owner: string): boolean =>
      !seen.has(owner) && seen.add(owner).has(owner) && this.#noteChange(owner) !== undefined;
    for (const cell of assignments.in(cluster)) for (const owner of cell.rows.keys()) if (isNew(owner)) yield owner;
    for (const { present } of observations.in(cluster)) {
      const owner = present?.owner === undefined ? undefined : refKey(present.owner);
      if (owner !== undefined && isNew(owner)) yield owner;
    }
    for (const [owner, { target }] of states.plans()) {
      const isThere = target?.clusters.some(({ name }) => name === cluster) === true;
      yield isThere && isNew(owner) ? owner : undefined;
    }
  }

  *#changedIn(namespace: string): Iterable<string> {
    for (const object of this.#options.hub.objectsIn(namespace)) {
      const owner = refKey(refOf(object));
      if (this.#noteChange(owner) !== undefined) yield owner;
    }
  }

  #track(owner: string): Tracked {
    const tracked = this.#tracked.get(owner) ?? newTracked();
    this.#tracked.set(owner, tracked);
    return tracked;
  }

  waitsOf(owner: string): readonly string[] {
    return this.#tracked.get(owner)?.progress.waited ?? [];
  }

  #forget(owner: string): void {
    this.#tracked.delete(owner);
    this.#carriedOut.delete(owner);
    this.#sums.forget(owner);
  }

  #carriedThrough(owner: string, tracked: Tracked): void {
    tracked.plannedAt = undefined;
    this.#carriedOut.delete(owner);
  }

  #dueIn(
    owner: string,
    tracked: Tracked,
    isComplete = tracked.plannedAt === undefined || this.#isComplete(owner, tracked),
  ): number {
    const now = this.#options.clock.monotonic();
    const load = { ...this.#rate.load(now), plans: this.#carriedOut.size };
    return writeDue(tracked, isComplete, load) - now;
  }

  #isComplete(owner: string, tracked: Tracked): boolean {
    tracked.open = openCell(this.#rows, owner, tracked.open);
    return tracked.open === undefined;
  }

  /** Milliseconds until the deletion is overdue. For a cluster that was lost, the time counts from its return. */
  #patienceLeft(object: KubeObject, cluster: string | undefined): number {
    const { clock, contacts } = this.#options;
    return patienceLeft(object, clock.now(), cluster === undefined ? undefined : contacts.returnedAt(cluster));
  }

  async #update(
    owner: string,
    tracked: Tracked,
    plan: Plan,
    { object, kind }: { object: KubeObject; kind: PlacedKind },
    context: ReconcileContext,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, clock, classes, hub, assignments, observations, contacts } = this.#options;
    const complete = this.#isComplete(owner, tracked);
    const previous = store.read(owner);
    const clusters = clusterViews({ hub, assignments, observations, contacts }, owner, plan);
    const sum = await this.#sums.write(owner, { object, kind }, plan.target, clusters, signal);
    const status = aggregate(
      {
        generation: plan.generation,
        ...classesOf(object),
        deleting: this.#isDeletion(owner),
        deletedAt: object.metadata.deletionTimestamp,
        heldBy: holdersBeside(classes, object),
        isOverdue: (cluster) => this.#patienceLeft(object, cluster) === 0,
        previous,
        target: plan.target,
        failure: plan.failure,
        validated: validated(object, hub.namespaces, previous),
        sum,
        rollout: plan.failure === undefined ? plan.rollout : previous?.rollout,
        podSelector: kind.interpreter.podSelector(object),
        ...(kind.interpreter.holdsManifests === true ? { isBundle: true } : {}),
        kinds: recordedKindsOf(this.#rows, { owner, object, interpreter: kind.interpreter }, plan, previous),
        clusters,
      },
      clock.now(),
    );
    this.#report(owner, tracked, plan, object, status, complete);
    // The outcome of the last write may be unknown, or the binding that held the status be gone.
    if (status !== previous || !store.isAnswered(owner) || !store.isKept(owner))
      await this.#write(owner, tracked, { object, kind }, status, context, signal);
    if (sum?.error !== undefined) throw sum.error;
  }

  async #write(
    owner: string,
    tracked: Tracked,
    found: { object: KubeObject; kind: PlacedKind },
    status: FederatedStatus,
    context: ReconcileContext,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, store, tracer, classes, hub } = this.#options;
    // Another class may have claimed the object since the status was computed.
    const present = hub.object(owner)?.object;
    if (present !== undefined && !isResponsible(classes.of(present))) return;
    tracked.earlierWriteAt = tracked.lastWriteAt;
    tracked.lastWriteAt = clock.monotonic();
    this.#rate.count(tracked.lastWriteAt);
    await writeStatus({ store, tracer }, owner, found, status, context, signal);
    this.#rate.took(clock.monotonic() - tracked.lastWriteAt);
  }

  #report(
    owner: string,
    tracked: Tracked,
    plan: Plan,
    object: KubeObject,
    status: FederatedStatus,
    complete: boolean,
  ): void {
    const { metrics, clock, store, events, recoveries, warnings } = this.#options;
    metrics.setObjectState(owner, object.kind, phaseOf(status));
    const previous = store.read(owner);
    recordProgress({ events, recoveries }, object, { previous, status, now: clock.now() }, tracked.progress);
    reportTrouble({ events, warnings, store }, owner, object, { previous, status }, plan.target);
    if (!complete) return;
    this.#carriedThrough(owner, tracked);
    if (status.conditions?.find(({ type }) => type === "Applied")?.status !== "True") return;
    const took = tookToPropagate(tracked, plan, clock.monotonic());
    if (took !== undefined) metrics.observePropagation(took);
  }
}
