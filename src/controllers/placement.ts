import { claimed, type FederatedStatus, type KubeObject, OBJECT_FINALIZER, refKey, unclaimed } from "../apis/index.ts";
import {
  AWAITING_REPLACEMENT,
  computeTarget,
  type DeletionPolicy,
  ownerRefOf,
  type Row,
  type Snapshot,
  step,
  type StepResult,
  type Target,
} from "../desiredstate/index.ts";
import { changedFacts, changedSpec, type HubEvent, type PlacedKind } from "../hub/index.ts";
import { type EventRecorder, type Metrics, type Span, startSpan, type Tracer } from "../observability/index.ts";
import {
  type Client,
  type Clock,
  done,
  from,
  type ReconcileContext,
  type Reconciler,
  requeueAfter,
  type Result,
  type Source,
} from "../runtime/index.ts";
import { affectedBy } from "./affected.ts";
import { attempted } from "./attempt.ts";
import {
  copiesOf,
  copiesToPlan,
  type CopySources,
  mayRemain,
  ownersNamedBy,
  type Removal,
  removalFacts,
  wasFoundOnJoin,
} from "./copies.ts";
import type { OfGone } from "./controllerClasses.ts";
import type { Collected } from "./dependencies.ts";
import { RETRY_FINALIZER_MS, setFinalizers } from "./finalizers.ts";
import type { ObservationChange } from "./observations.ts";
import { nameOf, refOfKey, spanAttributes, labelsOf } from "./ownerKeys.ts";
import { clusterNames, recordDecision } from "./placementEvents.ts";
import { lifeOf, type PlanChange } from "./plans.ts";

export interface PlacementReconcilerOptions extends CopySources {
  /** Asks before each write whether this process still leads. */
  client: Client;
  hubId: string;
  clock: Clock;
  metrics: Metrics;
  tracer: Tracer;
  events: EventRecorder;
}

/** How an object that is being deleted parts from its copies: decided once, whatever becomes of its policies meanwhile. */
interface Finalization {
  policy: DeletionPolicy;
  /** Where the object was placed, whether or not its status had got to say so. */
  clusters: readonly string[];
}

const NOT_SELECTED = { reason: "NotSelected", message: "the object is not to run there any more" };
const DELETED = { reason: "ObjectDeleted", message: "the object is being deleted on the hub" };
const OURS: OfGone = { verdict: "Ours" };
const GONE = { reason: "ObjectGone", message: "the object is gone from the hub" };

/**
 * Plans one hub object: from a snapshot of everything that the plan depends on to rows in the assignments, where the workers find them. An
 * object that is being deleted, or is gone, is planned like any other: its rows say what becomes of its copies.
 */
export class PlacementReconciler implements Reconciler {
  readonly #options: PlacementReconcilerOptions;
  readonly #finalizations = new Map<string, Finalization>();
  /** How objects that are gone from the hub wanted to part from the copies that are left. */
  readonly #parting = new Map<string, DeletionPolicy>();
  /** Objects with copies that are to go, or that cannot go yet. */
  readonly #awaiting = new Set<string>();

  constructor(options: PlacementReconcilerOptions) {
    this.#options = options;
  }

  sources(): Source[] {
    const { hub, assignments, observations, progress, classes, missing, dependencies, plans } = this.#options;
    const awaiting = (): Iterable<string> => [...this.#awaiting];
    return [
      from(hub.objectEvents).when((event) => this.#isNews(event)),
      from(hub.policyEvents)
        .when((event) => !event.initial && changedSpec(event))
        .map((event) => hub.selectedBy(event)),
      from(hub.clusters)
        .when((event) => !event.initial && changedFacts(event))
        .map((event) => affectedBy(hub, plans, event)),
      from(hub.clusters)
        .when((event) => !event.initial && changedFacts(event))
        .map(awaiting),
      from(dependencies.changes),
      from(observations.changes).map((change) => this.#ownersToReplan(change)),
      from(assignments.departures).when((owner) => this.#awaiting.has(owner)),
      // What the removal of a copy rests on: contact with its cluster, the hub's caches, other objects' plans, other managers' objects.
      from(observations.contacts).map(awaiting),
      from(hub.holds).map(awaiting),
      from(hub.kindDeletions.changes).map(awaiting),
      from(missing.changes).map(awaiting),
      from(progress.advanced).map(awaiting),
      from(classes.othersChanged).map(awaiting),
      from(dependencies.releases).map(awaiting),
      from(plans.changes).when(leavesClusters).map(awaiting),
    ];
  }

  async reconcile(owner: string, signal: AbortSignal, context: ReconcileContext): Promise<Result> {
    const { progress, dependencies } = this.#options;
    try {
      return await this.#plan(owner, signal, context);
    } finally {
      if (!signal.aborted && !dependencies.areComing(owner)) progress.failed(owner);
    }
  }

  async #plan(owner: string, signal: AbortSignal, context: ReconcileContext): Promise<Result> {
    const { hub, metrics, classes } = this.#options;
    const found = hub.object(owner);
    if (found === undefined) return await this.#cleanUp(owner, context, signal);
    const { object, kind } = found;
    metrics.reconciled(object.kind, nameOf(object));
    context.span?.setAttributes(spanAttributes(owner, object));
    const ownership = classes.of(object);
    switch (ownership) {
      case "Foreign":
      case "Claimable":
      case "Yielded":
        return this.#leave(owner, object, ownership);
      case "Yielding":
        return this.#place(owner, object, kind, context);
      case "Owned": {
        if (object.metadata.deletionTimestamp !== undefined)
          return await this.#finalize(owner, object, kind, context, signal);
        const kept = await this.#claim(object, kind, signal);
        return kept === undefined ? requeueAfter(RETRY_FINALIZER_MS) : this.#place(owner, kept, kind, context);
      }
    }
  }

  #place(owner: string, object: KubeObject, kind: PlacedKind, { span, logger }: ReconcileContext): Result {
    const { hub, plans, progress, clock, metrics, dependencies, tracer, events } = this.#options;
    const startedAt = clock.monotonic();
    const collected = dependencies.collect(owner, kind.interpreter.dependencies(object));
    // Planned again as soon as the watches of its namespace have synced.
    if (collected === undefined) return done;

    const before = plans.get(owner)?.target;
    const now = hub.now();
    const computing = startSpan(tracer, "ComputeTarget", { parent: span });
    const { target, next } = attempted(this.#options, owner, object, () => {
      const computed = computeTarget(this.#snapshot(owner, object, collected), now);
      const removal: Removal = { owner: computed.owner, policy: "Delete", cause: NOT_SELECTED, ownership: "Ours" };
      return { target: computed, next: this.#step(owner, computed, removal, now) };
    });
    computing.end();
    metrics.observePhase("fetch", clock.monotonic() - startedAt);

    this.#finalizations.delete(owner);
    this.#parting.delete(owner);
    plans.set(owner, { ...lifeOf(object), target, ours: true });
    this.#assign(owner, next.rows, span);
    progress.planned(owner);
    recordDecision(events, object, target, before);
    if (isNewDecision(before, target)) {
      const { reason, message } = target.scheduled;
      logger.info(
        { resource_uid: object.metadata.uid, object: owner, clusters: target.clusters.length, reason },
        `planned: ${message}`,
      );
    }
    const recheckAt = Math.min(target.recheckAt ?? Infinity, next.recheckAt ?? Infinity);
    return recheckAt === Infinity ? done : requeueAfter(Math.max(1, recheckAt - now));
  }

  /** Another class's: nothing is asked for in its name, nothing of it is touched. Policies count the object all the same. */
  #leave(owner: string, object: KubeObject, ownership: "Foreign" | "Claimable" | "Yielded"): Result {
    const { hub, plans, assignments, progress, dependencies } = this.#options;
    this.#finalizations.delete(owner);
    this.#awaiting.delete(owner);
    if (ownership !== "Claimable") dependencies.forget(owner);
    assignments.replace(owner, []);
    if (object.metadata.deletionTimestamp !== undefined) plans.drop(owner);
    else {
      const target = computeTarget(this.#snapshot(owner, object), hub.now());
      plans.set(owner, { ...lifeOf(object), target, ours: false });
    }
    progress.planned(owner);
    return done;
  }

  /** Sees the deletion through: the finalizer goes when the copies are seen gone, or their cluster was unjoined. */
  async #finalize(
    owner: string,
    object: KubeObject,
    kind: PlacedKind,
    context: ReconcileContext,
    signal: AbortSignal,
  ): Promise<Result> {
    const { client, hub, plans, progress, classes } = this.#options;
    const next = unclaimed(OBJECT_FINALIZER, object.metadata, classes.classes);
    if (next.length === (object.metadata.finalizers ?? []).length) return await this.#cleanUp(owner, context, signal);
    const isAnywhere = copiesOf(this.#options, owner).length > 0;
    const held = isAnywhere ? await hub.kindDeletions.held(kind.type, signal) : undefined;
    const { policy, clusters } = this.#finalizationOf(owner, object);
    const { rows } = this.#step(owner, undefined, {
      owner: ownerRefOf(object),
      policy,
      cause: DELETED,
      ownership: "Ours",
      held,
    });
    plans.set(owner, { ...lifeOf(object), target: undefined, ours: true });
    this.#assign(owner, rows, context.span);
    progress.planned(owner);
    if (mayRemain(this.#options, owner, object, clusters)) {
      this.#awaiting.add(owner);
      return done;
    }
    const released = await setFinalizers(client, kind.type, object, next, signal);
    if (released === undefined) return requeueAfter(RETRY_FINALIZER_MS);
    return this.#forget(owner);
  }

  #finalizationOf(owner: string, object: KubeObject): Finalization {
    let finalization = this.#finalizations.get(owner);
    if (finalization === undefined) {
      const { hub, plans } = this.#options;
      const target =
        plans.get(owner)?.target ??
        attempted(this.#options, owner, object, () => computeTarget(this.#snapshot(owner, object), hub.now()));
      finalization = { policy: target.deletionPolicy, clusters: target.clusters.map(({ name }) => name) };
      this.#finalizations.set(owner, finalization);
    }
    return finalization;
  }

  /**
   * The object is gone from the hub, or somebody took its finalizer off. What is seen of it on members goes as its policy said, when it was
   * this manager's, or when the hub itself has confirmed that it is gone.
   */
  async #cleanUp(owner: string, { span }: ReconcileContext, signal: AbortSignal): Promise<Result> {
    const { hub, plans, classes, missing, clock } = this.#options;
    const plan = plans.get(owner);
    const policy =
      this.#finalizations.get(owner)?.policy ??
      plan?.target?.deletionPolicy ??
      this.#parting.get(owner) ??
      ("Delete" as const);
    const copies = copiesOf(this.#options, owner);
    const named = ownersNamedBy(copies);
    if (plan?.ours === true) for (const { uid } of named) classes.leftBehind(uid);
    if (copies.length > 0) this.#parting.set(owner, policy);
    this.#forget(owner);
    if (copies.length === 0) return done;

    const isHere = hub.object(owner) !== undefined;
    const { latest } = missing;
    const { verdict, version } = isHere ? OURS : await classes.ofGone(named, clock.monotonic(), signal);
    const [ref = { ...refOfKey(owner), uid: "" }] = named;
    const kind = hub.kindOf(ref);
    const held = kind === undefined ? undefined : await hub.kindDeletions.held(kind.type, signal);
    // It may have come back while the hub was asked; then it is planned for itself.
    if (!isHere && hub.object(owner) !== undefined) return done;
    if (!isHere) missing.confirmed(owner, latest, version);
    const ownership = verdict === "Ours" ? "Ours" : "Unconfirmed";
    const { rows } = this.#step(owner, undefined, { owner: ref, policy, cause: GONE, ownership, held, lost: !isHere });
    this.#assign(owner, rows, span);
    for (const one of verdict === "Present" ? named : []) await hub.relistIfBehind(one, signal);
    return typeof verdict === "number" && Number.isFinite(verdict) ? requeueAfter(verdict) : done;
  }

  /** Of an object that is gone, or of which nothing is left. */
  #forget(owner: string): Result {
    const { plans, assignments, dependencies, progress, metrics } = this.#options;
    const isOver = copiesOf(this.#options, owner).length === 0;
    this.#finalizations.delete(owner);
    this.#awaiting.delete(owner);
    dependencies.forget(owner);
    metrics.forgetObject(...labelsOf(owner));
    plans.drop(owner);
    if (isOver) {
      this.#parting.delete(owner);
      assignments.replace(owner, []);
    }
    progress.planned(owner);
    return done;
  }

  #step(owner: string, target: Target | undefined, removal: Removal, now = this.#options.hub.now()): StepResult {
    const copies = copiesToPlan(this.#options, owner, target);
    const facts = removalFacts(this.#options, copies, removal);
    return step({ target, observations: copies, removal: facts }, now);
  }

  #assign(owner: string, rows: readonly Row[], span: Span | undefined): void {
    this.#options.assignments.replace(owner, rows, span);
    if (rows.some(isRemoval)) this.#awaiting.add(owner);
    else this.#awaiting.delete(owner);
  }

  #snapshot(owner: string, object: KubeObject, collected?: Collected): Snapshot {
    const { hub, hubId } = this.#options;
    const previous = object["status"] as FederatedStatus | undefined;
    return {
      object,
      placements: hub.allPlacements(),
      overrides: hub.allOverrides(),
      clusters: hub.clusterSnapshots(),
      dependencies: collected?.found ?? new Map(),
      ...(collected === undefined ? {} : { unreadable: collected.unreadable }),
      hubId,
      previous,
      // Where only a summary stands, what has been seen since the start is not all that there is.
      ...(previous?.summary === undefined ? { running: this.#running(owner) } : {}),
    };
  }

  /** Clusters with a copy that no row deletes: the status may not name them yet. */
  #running(owner: string): Set<string> {
    const { plans, assignments } = this.#options;
    const isFirstPlan = plans.get(owner)?.ours !== true;
    const running = new Set<string>();
    for (const copy of copiesOf(this.#options, owner)) {
      const { cluster, ref } = copy;
      if (wasFoundOnJoin(this.#options, owner, copy)) continue;
      const row = assignments.get(cluster, refKey(ref))?.rows.get(owner);
      if (isFirstPlan || (row !== undefined && (!isRemoval(row) || isServing(row)))) running.add(cluster);
    }
    return running;
  }

  /** Returns the object with our finalizer in front; undefined when it changed or went away meanwhile. */
  async #claim(object: KubeObject, kind: PlacedKind, signal: AbortSignal): Promise<KubeObject | undefined> {
    const { client, classes } = this.#options;
    const next = claimed(OBJECT_FINALIZER, object.metadata, classes.classes);
    if (next === object.metadata.finalizers) return object;
    const patched = await setFinalizers(client, kind.type, object, next, signal);
    if (patched === undefined) return undefined;
    kind.informer.observe(patched);
    return kind.informer.get(nameOf(object));
  }

  /** A reconciliation that puts our finalizer there goes on with it: that alone is no reason for another one. */
  #isNews(event: HubEvent<KubeObject>): boolean {
    const { classes } = this.#options;
    const { old, object } = event;
    if (event.type !== "Updated" || old === undefined) return true;
    const { finalizers = [] } = object.metadata;
    const isOurClaim =
      classes.of(old) === "Owned" &&
      finalizers.join() === claimed(OBJECT_FINALIZER, old.metadata, classes.classes).join();
    const before = isOurClaim ? { ...old, metadata: { ...old.metadata, finalizers } } : old;
    return changedSpec({ ...event, old: before });
  }

  /** A copy that its owner's rows ask for is no news; one that nobody asks for is, and any change of a copy that is to go. */
  *#ownersToReplan(change: ObservationChange): Iterable<string> {
    const { assignments } = this.#options;
    const named = change.after?.present?.owner;
    const owner = named === undefined ? undefined : refKey(named);
    const row = owner === undefined ? undefined : assignments.get(change.cluster, change.key)?.rows.get(owner);
    for (const concerned of assignments.concernedBy(change)) {
      if (this.#awaiting.has(concerned) || (concerned === owner && row?.verb !== "Apply")) yield concerned;
    }
  }
}

/** Fewer clusters than before: what another object there was kept for may go. */
function leavesClusters({ before, after }: PlanChange): boolean {
  const left = before?.target?.clusters ?? [];
  return left.some(({ name }) => after?.target?.clusters.some((cluster) => cluster.name === name) !== true);
}

/** The copy stays until the object serves elsewhere; so the object still runs there. */
function isServing(row: Row): boolean {
  return row.verb === "Hold" && row.why.reason === AWAITING_REPLACEMENT;
}

function isRemoval(row: Row): boolean {
  return row.verb === "Delete" || row.verb === "Release" || (row.verb === "Hold" && !row.wanted);
}

function isNewDecision(before: Target | undefined, target: Target): boolean {
  return (
    before === undefined ||
    before.scheduled.reason !== target.scheduled.reason ||
    clusterNames(before.clusters) !== clusterNames(target.clusters)
  );
}
