import { type ClusterStatusEntry, type FederatedStatus, isResponsible, type KubeObject } from "../../apis/index.ts";
import type { PlacedKind, StatusStore } from "../../hub/index.ts";
import { follow, type Following, type Metrics, type Tracer } from "../../observability/index.ts";
import {
  type Client,
  type Clock,
  done,
  from,
  isNotFound,
  type ReconcileContext,
  type Reconciler,
  requeueAfter,
  type Result,
  type Source,
} from "../../runtime/index.ts";
import { aggregate, type Aggregated, aggregated, type ClusterView, type StatusInput } from "../../status/index.ts";
import { logFieldsOf, spanAttributes } from "../tables/index.ts";
import type { Plan, ObjectStates, Tracked } from "../states/index.ts";
import type { RowProgressSources } from "./rowProgress.ts";
import { clusterViews, type ViewSources } from "./clusterViews.ts";
import { recordedKindsOf } from "./bundleKinds.ts";
import { classesOf, type ControllerClasses, holdersBeside } from "../facts/index.ts";
import { patienceLeft, type ProgressSinks, recordProgress } from "./progressEvents.ts";
import { reportTrouble, type TroubleSinks } from "./statusEvents.ts";
import { StatusSums } from "./statusSums.ts";
import { StatusChanges } from "./statusChanges.ts";
import { phaseOf, writeStatus } from "./statusWrites.ts";
import { tookToPropagate } from "./trackedStatus.ts";
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
  readonly #changes: StatusChanges;
  readonly #sums: StatusSums;
  readonly #rows: RowProgressSources;
  readonly #startedAt: number;

  constructor(options: StatusReconcilerOptions) {
    this.#options = options;
    const { client, clock, hub, states, assignments, observations } = options;
    this.#changes = new StatusChanges({ hub, states, assignments, observations, clock });
    this.#startedAt = clock.monotonic();
    this.#sums = new StatusSums({ client, clock });
    this.#rows = { states, assignments, observations };
  }

  sources(): Source[] {
    const { states, assignments, observations, contacts, hub } = this.#options;
    const changes = this.#changes;
    return [
      { subscribe: (enqueue) => states.planChanges.subscribe((change) => changes.planned(change, enqueue)) },
      { subscribe: (enqueue) => assignments.changes.subscribe((change) => changes.assigned(change, enqueue)) },
      { subscribe: (enqueue) => observations.changes.subscribe((change) => changes.observed(change, enqueue)) },
      { subscribe: (enqueue) => assignments.departures.subscribe((owner) => changes.changed(owner, enqueue)) },
      from(contacts.changes).map((cluster) => changes.changedOn(cluster)),
      // Somebody deleted the binding that holds the status: a new binding is created.
      {
        subscribe: (enqueue) =>
          hub.bindings.events.follow(({ type, key }) => {
            if (type === "Deleted") changes.changed(key, enqueue);
          }),
      },
      from(hub.namespaces)
        .when(changedBounds)
        .map(({ object }) => changes.changedIn(object.metadata.name)),
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

  /** Counts changes whose time for propagation is over. Called for each scrape. */
  countLate(): void {
    const { clock, metrics } = this.#options;
    metrics.propagationLate(this.#changes.countLate(clock.monotonic(), metrics.objectives.propagatedMs));
  }

  dueIn(owner: string): number {
    const tracked = this.#changes.get(owner);
    const plan = this.#options.states.planOf(owner);
    if (tracked === undefined || plan?.ours !== true) return 0;
    const now = this.#options.clock.monotonic();
    return Math.max(this.#changes.dueIn(owner, tracked), this.#changes.goneFor(owner, tracked, now));
  }

  async reconcile(owner: string, signal: AbortSignal, context: ReconcileContext): Promise<Result> {
    const { hub, states, classes, clock, store, assignments, observations } = this.#options;
    const tracked = this.#changes.get(owner);
    const plan = states.planOf(owner);
    if (tracked === undefined || plan?.ours !== true) return done;
    const dueIn = this.#changes.dueIn(owner, tracked);
    if (dueIn > 0) return requeueAfter(dueIn);
    const found = hub.object(owner);
    // A status is written only for the object's UID in the plan, and never for an object of another class.
    if (found === undefined || found.object.metadata.uid !== plan.uid) return done;
    if (!isResponsible(classes.of(found.object))) return done;
    context.span?.setAttributes(spanAttributes(owner, found.object));
    const now = clock.monotonic();
    const waitMs = Math.max(
      startupDelayFor({ hub, store, assignments, observations }, owner, plan, now - this.#startedAt),
      this.#changes.goneFor(owner, tracked, now),
    );
    if (waitMs > 0) return requeueAfter(waitMs);

    try {
      tracked.changed = false;
      tracked.turned = false;
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

  /**
   * The status as it would be written now, with the entry of every cluster. Nothing is written. `unlisted`: the last
   * entries of clusters that the written status leaves out. Undefined if this manager does not write the status.
   */
  present(owner: string, unlisted: readonly ClusterStatusEntry[]): Aggregated | undefined {
    const { hub, states, store, classes, clock } = this.#options;
    const plan = states.planOf(owner);
    const found = hub.object(owner);
    if (plan?.ours !== true || found === undefined || found.object.metadata.uid !== plan.uid) return undefined;
    if (!isResponsible(classes.of(found.object))) return undefined;
    const written = store.read(owner);
    const previous =
      written === undefined || unlisted.length === 0
        ? written
        : { ...written, clusters: [...(written.clusters ?? []), ...unlisted] };
    const views = this.#viewsOf(owner, plan);
    return aggregated(this.#inputOf(owner, plan, found, previous, views), clock.now());
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
    const { store, clock } = this.#options;
    const complete = this.#changes.isComplete(owner, tracked);
    const previous = store.read(owner);
    const clusters = this.#viewsOf(owner, plan);
    const sum = await this.#sums.write(tracked, { object, kind }, plan.target, clusters, signal);
    const status = aggregate({ ...this.#inputOf(owner, plan, { object, kind }, previous, clusters), sum }, clock.now());
    this.#report(owner, tracked, plan, object, status, complete);
    // The outcome of the last write may be unknown, or the binding that held the status be gone.
    if (status !== previous || !store.isAnswered(owner) || !store.isKept(owner))
      await this.#write(owner, tracked, { object, kind }, status, context, signal);
    if (sum?.error !== undefined) throw sum.error;
  }

  #viewsOf(owner: string, plan: Plan): ClusterView[] {
    const { hub, assignments, observations, contacts } = this.#options;
    return clusterViews({ hub, assignments, observations, contacts }, owner, plan);
  }

  #inputOf(
    owner: string,
    plan: Plan,
    { object, kind }: { object: KubeObject; kind: PlacedKind },
    previous: FederatedStatus | undefined,
    clusters: ClusterView[],
  ): StatusInput {
    const { classes, hub } = this.#options;
    return {
      generation: plan.generation,
      ...classesOf(object),
      deleting: this.#changes.isDeletion(owner),
      deletedAt: object.metadata.deletionTimestamp,
      heldBy: holdersBeside(classes, object),
      isOverdue: (cluster) => this.#patienceLeft(object, cluster) === 0,
      previous,
      target: plan.target,
      failure: plan.failure,
      validated: validated(object, hub.namespaces, previous),
      rollout: plan.failure === undefined ? plan.rollout : previous?.rollout,
      podSelector: kind.interpreter.podSelector(object),
      ...(kind.interpreter.holdsManifests === true ? { isBundle: true } : {}),
      kinds: recordedKindsOf(this.#rows, { owner, object, interpreter: kind.interpreter }, plan, previous),
      clusters,
    };
  }

  async #write(
    owner: string,
    tracked: Tracked,
    found: { object: KubeObject; kind: PlacedKind },
    status: FederatedStatus,
    context: ReconcileContext,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, tracer, classes, hub } = this.#options;
    // Another class may have claimed the object since the status was computed.
    const present = hub.object(owner)?.object;
    if (present !== undefined && !isResponsible(classes.of(present))) return;
    await this.#changes.writing(tracked, () => writeStatus({ store, tracer }, owner, found, status, context, signal));
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
    this.#changes.carriedThrough(owner, tracked);
    if (status.conditions?.find(({ type }) => type === "Applied")?.status !== "True") return;
    const took = tookToPropagate(tracked, plan, clock.monotonic());
    // Stages wait for people and times.
    if (took !== undefined) metrics.observePropagation(took, plan.rollout === undefined && !tracked.isLate);
  }
}
