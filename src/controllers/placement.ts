import {
  claimed,
  type Classes,
  classOf,
  type FederatedStatus,
  holdersOf,
  type KubeObject,
  OBJECT_FINALIZER,
  refKey,
  unclaimed,
} from "../apis/index.ts";
import type { DesiredStateTable, Members, ReleasePolicy } from "../clusters/index.ts";
import { computeDesiredState, type Plan, type Snapshot } from "../desiredstate/index.ts";
import { type EventRecorder, type Metrics, type Span, startSpan, type Tracer } from "../observability/index.ts";
import { type Clock, done, type ReconcileContext, requeueAfter, type Result } from "../runtime/index.ts";
import { clusterSnapshot } from "./clusterSnapshot.ts";
import type { Custody } from "./custody.ts";
import type { Collected, DependencyWatches } from "./dependencies.ts";
import { remains } from "./farewell.ts";
import { LOOK_AGAIN_MS, setFinalizers } from "./finalizers.ts";
import type { DeletionGate } from "./gate.ts";
import { whyNotYet } from "./handover.ts";
import { heldRows } from "./heldRows.ts";
import { names, tellDecision, tellHandover } from "./placementEvents.ts";
import type { Hub, PlacedKind } from "./hub.ts";
import type { StatusKeeper } from "./status.ts";

export interface PlacementReconcilerOptions {
  hub: Hub;
  table: DesiredStateTable;
  members: Members;
  dependencies: DependencyWatches;
  statuses: StatusKeeper;
  gate: DeletionGate;
  custody: Custody;
  /** That this manager serves. */
  classes: Classes;
  hubId: string;
  clock: Clock;
  metrics: Metrics;
  tracer: Tracer;
  events: EventRecorder;
  /** A plan was made or dropped: the policies' own status may change. */
  plansChanged: () => void;
}

/** How an object that is being deleted parts from its member objects: decided once, whatever becomes of its policies meanwhile. */
interface Farewell {
  release: ReleasePolicy;
  /** Where it was placed, whether or not its status had got to say so. */
  clusters: readonly string[];
}

/**
 * Plans one hub object: takes a snapshot of everything that it depends on, computes the desired state, and puts it into the table, where
 * the lanes find it. Runs when the object, a policy, a cluster or a dependency changes; never for a change of status.
 */
export class PlacementReconciler {
  readonly #options: PlacementReconcilerOptions;
  readonly #plans = new Map<string, Plan>();
  readonly #farewells = new Map<string, Farewell>();
  /** Plans of what other managers carry, without rows: policies count them as well. */
  readonly #others = new Map<string, Plan>();
  /** What is to be taken over or let go of, and why it is not yet. */
  readonly #passing = new Map<string, string>();

  constructor(options: PlacementReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(
    owner: string,
    signal: AbortSignal,
    context: Pick<ReconcileContext, "span" | "logger">,
  ): Promise<Result> {
    const { span } = context;
    const found = this.#options.hub.object(owner);
    if (found === undefined) return this.#forget(owner);
    const { object, kind } = found;
    this.#options.metrics.reconciled(object.kind, nameOf(object));
    span?.setAttributes(spanAttributes(owner, object));
    const standing = this.#options.custody.standing(object);
    if (standing !== "TakeOver" && standing !== "Release") this.#passing.delete(owner);
    switch (standing) {
      case "Ignore":
        return this.#leave(owner, object);
      case "Release":
        return await this.#letGo(owner, object, kind, signal);
      case "TakeOver":
        return await this.#takeOver(owner, object, kind, context, signal);
      case "HoldUntilTakenOver":
        return this.#place(owner, object, kind, context);
      case "Carry": {
        if (object.metadata.deletionTimestamp !== undefined)
          return await this.#finalize(owner, object, kind, span, signal);
        const kept = await this.#claim(object, kind, signal);
        return kept === undefined ? requeueAfter(LOOK_AGAIN_MS) : this.#place(owner, kept, kind, context);
      }
    }
  }

  /** The present plans, by hub object, whoever carries it. */
  *plans(): Iterable<Plan> {
    yield* this.#plans.values();
    yield* this.#others.values();
  }

  /** Whether any news of that object may be what its handover waits for. */
  isPassing(owner: string): boolean {
    return this.#passing.has(owner);
  }

  /** Objects of which {@link isPassing} is true. */
  get passing(): Iterable<string> {
    return this.#passing.keys();
  }

  /** Another manager's: nothing is asked for in its name, nothing of it is touched. */
  #leave(owner: string, object: KubeObject): Result {
    const { table, statuses, gate, dependencies, custody, clock, plansChanged } = this.#options;
    this.#drop(owner);
    dependencies.forget(owner);
    statuses.forget(owner);
    table.replace(owner, [], { release: "Delete", monotonic: clock.monotonic() });
    this.#planForOthers(owner, object);
    table.reconsider(owner, clock.monotonic());
    custody.othersChanged();
    gate.planned(owner);
    plansChanged();
    return done;
  }

  #planForOthers(owner: string, object: KubeObject, known?: Plan): void {
    if (object.metadata.deletionTimestamp !== undefined) {
      this.#others.delete(owner);
      return;
    }
    const plan = known ?? computeDesiredState(this.#snapshot(owner, object), this.#options.clock.now());
    this.#others.set(owner, { ...plan, rows: [] });
  }

  /** Another has taken over: the finalizer goes when nothing of this manager is under way any more. */
  async #letGo(owner: string, object: KubeObject, kind: PlacedKind, signal: AbortSignal): Promise<Result> {
    const { statuses, table, hub, classes } = this.#options;
    this.#passing.set(owner, "");
    const written = statuses.settled(owner);
    this.#leave(owner, object);
    await written;
    // The end of a write is an event of its own.
    for (const entry of table.entriesOf(owner)) if (entry.writing) return done;
    const next = unclaimed(OBJECT_FINALIZER, object.metadata, classes);
    const released = await setFinalizers(hub.client, kind.type, object, next, signal);
    if (released === undefined) return requeueAfter(LOOK_AGAIN_MS);
    this.#passing.delete(owner);
    kind.informer.observe(released);
    return done;
  }

  /** Prepares everything as if it were ours, and claims it when nothing that runs would be lost or overlooked. */
  async #takeOver(
    owner: string,
    object: KubeObject,
    kind: PlacedKind,
    context: Pick<ReconcileContext, "span" | "logger">,
    signal: AbortSignal,
  ): Promise<Result> {
    const { table, members, hub, clock, gate, dependencies, events, plansChanged } = this.#options;
    // It comes back before we have let go of it: what we asked for is another's by now.
    if (this.#plans.has(owner)) this.#leave(owner, object);
    gate.planned(owner);
    const known = this.#passing.get(owner);
    this.#passing.set(owner, known ?? "");
    const needed = kind.interpreter.dependencies(object);
    const collected = dependencies.collect(owner, needed);
    if (collected === undefined) return done;
    const plan = computeDesiredState(this.#snapshot(owner, object, collected), clock.now());
    this.#planForOthers(owner, object, plan);
    plansChanged();
    const why = whyNotYet({
      object,
      rows: [...plan.rows, ...heldRows(table, owner, plan, needed, collected.found)],
      clusters: plan.clusters.map(({ name }) => name),
      present: table.entriesOf(owner),
      find: ({ cluster, ref }) => table.get(cluster, refKey(ref)),
      isKnown: (cluster) => members.isSynced(cluster),
      exists: (cluster) => hub.clusters.get(cluster) !== undefined,
    });
    const [carrier = ""] = holdersOf(OBJECT_FINALIZER, object.metadata);
    if (why !== undefined) {
      this.#passing.set(owner, why);
      if (why !== known)
        tellHandover(
          events,
          object,
          "HandoverWaits",
          `${classOf(object.metadata)} does not take over from ${carrier} yet: ${why}`,
        );
      return done;
    }
    const taken = await this.#claim(object, kind, signal);
    if (taken === undefined) return requeueAfter(LOOK_AGAIN_MS);
    this.#passing.delete(owner);
    tellHandover(events, taken, "TakenOver", `${classOf(object.metadata)} has taken over from ${carrier}`);
    return this.#place(owner, taken, kind, context);
  }

  #drop(owner: string): void {
    this.#plans.delete(owner);
    this.#farewells.delete(owner);
  }

  #place(
    owner: string,
    object: KubeObject,
    kind: PlacedKind,
    { span, logger }: Pick<ReconcileContext, "span" | "logger">,
  ): Result {
    const { table, members, statuses, gate, clock, metrics, dependencies, plansChanged } = this.#options;
    const startedAt = clock.monotonic();
    const needed = kind.interpreter.dependencies(object);
    const collected = dependencies.collect(owner, needed);
    // Planned again as soon as the watches of its namespace have synced.
    if (collected === undefined) return done;

    const before = this.#plans.get(owner);
    const step = startSpan(this.#options.tracer, "ComputeDesiredState", { parent: span });
    const plan = computeDesiredState(this.#snapshot(owner, object, collected), clock.now());
    step.end();
    metrics.observePhase("fetch", clock.monotonic() - startedAt);

    this.#plans.set(owner, plan);
    this.#others.delete(owner);
    this.#farewells.delete(owner);
    const rows = [...plan.rows, ...heldRows(table, owner, plan, needed, collected.found)];
    statuses.planned(owner, object, plan, rows);
    table.replace(owner, rows, { release: "Delete", trace: span, monotonic: clock.monotonic() });
    // What was nobody's to touch before, on clusters that the plan does not name, is ours now.
    if (before === undefined) for (const entry of table.entriesOf(owner)) members.entryChanged(entry);
    statuses.review(owner);
    gate.planned(owner);
    tellDecision(this.#options.events, object, plan, before);
    if (
      before === undefined ||
      before.scheduled.reason !== plan.scheduled.reason ||
      names(before.clusters) !== names(plan.clusters)
    ) {
      const { reason, message } = plan.scheduled;
      logger.info(
        { resource_uid: object.metadata.uid, object: owner, clusters: plan.clusters.length, reason },
        `planned: ${message}`,
      );
    }
    plansChanged();
    return plan.recheckAt === undefined ? done : requeueAfter(Math.max(1, plan.recheckAt - clock.now()));
  }

  /** Sees the deletion through: the finalizer goes when the member objects are seen gone, or their cluster was unjoined. */
  async #finalize(
    owner: string,
    object: KubeObject,
    kind: PlacedKind,
    span: Span | undefined,
    signal: AbortSignal,
  ): Promise<Result> {
    const { table, statuses, gate, clock, plansChanged } = this.#options;
    const next = unclaimed(OBJECT_FINALIZER, object.metadata, this.#options.classes);
    if (next.length === (object.metadata.finalizers ?? []).length) return this.#forget(owner);
    const farewell = this.#farewellOf(owner, object);
    this.#plans.delete(owner);
    statuses.deleting(owner, object);
    table.replace(owner, [], { release: farewell.release, trace: span, monotonic: clock.monotonic() });
    gate.planned(owner);
    plansChanged();
    // Asked again by whatever takes the last of them away.
    if (remains(this.#options, owner, object, farewell.clusters)) return done;
    const released = await setFinalizers(this.#options.hub.client, kind.type, object, next, signal);
    if (released === undefined) return requeueAfter(LOOK_AGAIN_MS);
    return this.#forget(owner, "Delete");
  }

  #farewellOf(owner: string, object: KubeObject): Farewell {
    let farewell = this.#farewells.get(owner);
    if (farewell === undefined) {
      const { clock } = this.#options;
      const plan = this.#plans.get(owner) ?? computeDesiredState(this.#snapshot(owner, object), clock.now());
      farewell = { release: plan.deletionPolicy, clusters: plan.clusters.map(({ name }) => name) };
      this.#farewells.set(owner, farewell);
    }
    return farewell;
  }

  #snapshot(owner: string, object: KubeObject, collected?: Collected): Snapshot {
    const { hub, hubId } = this.#options;
    const previous = object["status"] as FederatedStatus | undefined;
    return {
      object,
      placements: hub.allPlacements(),
      overrides: hub.allOverrides(),
      clusters: hub.clusters.list().map(clusterSnapshot),
      dependencies: collected?.found ?? new Map(),
      ...(collected === undefined ? {} : { unreadable: collected.unreadable }),
      hubId,
      previous,
      // Where only a summary stands, what has been seen since the start is not all that there is.
      ...(previous?.summary === undefined ? { running: this.#running(owner) } : {}),
    };
  }

  /** Clusters where it was seen to run and was not told to go: the status may not have got to say so yet. */
  #running(owner: string): Set<string> {
    const isFirstPlan = !this.#plans.has(owner);
    const running = new Set<string>();
    for (const { cluster, observed, requests } of this.#options.table.entriesOf(owner)) {
      if (observed !== undefined && (isFirstPlan || requests.has(owner))) running.add(cluster);
    }
    return running;
  }

  /** `release`: for what is seen of it from now on. Somebody may have taken the finalizer off: even then its policy says how to part. */
  #forget(
    owner: string,
    release = this.#plans.get(owner)?.deletionPolicy ?? this.#options.table.releaseOf(owner),
  ): Result {
    const { table, statuses, gate, dependencies, custody, clock, plansChanged } = this.#options;
    const wasOurs = this.#plans.has(owner) || this.#farewells.has(owner);
    this.#drop(owner);
    this.#others.delete(owner);
    this.#passing.delete(owner);
    dependencies.forget(owner);
    statuses.forget(owner);
    for (const { observed } of table.entriesOf(owner))
      if (wasOurs && observed?.owner !== undefined) custody.partedWith(observed.owner.uid);
    table.replace(owner, [], { release, monotonic: clock.monotonic() });
    table.reconsider(owner, clock.monotonic());
    custody.othersChanged();
    gate.planned(owner);
    plansChanged();
    return done;
  }

  /** Returns the object with our finalizer in front; undefined when it changed or went away meanwhile. */
  async #claim(object: KubeObject, kind: PlacedKind, signal: AbortSignal): Promise<KubeObject | undefined> {
    const { hub, classes } = this.#options;
    const next = claimed(OBJECT_FINALIZER, object.metadata, classes);
    if (next === object.metadata.finalizers) return object;
    const patched = await setFinalizers(hub.client, kind.type, object, next, signal);
    if (patched === undefined) return undefined;
    kind.informer.observe(patched);
    return kind.informer.get(nameOf(object));
  }
}

function nameOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function spanAttributes(owner: string, object: KubeObject): Record<string, string | number> {
  return {
    "reconcile.request": nameOf(object),
    "reconcile.kind": object.kind,
    "reconcile.key": owner,
    "k8s.resource.uid": object.metadata.uid ?? "",
    "k8s.resource.generation": object.metadata.generation ?? 0,
  };
}
