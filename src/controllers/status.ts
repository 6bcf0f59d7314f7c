import PQueue from "p-queue";
import { type FederatedStatus, FIELD_MANAGER, isResponsible, type KubeObject } from "../apis/index.ts";
import { type DesiredStateTable, isInSync, type Members } from "../clusters/index.ts";
import type { DesiredRow, Plan } from "../desiredstate/index.ts";
import {
  type EventRecorder,
  type Logger,
  type Metrics,
  recordError,
  startSpan,
  type Span,
  type Tracer,
} from "../observability/index.ts";
import { apiVersionOf, type Clock, isNotFound, NotLeaderError } from "../runtime/index.ts";
import { aggregate } from "../status/index.ts";
import { type Gathering, writeDue, WriteRate } from "./gathering.ts";
import { clusterViews } from "./clusterViews.ts";
import type { Custody } from "./custody.ts";
import { handsOf } from "./handover.ts";
import type { Hub, PlacedKind } from "./hub.ts";
import { tellTrouble } from "./statusEvents.ts";

export interface StatusKeeperOptions {
  hub: Hub;
  table: DesiredStateTable;
  members: Members;
  custody: Custody;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  tracer: Tracer;
  events: EventRecorder;
  signal: AbortSignal;
}

interface Tracked extends Gathering {
  /** The life and the generation of the object that plan or deletion are about: a status never speaks of a later one. */
  uid: string | undefined;
  generation: number;
  plan: Plan | undefined;
  deleting: boolean;
  /** Monotonic milliseconds of the plan that is being carried out, for the propagation metric. */
  propagating: number | undefined;
  changed: boolean;
  writing: boolean;
  /** The write that is under way. */
  underWay: Promise<void> | undefined;
  timer: Disposable | undefined;
  dueAt: number;
  attempts: number;
}

/** How many status writes are under way at once. */
const PARALLEL = 8;
/** For how long after leadership began a status waits for clusters of which nothing is known yet. */
const SETTLE_IN_MS = 10_000;
const RETRY_MS = 200;
const LONGEST_RETRY_MS = 30_000;

/**
 * Keeps the status of every hub object true: gathers what changed, aggregates it, and writes it by one server-side apply when it
 * differs from what stands there.
 */
export class StatusKeeper implements AsyncDisposable {
  readonly #options: StatusKeeperOptions;
  readonly #tracked = new Map<string, Tracked>();
  readonly #queue = new PQueue({ concurrency: PARALLEL });
  readonly #rate = new WriteRate();
  /** Owners whose plan is being carried out. */
  readonly #carriedOut = new Set<string>();
  readonly #startedAt: number;

  constructor(options: StatusKeeperOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
  }

  /**
   * A plan was made: from now on its rows are being carried out, unless they are there already. Call {@link review} when they are
   * in the table: a status of the new plan and the old rows would be untrue.
   */
  planned(owner: string, object: KubeObject, plan: Plan, rows: readonly DesiredRow[]): void {
    const tracked = this.#track(owner, object);
    const now = this.#options.clock.monotonic();
    tracked.plan = plan;
    tracked.deleting = false;
    if (this.#isNews(owner, rows)) {
      tracked.plannedAt = now;
      this.#carriedOut.add(owner);
      tracked.movedAt = undefined;
      tracked.propagating ??= now;
    }
  }

  /** Looks at the status anew, whether or not anything is known to have changed. */
  review(owner: string): void {
    const tracked = this.#tracked.get(owner);
    if (tracked !== undefined) this.#changed(owner, tracked);
  }

  deleting(owner: string, object: KubeObject): void {
    const tracked = this.#track(owner, object);
    tracked.plan = undefined;
    if (!tracked.deleting) this.#carriedThrough(owner, tracked);
    tracked.deleting = true;
    this.#changed(owner, tracked);
  }

  forget(owner: string): void {
    const tracked = this.#tracked.get(owner);
    tracked?.timer?.[Symbol.dispose]();
    this.#tracked.delete(owner);
    this.#carriedOut.delete(owner);
    this.#options.metrics.forgetObject(...metricLabels(owner));
  }

  /** Resolves when no write of that object is under way. */
  async settled(owner: string): Promise<void> {
    await this.#tracked.get(owner)?.underWay;
  }

  /** Something that the status is made of may have changed. Objects that were never planned are not this module's business yet. */
  ownerChanged(owner: string): void {
    const tracked = this.#tracked.get(owner);
    if (tracked === undefined) return;
    const { plannedAt, movedAt } = tracked;
    if (movedAt === undefined && plannedAt !== undefined && this.#hasBegun(owner, plannedAt))
      tracked.movedAt = this.#options.clock.monotonic();
    this.#changed(owner, tracked);
  }

  /** Contact with a cluster changed: every object that it carries says so. */
  clusterChanged(cluster: string): void {
    const owners = new Set<string>();
    for (const entry of this.#options.table.entriesIn(cluster)) for (const owner of entry.links) owners.add(owner);
    for (const [owner, { plan }] of this.#tracked)
      if (plan?.clusters.some(({ name }) => name === cluster) === true) owners.add(owner);
    for (const owner of owners) this.ownerChanged(owner);
  }

  /** Waits for the writes that are under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { timer } of this.#tracked.values()) timer?.[Symbol.dispose]();
    this.#tracked.clear();
    this.#queue.clear();
    await this.#queue.onPendingZero();
  }

  #track(owner: string, { metadata }: KubeObject): Tracked {
    let tracked = this.#tracked.get(owner);
    if (tracked === undefined) {
      tracked = {
        uid: undefined,
        generation: 0,
        plan: undefined,
        deleting: false,
        plannedAt: undefined,
        movedAt: undefined,
        propagating: undefined,
        lastWriteAt: Number.NEGATIVE_INFINITY,
        changedAt: 0,
        changed: false,
        writing: false,
        underWay: undefined,
        timer: undefined,
        dueAt: Number.POSITIVE_INFINITY,
        attempts: 0,
      };
      this.#tracked.set(owner, tracked);
    }
    tracked.uid = metadata.uid;
    tracked.generation = metadata.generation ?? 0;
    return tracked;
  }

  /** Whether these rows ask for anything that is not there. */
  #isNews(owner: string, rows: readonly DesiredRow[]): boolean {
    const { table } = this.#options;
    let known = 0;
    for (const entry of table.entriesOf(owner)) if (entry.requests.has(owner)) known += 1;
    if (known !== rows.length) return true;
    const wanted = new Map(rows.map((row) => [placeOf(row), row.hash]));
    for (const entry of table.entriesOf(owner)) {
      if (wanted.get(placeOf(entry)) !== entry.requests.get(owner)?.hash) return true;
    }
    return false;
  }

  #carriedThrough(owner: string, tracked: Tracked): void {
    tracked.plannedAt = undefined;
    this.#carriedOut.delete(owner);
  }

  #changed(owner: string, tracked: Tracked): void {
    const now = this.#options.clock.monotonic();
    if (!tracked.changed) tracked.changedAt = now;
    tracked.changed = true;
    if (!tracked.writing) this.#schedule(owner, tracked, now);
  }

  #schedule(owner: string, tracked: Tracked, now: number): void {
    const load = { ...this.#rate.load(now), plans: this.#carriedOut.size };
    const due = writeDue(tracked, this.#isComplete(owner), load);
    if (tracked.timer !== undefined) {
      if (due >= tracked.dueAt) return;
      tracked.timer[Symbol.dispose]();
      tracked.timer = undefined;
    }
    if (due <= now) {
      this.#enqueue(owner, tracked);
      return;
    }
    tracked.dueAt = due;
    tracked.timer = this.#options.clock.after(due - now, () => {
      tracked.timer = undefined;
      tracked.dueAt = Number.POSITIVE_INFINITY;
      if (this.#tracked.get(owner) === tracked && !tracked.writing) this.#enqueue(owner, tracked);
    });
  }

  #enqueue(owner: string, tracked: Tracked): void {
    tracked.writing = true;
    tracked.underWay = this.#queue.add(() => this.#write(owner, tracked));
  }

  /** Something that this plan asks for anew has come to be, or has failed. */
  #hasBegun(owner: string, plannedAt: number): boolean {
    for (const entry of this.#options.table.entriesOf(owner)) {
      if (entry.desiredSince >= plannedAt && (isInSync(entry) || entry.failure !== undefined)) return true;
    }
    return false;
  }

  /** Every object of the plan is right, has failed, or lies in a cluster that does not answer. */
  #isComplete(owner: string): boolean {
    const { table, members } = this.#options;
    for (const entry of table.entriesOf(owner)) {
      const asked = entry.requests.get(owner);
      if (asked === undefined) {
        if (entry.observed !== undefined && members.contact(entry.cluster).ok) return false;
      } else if (
        asked.mode === "Apply" &&
        !isInSync(entry) &&
        entry.failure === undefined &&
        members.contact(entry.cluster).ok
      ) {
        return false;
      }
    }
    return true;
  }

  async #write(owner: string, tracked: Tracked): Promise<void> {
    const { hub, custody, clock, logger, signal } = this.#options;
    // Meanwhile it may have become another manager's.
    if (this.#tracked.get(owner) !== tracked) return;
    const found = hub.object(owner);
    tracked.changed = false;
    try {
      if (found === undefined || found.object.metadata.uid !== tracked.uid || signal.aborted) return;
      if (!isResponsible(custody.standing(found.object))) return;
      const waitMs = this.#unsettledFor(owner, tracked);
      if (waitMs > 0) {
        this.#later(owner, tracked, waitMs);
        return;
      }
      await this.#update(owner, tracked, found.object, found.kind);
      tracked.attempts = 0;
    } catch (error) {
      if (signal.aborted || isNotFound(error)) return;
      // The Lease may yet be renewed in time; if it is not, the signal ends this.
      if (!(error instanceof NotLeaderError)) {
        logger.warn(
          { err: error, object: owner, resource_uid: tracked.uid, event_reason: "StatusWriteFailed" },
          "a status could not be written",
        );
      }
      tracked.attempts += 1;
      this.#later(owner, tracked, Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.min(tracked.attempts, 10)));
    } finally {
      tracked.writing = false;
      if (tracked.changed && this.#tracked.get(owner) === tracked) this.#schedule(owner, tracked, clock.monotonic());
    }
  }

  #later(owner: string, tracked: Tracked, ms: number): void {
    tracked.timer?.[Symbol.dispose]();
    tracked.dueAt = this.#options.clock.monotonic() + ms;
    tracked.timer = this.#options.clock.after(ms, () => {
      tracked.timer = undefined;
      tracked.dueAt = Number.POSITIVE_INFINITY;
      if (this.#tracked.get(owner) === tracked) this.#changed(owner, tracked);
    });
  }

  /** How long to wait for clusters that were neither reached nor given up yet: to say less than stands there would be untrue. */
  #unsettledFor(owner: string, tracked: Tracked): number {
    const { clock, table, members, hub } = this.#options;
    const left = this.#startedAt + SETTLE_IN_MS - clock.monotonic();
    if (left <= 0) return 0;
    const reported = (hub.object(owner)?.object["status"] as FederatedStatus | undefined)?.clusters ?? [];
    const known = reported.filter(({ name }) => hub.clusters.get(name) !== undefined);
    const clusters = new Set([...(tracked.plan?.clusters ?? []), ...known].map(({ name }) => name));
    for (const entry of table.entriesOf(owner)) clusters.add(entry.cluster);
    for (const cluster of clusters) if (members.isUndetermined(cluster)) return left;
    return 0;
  }

  async #update(owner: string, tracked: Tracked, object: KubeObject, kind: PlacedKind): Promise<void> {
    const { hub, clock, metrics, tracer, signal } = this.#options;
    const complete = this.#isComplete(owner);
    const startedAt = clock.monotonic();
    const previous = object["status"] as FederatedStatus | undefined;
    const status = aggregate(
      {
        generation: tracked.generation,
        ...handsOf(object),
        deleting: tracked.deleting,
        previous,
        plan: tracked.plan,
        podSelector: kind.interpreter.podSelector(object),
        clusters: clusterViews(this.#options, owner, tracked.plan),
      },
      clock.now(),
    );
    metrics.observePhase("verify", clock.monotonic() - startedAt);
    this.#tell(owner, tracked, status, complete);
    if (status === previous) return;
    const span = startSpan(tracer, "UpdateStatus", {
      parent: this.#traceOf(owner),
      attributes: { "reconcile.key": owner },
    });
    try {
      const body: KubeObject = { ...refBody(object, kind), status };
      tracked.lastWriteAt = clock.monotonic();
      this.#rate.count(tracked.lastWriteAt);
      const sentAt = tracked.lastWriteAt;
      const written = await hub.client.applyStatus(kind.type, body, {
        force: true,
        fieldManager: FIELD_MANAGER,
        signal,
      });
      this.#rate.took(clock.monotonic() - sentAt);
      if (written.metadata.deletionTimestamp === undefined || object.metadata.deletionTimestamp !== undefined)
        kind.informer.observe(written);
    } catch (error) {
      recordError(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  #traceOf(owner: string): Span | undefined {
    for (const entry of this.#options.table.entriesOf(owner)) if (entry.trace !== undefined) return entry.trace;
    return undefined;
  }

  /** Metrics and Events that follow from a status. */
  #tell(owner: string, tracked: Tracked, status: FederatedStatus, complete: boolean): void {
    const { metrics, events, clock, hub } = this.#options;
    const available = status.conditions?.find(({ type }) => type === "Available");
    const progressing = status.conditions?.find(({ type }) => type === "Progressing");
    const state =
      available?.status === "True" ? "Available" : progressing?.status === "True" ? "Progressing" : "Degraded";
    metrics.setSyncStatus(metricLabels(owner).join("/"), state);
    if (!complete) return;
    this.#carriedThrough(owner, tracked);
    const applied = status.conditions?.find(({ type }) => type === "Applied");
    if (tracked.propagating !== undefined && applied?.status === "True") {
      metrics.observePropagation(clock.monotonic() - tracked.propagating);
      tracked.propagating = undefined;
    }
    const object = hub.object(owner)?.object;
    if (object === undefined) return;
    tellTrouble(events, object, status, tracked.plan);
  }
}

/** Kind, and `namespace/name`, of a hub object by its key: what metrics call it. */
function metricLabels(owner: string): [kind: string, name: string] {
  const [, kind = "", namespace = "", name = ""] = owner.split("/");
  return [kind, namespace === "" ? name : `${namespace}/${name}`];
}

function refBody(object: KubeObject, kind: PlacedKind): KubeObject {
  const { namespace, name } = object.metadata;
  return {
    apiVersion: apiVersionOf(kind.type),
    kind: kind.type.kind,
    metadata: { ...(namespace === undefined ? {} : { namespace }), name },
  };
}

function placeOf({ cluster, ref }: Pick<DesiredRow, "cluster" | "ref">): string {
  return `${cluster}/${ref.kind}/${ref.name}`;
}
