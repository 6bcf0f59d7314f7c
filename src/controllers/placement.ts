import {
  type FederatedStatus,
  type KubeObject,
  OBJECT_FINALIZER,
  type OwnerRef,
  REGION_LABEL,
  refKey,
  refOf,
} from "../apis/index.ts";
import { type DesiredStateTable, type Entry, type Members, type ReleasePolicy } from "../clusters/index.ts";
import { computeDesiredState, type DesiredRow, type Plan, type Snapshot } from "../desiredstate/index.ts";
import { type Dependency, shortMessage } from "../interpreter/index.ts";
import { type EventRecorder, type Metrics, type Span, startSpan, type Tracer } from "../observability/index.ts";
import { type Clock, done, type ReconcileContext, requeueAfter, type Result } from "../runtime/index.ts";
import { clusterSnapshot } from "./clusterSnapshot.ts";
import type { DependencyWatches } from "./dependencies.ts";
import { LOOK_AGAIN_MS, setFinalizer } from "./finalizers.ts";
import type { DeletionGate } from "./gate.ts";
import type { Hub, PlacedKind } from "./hub.ts";
import type { StatusKeeper } from "./status.ts";

export interface PlacementReconcilerOptions {
  hub: Hub;
  table: DesiredStateTable;
  members: Members;
  dependencies: DependencyWatches;
  statuses: StatusKeeper;
  gate: DeletionGate;
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
    if (object.metadata.deletionTimestamp !== undefined) return await this.#finalize(owner, object, kind, span, signal);
    const kept = await this.#ensureFinalizer(object, kind, signal);
    return kept === undefined ? requeueAfter(LOOK_AGAIN_MS) : this.#place(owner, kept, kind, context);
  }

  /** The present plans, by hub object. */
  get plans(): ReadonlyMap<string, Plan> {
    return this.#plans;
  }

  #place(
    owner: string,
    object: KubeObject,
    kind: PlacedKind,
    { span, logger }: Pick<ReconcileContext, "span" | "logger">,
  ): Result {
    const { table, statuses, gate, clock, metrics, dependencies, plansChanged } = this.#options;
    const startedAt = clock.monotonic();
    const needed = kind.interpreter.dependencies(object);
    const found = dependencies.collect(owner, needed);
    // Planned again as soon as the watches of its namespace have synced.
    if (found === undefined) return done;

    const before = this.#plans.get(owner);
    const step = startSpan(this.#options.tracer, "ComputeDesiredState", { parent: span });
    const plan = computeDesiredState(this.#snapshot(owner, object, found), clock.now());
    step.end();
    metrics.observePhase("fetch", clock.monotonic() - startedAt);

    this.#plans.set(owner, plan);
    this.#farewells.delete(owner);
    const rows = [...plan.rows, ...this.#heldRows(owner, plan, needed, found)];
    statuses.planned(owner, object, plan, rows);
    table.replace(owner, rows, { release: "Delete", trace: span, monotonic: clock.monotonic() });
    statuses.review(owner);
    gate.planned(owner);
    this.#tellDecision(object, plan, before);
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

  /**
   * What stays on members though the plan does not render it: everything on a cluster that is held, and a dependency that is gone from
   * the hub, or may not be read there, while the object still refers to it, since pods may be running on it.
   */
  #heldRows(
    owner: string,
    plan: Plan,
    needed: readonly Dependency[],
    found: ReadonlyMap<string, KubeObject>,
  ): DesiredRow[] {
    const missing = new Set(needed.map(({ ref }) => refKey(ref)).filter((key) => !found.has(key)));
    const held = new Map(plan.clusters.map((cluster) => [cluster.name, cluster.held]));
    if (missing.size === 0 && ![...held.values()].includes(true)) return [];
    const rendered = new Set(plan.rows.map(({ cluster, ref }) => `${cluster}/${refKey(ref)}`));
    const rows: DesiredRow[] = [];
    for (const entry of this.#options.table.entriesOf(owner)) {
      const owned = entry.requests.get(owner)?.owner ?? entry.observed?.owner;
      if (owned === undefined || entry.observed === undefined || rendered.has(`${entry.cluster}/${entry.key}`))
        continue;
      const stays = held.get(entry.cluster);
      if (stays === undefined || (!stays && !missing.has(entry.key))) continue;
      rows.push(holdRow(entry, owned));
    }
    return rows;
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
    if (!(object.metadata.finalizers ?? []).includes(OBJECT_FINALIZER)) return this.#forget(owner);
    const farewell = this.#farewellOf(owner, object);
    this.#plans.delete(owner);
    statuses.deleting(owner, object);
    table.replace(owner, [], { release: farewell.release, trace: span, monotonic: clock.monotonic() });
    gate.planned(owner);
    plansChanged();
    // Asked again by whatever takes the last of them away.
    if (this.#remains(owner, object, farewell)) return done;
    const released = await setFinalizer(this.#options.hub.client, kind.type, object, OBJECT_FINALIZER, false, signal);
    if (released === undefined) return requeueAfter(LOOK_AGAIN_MS);
    return this.#forget(owner, "Delete");
  }

  /** Whether there is a cluster of which it is not certain that nothing of the object is left there. */
  #remains(owner: string, object: KubeObject, { clusters }: Farewell): boolean {
    const { hub, table, members, gate } = this.#options;
    for (const { cluster, observed, writing } of table.entriesOf(owner)) {
      if ((observed !== undefined || writing) && hub.clusters.get(cluster) !== undefined) return true;
    }
    const status = object["status"] as FederatedStatus | undefined;
    const names = new Set([...clusters, ...(status?.clusters ?? []).map(({ name }) => name)]);
    // The summary only counts: each cluster of its regions may be meant.
    const regions = new Set((status?.summary ?? []).map(({ region }) => region));
    if (regions.size > 0) {
      for (const { metadata } of hub.clusters.list()) {
        if (regions.has(metadata.labels?.[REGION_LABEL] ?? "")) names.add(metadata.name);
      }
    }
    for (const name of names) {
      if (hub.clusters.get(name) !== undefined && (!members.isSynced(name) || !gate.allPlanned)) return true;
    }
    return false;
  }

  #farewellOf(owner: string, object: KubeObject): Farewell {
    let farewell = this.#farewells.get(owner);
    if (farewell === undefined) {
      const { clock } = this.#options;
      const plan = this.#plans.get(owner) ?? computeDesiredState(this.#snapshot(owner, object, new Map()), clock.now());
      farewell = { release: plan.deletionPolicy, clusters: plan.clusters.map(({ name }) => name) };
      this.#farewells.set(owner, farewell);
    }
    return farewell;
  }

  #snapshot(owner: string, object: KubeObject, dependencies: ReadonlyMap<string, KubeObject>): Snapshot {
    const { hub, hubId } = this.#options;
    const previous = object["status"] as FederatedStatus | undefined;
    return {
      object,
      placements: hub.allPlacements(),
      overrides: hub.allOverrides(),
      clusters: hub.clusters.list().map(clusterSnapshot),
      dependencies,
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
    const { table, statuses, gate, dependencies, clock, plansChanged } = this.#options;
    this.#plans.delete(owner);
    this.#farewells.delete(owner);
    dependencies.forget(owner);
    statuses.forget(owner);
    table.replace(owner, [], { release, monotonic: clock.monotonic() });
    gate.planned(owner);
    plansChanged();
    return done;
  }

  /** Returns the object with the finalizer; undefined when it changed or went away meanwhile. */
  async #ensureFinalizer(object: KubeObject, kind: PlacedKind, signal: AbortSignal): Promise<KubeObject | undefined> {
    const finalizers = object.metadata.finalizers ?? [];
    if (finalizers.includes(OBJECT_FINALIZER)) return object;
    const patched = await setFinalizer(this.#options.hub.client, kind.type, object, OBJECT_FINALIZER, true, signal);
    if (patched === undefined) return undefined;
    kind.informer.observe(patched);
    return kind.informer.get(nameOf(object));
  }

  #tellDecision(object: KubeObject, plan: Plan, before: Plan | undefined): void {
    const { events } = this.#options;
    const regarding = { ...refOf(object), ...(object.metadata.uid === undefined ? {} : { uid: object.metadata.uid }) };
    const reported = (object["status"] as FederatedStatus | undefined)?.conditions?.find(
      ({ type }) => type === "Scheduled",
    );
    if (plan.scheduled.status === "False") {
      const known = before === undefined ? reported?.reason : before.scheduled.reason;
      if (known === plan.scheduled.reason) return;
      events.record({
        regarding,
        type: "Warning",
        reason: plan.scheduled.reason,
        action: "Schedule",
        note: plan.scheduled.message,
      });
      return;
    }
    const chosen = names(plan.clusters);
    const previous =
      before === undefined
        ? names((object["status"] as FederatedStatus | undefined)?.clusters ?? [])
        : names(before.clusters);
    if (chosen === previous) return;
    events.record({
      regarding,
      type: "Normal",
      reason: "Scheduled",
      action: "Schedule",
      note: shortMessage(`placed on ${plan.clusters.length} clusters: ${chosen}`),
    });
  }
}

/** Neither written nor deleted. */
function holdRow(entry: Entry, owner: OwnerRef): DesiredRow {
  const { cluster, ref, observed } = entry;
  return {
    cluster,
    ref,
    owner,
    role: "dependency",
    mode: "Hold",
    object: { apiVersion: ref.apiVersion, kind: ref.kind, metadata: { name: ref.name } },
    hash: observed?.hash ?? "",
    conflictResolution: "Abort",
    deletionPolicy: "Delete",
  };
}

function names(clusters: readonly { name: string }[]): string {
  return clusters
    .map(({ name }) => name)
    .toSorted()
    .join(", ");
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
