import { defined, type KubeObject, OBJECT_FINALIZER, sameValue, unclaimed } from "../../apis/index.ts";
import {
  assembleRemovalFacts,
  assembleSnapshot,
  computeTarget,
  copiesOf,
  copiesToPlan,
  type DeletionPolicy,
  heldBySuspension,
  isUnrecorded,
  leftBehind,
  type Observation,
  ownerRefOf,
  recordedClusters,
  type Removal,
  type Row,
  step,
  type StepResult,
  type Target,
} from "../../desiredstate/index.ts";
import { changedFacts, type Decision, type PlacedKind, type PlacedObject, type Recorded, type StatusStore } from "../../hub/index.ts";
import {
  type EventRecorder,
  type Following,
  type Metrics,
  type Recoveries,
  startSpan,
  type Tracer,
} from "../../observability/index.ts";
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
import { affectedBy, leavesClusters, ownersToReplan } from "./affected.ts";
import { attempted } from "./planningFailure.ts";
import {
  changedCommand,
  type CopySources,
  type EvictionPace,
  PendingMembers,
  freesBundles,
  type HubNamespaces,
  keepHeld,
  type OfGone,
  ownersNamedBy,
  RETRY_FINALIZER_MS,
  setFinalizers,
  wentByTtl,
} from "../facts/index.ts";
import {
  type DelayedWarnings,
  logProblems,
  type PolicyProgress,
  recordDecision,
  recordStart,
  warnLater,
} from "../progress/index.ts";
import { Finalizations } from "./finalizations.ts";
import { OrphaningDeletions } from "./orphaning.ts";
import { changedFinished, changedHealthClocks, changedRecord, claim, isNews } from "./claims.ts";
import { changedContent, relevantAmong, isRelevant } from "./relevance.ts";
import { HELD_AGAIN_MS, heldAsGone, heldByKind } from "./heldDeletions.ts";
import { isOver, releaseHubObject } from "./releaseHubObject.ts";
import { type Decided, decisionToWrite } from "./decision.ts";
import { type Decide, type DecisionResult, type ObjectRollout, RolloutStep, type RolloutStepSources } from "./rolloutStep.ts";
import { followingOf, lifeOf, logFieldsOf, refOfKey, type Capacities, spanAttributes } from "../tables/index.ts";
import { resolvedOf } from "./objectDependencies.ts";
import { type Before, logChange, logEnd, logPlan, logRemoval } from "./planLog.ts";
import { recordDeletionEnd, type StatusReconciler } from "../status/index.ts";
import { footprintOf, type Leftovers, leftoversBeside, leftoversOf } from "./leftovers.ts";
import { awaitsNews, isHeld } from "./openRows.ts";

export interface PlacementReconcilerOptions
  extends CopySources, Pick<RolloutStepSources, "revisions" | "gates" | "places" | "approversProvenSince"> {
  /** Asks before each write whether this process still leads. */
  client: Client;
  store: Pick<StatusStore, "record" | "decide" | "bind" | "unbind">;
  statuses: Pick<StatusReconciler, "waitsOf">;
  policyProgress: PolicyProgress;
  namespaces: HubNamespaces;
  capacities: Capacities;
  pace: EvictionPace;
  clock: Clock;
  metrics: Metrics;
  tracer: Tracer;
  events: EventRecorder;
  recoveries: Recoveries;
  warnings: Pick<DelayedWarnings, "warn">;
}

const DELETED = { reason: "ObjectDeleted", message: "the object is being deleted on the hub" };
const OURS: OfGone = { verdict: "Ours" };
const GONE = { reason: "ObjectGone", message: "the object is gone from the hub" };
const NOWHERE: ReadonlySet<string> = new Set();

/**
 * Plans one hub object: takes a snapshot of all that the plan depends on, and writes rows to the assignments. An object
 * that is being deleted, or is gone, is planned like any other: its rows say what happens to its copies.
 */
export class PlacementReconciler implements Reconciler {
  readonly #options: PlacementReconcilerOptions;
  readonly #finalizations: Finalizations;
  readonly #parting = new Map<string, DeletionPolicy>();
  /** Objects to replan when a removal or failover can proceed; `held`: blocked by more than a running deletion. */
  readonly #awaiting = new Map<string, { held: boolean }>();
  readonly #orphaning: OrphaningDeletions;
  readonly #rolloutStep: RolloutStep;
  readonly #pendingMembers: PendingMembers;
  /** Objects whose dependencies are still being read, with the start of the wait in monotonic milliseconds. */
  readonly #fetching = new Map<string, number>();

  constructor(options: PlacementReconcilerOptions) {
    this.#options = options;
    const { hub, hubState, observations, plans, store, client, clock, events, metrics } = options;
    const { revisions, gates, places, approversProvenSince } = options;
    this.#orphaning = new OrphaningDeletions({ client });
    this.#rolloutStep = new RolloutStep({
      ...{ hub, observations, plans, events, metrics, revisions, gates, places },
      ...defined({ approversProvenSince }),
    });
    this.#pendingMembers = new PendingMembers({ hub, observations, clock });
    this.#finalizations = new Finalizations({ hub, hubState, plans, events, orphaning: this.#orphaning });
  }

  sources(): Source[] {
    const { hub, assignments, observations, progress, classes, missing, dependencies, plans } = this.#options;
    const { namespaces, capacities, gates, places, policyProgress } = this.#options;
    const isWaiting = (owner: string): boolean => this.#awaiting.has(owner) || this.#rolloutStep.isOpen(owner);
    const awaiting = (): Iterable<string> => [...this.#awaiting.keys()];
    const held = (): Iterable<string> => [...this.#awaiting].flatMap(([owner, one]) => (one.held ? [owner] : []));
    const relevant = { hub, plans, observations };
    const facts = from(hub.clusters).when((event) => !event.initial && changedFacts(event));
    return [
      this.#orphaning.noting(hub.objectEvents),
      from(hub.objectEvents)
        .when((event) => isRelevant(relevant, event))
        .when((event) => isNews({ classes }, event) || changedContent(event)),
      ...policyProgress.sources(),
      facts.map((event) => affectedBy(hub, plans, event)),
      facts.map(awaiting),
      from(hub.rescaled).map((type) => relevantAmong(relevant, hub.ownersOf(type))),
      from(namespaces.changes).map((namespace) => relevantAmong(relevant, namespaces.ownersIn(namespace))),
      { subscribe: () => dependencies.causes.subscribe(({ owner, cause }) => plans.traces.because(cause, owner)) },
      from(dependencies.changes),
      from(observations.changes)
        .map((change) => ownersToReplan(assignments, isWaiting, change))
        .after(({ named }) => this.#finalizations.debounceMs(named.after ?? named.before)),
      from(gates.changes),
      from(places.changes),
      from(capacities.changes).map((cluster) => capacities.awaiting(cluster)),
      from(assignments.departures).when((owner) => this.#awaiting.has(owner)),
      from(hub.statuses.events).when(changedCommand),
      from(hub.statuses.events).when(changedHealthClocks),
      from(hub.statuses.events).when(changedFinished),
      // A cluster without copies has gone from the record: the rows that confirmed the absence are not needed any more.
      from(hub.statuses.events).when((event) => this.#awaiting.has(event.key) && changedRecord(event)),
      // A removal depends on contact, the hub's caches, other objects' plans and other managers' objects.
      from(observations.contacts).map(awaiting),
      from(observations.contacts).map(() => this.#rolloutStep.open()),
      from(observations.contacts).map(() => this.#pendingMembers.waiting()),
      from(hub.holds).map(awaiting),
      from(hub.syncs).map(awaiting),
      from(hub.kindDeletions.changes).map(awaiting),
      from(missing.changes).map(awaiting),
      from(progress.advanced).map(awaiting),
      from(classes.othersChanged).map(awaiting),
      from(dependencies.releases).map(held),
      from(observations.changes)
        .when((change) => freesBundles({ hub }, change))
        .map(held),
      from(plans.changes).when(leavesClusters).map(held),
    ];
  }

  follows(owner: string): Following | undefined {
    const { hub, plans, clock } = this.#options;
    return followingOf({ hub, plans, clock }, owner);
  }

  logFields(owner: string): Record<string, string | undefined> {
    return logFieldsOf(this.#options.hub, owner);
  }

  async reconcile(owner: string, signal: AbortSignal, context: ReconcileContext): Promise<Result> {
    const { progress, policyProgress, dependencies } = this.#options;
    const policies = policyProgress.begin(owner);
    try {
      return await this.#plan(owner, signal, context);
    } finally {
      const isComing = signal.aborted || dependencies.areComing(owner) || this.#pendingMembers.isAwaitedFor(owner);
      if (!isComing) progress.failed(owner);
      policyProgress.end(owner, policies, isComing);
    }
  }

  async #plan(owner: string, signal: AbortSignal, context: ReconcileContext): Promise<Result> {
    const { hub, metrics, classes, plans } = this.#options;
    const found = hub.object(owner);
    if (found === undefined) return await this.#cleanUp(owner, context, signal);
    const { object, kind } = found;
    if (!hub.planned.includes(object)) return this.#leave(owner, object, "Unplanned");
    metrics.reconciled(object.kind);
    context.span?.setAttributes(spanAttributes(owner, object));
    plans.traces.ran(owner, context);
    const ownership = classes.of(object);
    switch (ownership) {
      case "Foreign":
      case "Claimable":
      case "Yielded":
        return this.#leave(owner, object, ownership);
      case "Yielding":
        return await this.#place(owner, object, kind, context, signal);
      case "Owned":
        return object.metadata.deletionTimestamp === undefined
          ? await this.#place(owner, object, kind, context, signal)
          : await this.#finalize(owner, object, kind, context, signal);
    }
  }

  async #place(
    owner: string,
    object: KubeObject,
    kind: PlacedKind,
    context: ReconcileContext,
    signal: AbortSignal,
  ): Promise<Result> {
    const { hub, hubState, plans, progress, assignments, clock, metrics, tracer, events, classes } = this.#options;
    const { client, store, dependencies, namespaces, observations, pace } = this.#options;
    const attempt = <T>(plan: () => T): T => attempted({ plans, events }, owner, object, plan);
    const startedAt = this.#fetching.get(owner) ?? clock.monotonic();
    if (plans.get(owner)?.generation !== object.metadata.generation) recordStart(events, object);
    const resolved = attempt(() => resolvedOf({ hub, hubState, dependencies }, owner, { object, kind }));
    // The object is planned again when the watches of its namespace have synced, or when the namespace itself is known.
    if (resolved === undefined || namespaces.termsFor(object) === undefined) {
      this.#fetching.set(owner, startedAt);
      return done;
    }
    this.#fetching.delete(owner);

    const before = plans.get(owner);
    const status = hub.statuses.of(object, kind);
    if (!this.#pendingMembers.isAwaitedFor(owner)) logChange(context, owner, object, { plan: before, status });
    const now = hub.now();
    const computing = startSpan(tracer, "ComputeTarget", { parent: context.span });
    const snapshot = attempt(() => assembleSnapshot(hubState, object, resolved));
    metrics.observePhase("fetch", clock.monotonic() - startedAt);
    const wanted = attempt(() => computeTarget(snapshot, now));
    pace.note(owner, wanted, now);
    computing.end();
    if (isUnrecorded(snapshot.previous) && before?.uid !== object.metadata.uid) {
      const leftMs = this.#pendingMembers.leftFor(owner, resolved.choice.placement, wanted);
      if (leftMs > 0) {
        // Rows of an earlier object with this name could remove copies that the present object is to keep.
        assignments.replace(owner, []);
        return requeueAfter(leftMs);
      }
    }
    const claimed = await claim({ client, hub, store, events, classes }, object, kind, wanted, signal);
    if (claimed === undefined) return requeueAfter(RETRY_FINALIZER_MS);
    plans.traces.claimed(owner, object, claimed);

    const { placement } = resolved.choice;
    const copies = (): Observation[] => copiesToPlan(hubState, owner, wanted);
    const request = { owner, object, placement, snapshot, target: wanted, observations: copies, status, now };
    const leftovers = (target: Target): Leftovers =>
      leftoversBeside({ hub, hubState, assignments, observations, progress }, target, () =>
        footprintOf(kind, object, resolved.needs.dependencies),
      );
    const decide: Decide = (target, status) => {
      let open: ReadonlySet<string> | undefined;
      const isOpen = (cluster: string): boolean => (open ??= leftovers(target).open).has(cluster);
      return this.#decide(owner, { object, kind }, { target, rollout: status, isOpen }, signal);
    };
    const rollout = await this.#rolloutStep.of(owner, request, decide, context.logger, signal);
    if (rollout === undefined || rollout.decision.kind === "Stale") return done;
    const { target, awaitsContact, decision } = rollout;
    const removal = leftBehind(target.owner);
    const next = attempt(() => this.#step(owner, wanted, removal, rollout));
    const remains = leftovers(target);
    if (isOver(kind, wanted, remains)) {
      if (!(await releaseHubObject({ client, store, classes }, object, kind, signal)))
        return requeueAfter(RETRY_FINALIZER_MS);
      logEnd(context, owner, object);
      return this.#leave(owner, object, "Unplanned");
    }
    this.#finalizations.forget(owner);
    this.#parting.delete(owner);
    plans.set(owner, {
      ...lifeOf(claimed),
      target,
      remaining: remains.open,
      rollout: rollout.status,
      awaitsContact,
      ours: true,
    });
    if (awaitsContact) return done;
    const recorded = decision.kind === "Failed" ? store.record(owner).clusters : undefined;
    const rows = next.rows.filter(({ verb, cluster }) => verb !== "Apply" || recorded?.has(cluster) !== false);
    const changed = this.#assign(owner, [...rows, ...remains.rows], context);
    progress.planned(owner);
    this.#report(owner, object, target, { plan: before, status }, changed, context);
    if (decision.kind === "Failed") throw decision.error;
    const recheckAt = Math.min(next.recheckAt ?? Infinity, rollout.recheckAt ?? Infinity);
    return recheckAt === Infinity ? done : requeueAfter(Math.max(1, recheckAt - now));
  }

  /** Writes what must be on the hub before rows go out. */
  async #decide(owner: string, found: PlacedObject, decided: Decided, signal: AbortSignal): Promise<DecisionResult> {
    const { store } = this.#options;
    const before = store.record(owner);
    if (decisionToWrite(before, decided) === undefined) return { kind: "Recorded" };
    let isStale = false;
    const decide = (record: Recorded): Decision | undefined => {
      isStale = !sameValue(record.status?.finished, before.status?.finished);
      return isStale ? undefined : decisionToWrite(record, decided);
    };
    try {
      await store.decide(found, decide, signal);
      return { kind: isStale ? "Stale" : "Recorded" };
    } catch (error) {
      return isNotFound(error) ? { kind: "Stale" } : { kind: "Failed", error };
    }
  }

  /** Reports a plan in Events, metrics and the log. `past`: the plan and the status before. */
  #report(
    owner: string,
    object: KubeObject,
    target: Target,
    past: Before,
    changed: ReadonlySet<string>,
    context: ReconcileContext,
  ): void {
    const { plans, events, metrics, warnings } = this.#options;
    const before = past.plan?.target;
    recordDecision(
      events,
      object,
      target,
      { before, status: past.status },
      {
        warn: (warning) => warnLater({ plans, warnings }, owner, warning),
        failedOver: (reason) => metrics.failedOver(reason),
      },
    );
    logProblems(context.logger, owner, target, before);
    logPlan(context, owner, object, target, { ...past, cause: plans.traces.takeCause(owner) }, changed);
  }

  /** Withdraws all rows of an object that another class owns or that is not planned: its copies stay untouched. */
  #leave(owner: string, object: KubeObject, ownership: "Foreign" | "Claimable" | "Yielded" | "Unplanned"): Result {
    const { hub, hubState, plans, assignments, progress, dependencies } = this.#options;
    this.#finalizations.forget(owner);
    this.#awaiting.delete(owner);
    if (ownership !== "Claimable") dependencies.forget(owner);
    assignments.replace(owner, []);
    if (ownership === "Unplanned") return this.#forget(owner);
    this.#rolloutStep.forget(owner, object.metadata.uid);
    if (object.metadata.deletionTimestamp !== undefined) plans.drop(owner);
    else {
      const target = computeTarget(assembleSnapshot(hubState, object), hub.now());
      plans.set(owner, { ...lifeOf(object), target, remaining: NOWHERE, ours: false });
    }
    progress.planned(owner);
    return done;
  }

  /** Carries out the deletion. The finalizer goes when the copies are seen gone or their cluster was unjoined. */
  async #finalize(
    owner: string,
    object: KubeObject,
    kind: PlacedKind,
    context: ReconcileContext,
    signal: AbortSignal,
  ): Promise<Result> {
    const { client, hub, hubState, plans, progress, classes, store, statuses } = this.#options;
    const { assignments, observations, recoveries, clock } = this.#options;
    this.#rolloutStep.forget(owner, object.metadata.uid);
    logChange(context, owner, object, { plan: plans.get(owner), status: hub.statuses.of(object, kind) });
    const next = unclaimed(OBJECT_FINALIZER, object.metadata, classes.classes);
    if (next.length === (object.metadata.finalizers ?? []).length) return await this.#cleanUp(owner, context, signal);
    if ((await this.#orphaning.settle(object, kind, signal)) === "Changed") return requeueAfter(RETRY_FINALIZER_MS);
    const isAnywhere = copiesOf(hubState, owner).length > 0;
    const suspension = isAnywhere ? heldBySuspension(hubState, object) : undefined;
    const held = suspension ?? (isAnywhere ? await heldByKind(hub, object, kind, signal) : undefined);
    const { policy, footprint } = this.#finalizations.of(owner, object, kind);
    const life = ownerRefOf(object);
    const removal = { owner: life, policy, cause: DELETED, ownership: "Ours" as const, held };
    const { rows } = this.#step(owner, undefined, { ...removal, awaitsEnd: wentByTtl(object) });
    progress.planned(owner);
    const clusters = recordedClusters(hubState, owner);
    const sources = { hub, hubState, assignments, observations, progress };
    const remains = leftoversOf(sources, { owner: life, clusters, footprint });
    plans.set(owner, { ...lifeOf(object), target: undefined, remaining: remains.open, ours: true });
    logRemoval(context, owner, object, this.#assign(owner, [...rows, ...remains.rows], context));
    if (remains.open.size > 0) {
      if (!this.#awaiting.has(owner)) this.#awaiting.set(owner, { held: true });
      return held === suspension ? done : requeueAfter(HELD_AGAIN_MS);
    }
    const released = await setFinalizers(client, kind.type, object, next, signal);
    if (released === undefined) return requeueAfter(RETRY_FINALIZER_MS);
    logEnd(context, owner, object);
    recordDeletionEnd(recoveries, object, statuses.waitsOf(owner), clock.now());
    this.#forget(owner);
    await store.unbind({ object, kind }, signal);
    return done;
  }

  /**
   * Cleans up after an object that is gone from the hub or has lost its finalizer. Copies are removed only if this
   * manager owned the object, or if the hub itself has confirmed that the object is gone.
   */
  async #cleanUp(owner: string, context: ReconcileContext, signal: AbortSignal): Promise<Result> {
    const { hub, hubState, plans, classes, missing, clock } = this.#options;
    const plan = plans.get(owner);
    const here = hub.object(owner);
    const policy =
      this.#finalizations.get(owner)?.policy ??
      plan?.target?.deletionPolicy ??
      this.#parting.get(owner) ??
      (here === undefined ? undefined : this.#finalizations.of(owner, here.object, here.kind).policy);
    const copies = copiesOf(hubState, owner);
    const named = ownersNamedBy(copies);
    if (plan?.ours === true) for (const { uid } of named) classes.leftBehind(uid);
    if (copies.length > 0 && policy !== undefined) this.#parting.set(owner, policy);
    this.#forget(owner);
    if (copies.length === 0) return done;

    const isHere = here !== undefined;
    const { latest } = missing;
    const { verdict, version } = isHere ? OURS : await classes.ofGone(named, clock.monotonic(), signal);
    const [ref = { ...refOfKey(owner), uid: "" }] = named;
    const confirmed = !isHere && verdict === "Ours";
    const held = await heldAsGone({ hub, missing }, { ref, here: here?.object, copies, confirmed }, signal);
    // The object may have come back during the request to the hub. It is then planned separately.
    if (!isHere && hub.object(owner) !== undefined) return done;
    if (!isHere) missing.confirmed(owner, latest, version);
    const ownership = verdict === "Ours" ? "Ours" : "Unconfirmed";
    const { rows } = this.#step(owner, undefined, { owner: ref, policy, cause: GONE, ownership, held, lost: !isHere });
    this.#assign(owner, rows, context);
    for (const one of verdict === "Present" ? named : []) await hub.relistIfBehind(one, signal);
    return typeof verdict === "number" && Number.isFinite(verdict) ? requeueAfter(verdict) : done;
  }

  /** Forgets an object that is gone from the hub or has no copies left. */
  #forget(owner: string): Result {
    const { hub, hubState, plans, assignments, dependencies, progress, metrics, classes } = this.#options;
    const isOver = copiesOf(hubState, owner).length === 0;
    this.#rolloutStep.forget(owner, plans.get(owner)?.uid);
    this.#finalizations.forget(owner);
    this.#awaiting.delete(owner);
    dependencies.forget(owner);
    metrics.forgetObject(owner);
    this.#fetching.delete(owner);
    this.#pendingMembers.forget(owner);
    if (!isOver || !keepHeld({ hub, plans, classes }, owner)) plans.drop(owner);
    if (isOver) {
      this.#parting.delete(owner);
      assignments.replace(owner, []);
    }
    progress.planned(owner);
    return done;
  }

  #step(owner: string, target: Target | undefined, removal: Removal, rollout?: ObjectRollout): StepResult {
    const { hubState } = this.#options;
    const copies = copiesToPlan(hubState, owner, target);
    const facts = assembleRemovalFacts(hubState, copies, removal);
    return step({ target, ...rollout?.step, observations: copies, removal: facts });
  }

  /** Returns the clusters whose rows have changed. */
  #assign(owner: string, rows: readonly Row[], { origin }: ReconcileContext): ReadonlySet<string> {
    const changed = this.#options.assignments.replace(owner, rows, origin);
    const { target } = this.#options.plans.get(owner) ?? {};
    if (awaitsNews(target, rows)) this.#awaiting.set(owner, { held: rows.some(isHeld) });
    else this.#awaiting.delete(owner);
    return changed;
  }
}
