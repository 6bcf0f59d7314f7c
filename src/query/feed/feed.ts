import type { FederatedStatus, KubeObject } from "../../apis/index.ts";
import { type PlannerView, refOfKey } from "../../controllers/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { Logger, StateChange } from "../../observability/index.ts";
import { type Clock, TimeSlice } from "../../runtime/index.ts";
import {
  type ClusterValue,
  type ObjectFacts,
  type ObjectValue,
  type Table,
  type TransitionFacts,
} from "../table/index.ts";
import type { ObjectIdentity } from "../types.ts";
import { clusterTransitions, objectTransitions } from "./changes.ts";
import { clusterFacts } from "./clusterFacts.ts";
import { entriesOf, objectFacts } from "./objectFacts.ts";

export interface FeedOptions {
  table: Table;
  hub: HubCache;
  view: Omit<PlannerView, "decisions">;
  clock: Clock;
  logger: Pick<Logger, "error">;
  /** Records a transition as an operations event, and returns the id of the event. Undefined: nobody reads such events. */
  changed?: (change: StateChange) => string | undefined;
}

/** Changes are gathered for so long, so that a burst of events of an object costs one computation. */
const GATHER_MS = 20;
/** While much changes, changes are gathered for longer, so that rows take a sixth of the time at most. */
const MOST_GATHER_MS = 150;
const PAUSE_FOR_WORK = 5;
/** The same while nobody asks: a change in many steps, such as a rollout, costs few computations. */
const IDLE_GATHER_MS = 500;
/** The same if no operations events are read either. A query computes what waits before it is answered. */
const UNREAD_GATHER_MS = 5_000;
/** For so long after a query, rows are kept current as if somebody still asked. */
const ASKED_FOR_MS = 60_000;
/** Objects in one commit: readers wait no longer for the first of many. */
const MOST_IN_COMMIT = 256;

/** Key of the object, or the cluster, to the epoch milliseconds of its last change, which are the time of its transitions. */
type Marked = Map<string, number>;

/**
 * Keeps the table current with what the planner knows. Events only mark objects and clusters; their rows are computed
 * later, a few in each turn of the event loop, so that no writer of the planner's tables waits for readers.
 */
export class Feed implements Disposable {
  readonly #options: FeedOptions;
  readonly #slice: TimeSlice;
  #objects: Marked = new Map();
  /** Objects that are seen for the first time, and those of clusters that changed as a whole. Single changes go first. */
  readonly #backlog: Marked = new Map();
  /** Monotonic milliseconds of the first change that waits. */
  #waitingSince: number | undefined;
  /** Milliseconds that the last changes took. */
  #busyMs = 0;
  readonly #clusters: Marked = new Map();
  /** Clusters whose objects are all to be computed again. */
  readonly #placesOn = new Set<string>();
  readonly #subscriptions = new DisposableStack();
  /** Until the next run begins. */
  #timer: Disposable | undefined;
  #readers = 0;
  /** Monotonic milliseconds at which the last reader left. */
  #askedAt = -Infinity;
  /** Epoch milliseconds. */
  readonly #startedAt: number;
  #isScheduled = false;
  #isOver = false;
  /** Resolves at the end of the present run. */
  #ended = Promise.withResolvers<void>();
  /** Resolves when the present run has the changes in the table, before the backlog. */
  #changesDone = Promise.withResolvers<void>();

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#slice = TimeSlice.of(options.clock);
    this.#startedAt = options.clock.now();
    const { hub, view } = options;
    const { states, assignments, observations, contacts } = view;
    const subscriptions = this.#subscriptions;
    subscriptions.use(states.planChanges.subscribe(({ owner }) => this.#markObject(owner)));
    subscriptions.use(assignments.changes.subscribe(({ owner }) => this.#markObject(owner)));
    subscriptions.use(assignments.departures.subscribe((owner) => this.#markObject(owner)));
    subscriptions.use(
      observations.changes.subscribe((change) => {
        for (const owner of assignments.ownersOfChange(change)) this.#markObject(owner);
      }),
    );
    subscriptions.use(observations.contacts.subscribe((cluster) => this.#markCluster(cluster)));
    subscriptions.use(
      contacts.changes.subscribe((cluster) => {
        this.#placesOn.add(cluster);
        this.#markCluster(cluster);
      }),
    );
    for (const events of [hub.statuses.events, hub.objectEvents])
      subscriptions.use(
        events.follow(({ type, key }) => (type === "Added" ? this.#markLater(key) : this.#markObject(key))),
      );
    subscriptions.use(hub.onCluster(({ object }) => this.#markCluster(object.metadata.name)));
    for (const { metadata } of hub.clusters.list()) this.#markCluster(metadata.name);
    for (const [owner] of states.plans()) this.#markLater(owner);
  }

  /**
   * Keeps the rows current for a reader until disposed of. Resolves when the changes before it are in the table, but for
   * a backlog of many objects.
   */
  async read(): Promise<Disposable> {
    const reader = await this.#read();
    return {
      [Symbol.dispose]: () => {
        reader[Symbol.dispose]();
        this.#askedAt = this.#options.clock.monotonic();
      },
    };
  }

  async #read(): Promise<Disposable> {
    const wasIdle = this.#isIdle;
    this.#readers += 1;
    if (wasIdle && this.#timer !== undefined) {
      this.#timer[Symbol.dispose]();
      this.#begin();
    }
    if (wasIdle && this.#isScheduled && !this.#isOver) await this.#changesDone.promise;
    return { [Symbol.dispose]: () => void (this.#readers -= 1) };
  }

  /**
   * Resolves when every change so far is in the table, and every object that the cache of the hub has now, even if more
   * changes keep coming.
   */
  async caughtUp(): Promise<void> {
    // The manager waits for this at its start, when nobody has asked yet.
    using _reader = await this.#read();
    const { hub, table } = this.#options;
    // The events of the hub bring its objects in slices, and nothing tells when the last slice was there.
    for (const owner of hub.owners()) {
      await this.#slice.pause();
      if (table.object(identityOfKey(owner)) === undefined) this.#markLater(owner);
    }
    // The run under way may have begun before the last changes; the next one has them all but for the backlog.
    for (let runs = 0; this.#isScheduled && (runs < 2 || this.#backlog.size > 0); runs += 1) await this.#ended.promise;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#subscriptions.dispose();
    this.#timer?.[Symbol.dispose]();
    this.#changesDone.resolve();
    this.#ended.resolve();
  }

  #markLater(owner: string): void {
    this.#backlog.set(owner, this.#options.clock.now());
    this.#schedule();
  }

  #markObject(owner: string): void {
    this.#objects.set(owner, this.#options.clock.now());
    this.#waitingSince ??= this.#options.clock.monotonic();
    this.#schedule();
  }

  #markCluster(name: string): void {
    this.#clusters.set(name, this.#options.clock.now());
    this.#waitingSince ??= this.#options.clock.monotonic();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isOver) return;
    this.#isScheduled = true;
    this.#ended = Promise.withResolvers();
    this.#changesDone = Promise.withResolvers();
    this.#timer = this.#options.clock.after(this.#gatherMs, () => this.#begin());
  }

  get #gatherMs(): number {
    if (this.#isIdle) return this.#options.changed === undefined ? UNREAD_GATHER_MS : IDLE_GATHER_MS;
    return Math.min(MOST_GATHER_MS, Math.max(GATHER_MS, PAUSE_FOR_WORK * this.#busyMs));
  }

  get #isIdle(): boolean {
    return this.#readers === 0 && this.#options.clock.monotonic() - this.#askedAt >= ASKED_FOR_MS;
  }

  #begin(): void {
    this.#timer = undefined;
    void this.#run();
  }

  async #run(): Promise<void> {
    try {
      await this.#flush();
    } catch (error) {
      this.#options.logger.error({ err: error }, "rows of queries were not computed; the last ones stay");
    }
    this.#isScheduled = false;
    this.#changesDone.resolve();
    this.#ended.resolve();
    if (this.#hasMarks) this.#schedule();
  }

  get #hasMarks(): boolean {
    return [this.#objects, this.#backlog, this.#clusters, this.#placesOn].some(({ size }) => size > 0);
  }

  async #flush(): Promise<void> {
    const objects = this.#objects;
    this.#objects = new Map();
    this.#waitingSince = undefined;
    this.#commitClusters();
    this.#markPlaces();
    this.#busyMs = await this.#computeAll(objects, () => false);
    this.#changesDone.resolve();
    await this.#computeAll(this.#backlog, () => this.#isChangeDue);
  }

  get #isChangeDue(): boolean {
    const { clock } = this.#options;
    return this.#waitingSince !== undefined && clock.monotonic() - this.#waitingSince >= GATHER_MS;
  }

  /** Takes the objects out of the set, and commits their rows. Returns the milliseconds of work. */
  async #computeAll(owners: Marked, mustStop: () => boolean): Promise<number> {
    const { table, clock } = this.#options;
    let busyMs = 0;
    const record = (transition: TransitionFacts): TransitionFacts => this.#recorded(transition);
    let batch = new Batch();
    const commit = (): void => {
      batch.commit(table, record);
      batch = new Batch();
    };
    for (const [owner, changedAt] of owners) {
      if (mustStop()) break;
      const pause = this.#slice.pause();
      if (pause !== undefined) {
        commit();
        await pause;
        if (this.#isOver) return busyMs;
      }
      const begun = clock.monotonic();
      owners.delete(owner);
      this.#tryCompute(owner, changedAt, batch);
      if (batch.size >= MOST_IN_COMMIT) commit();
      busyMs += clock.monotonic() - begun;
    }
    commit();
    return busyMs;
  }

  #markPlaces(): void {
    const { table, view, clock } = this.#options;
    const now = clock.now();
    for (const cluster of this.#placesOn) {
      for (const { rows } of table.places.with("cluster", [cluster]))
        for (const { entry } of rows) if (entry.value !== undefined) this.#backlog.set(entry.key, now);
      for (const { rows } of view.assignments.in(cluster))
        for (const owner of rows.keys()) this.#backlog.set(owner, now);
    }
    this.#placesOn.clear();
  }

  /** An object that cannot be computed keeps its row, and the others are computed. */
  #tryCompute(owner: string, changedAt: number, batch: Batch): void {
    try {
      this.#compute(owner, changedAt, batch);
    } catch (error) {
      this.#options.logger.error(
        { err: error, object: owner },
        "the row of queries was not computed; the last one stays",
      );
    }
  }

  #compute(owner: string, now: number, batch: Batch): void {
    const { table, hub, view } = this.#options;
    const found = hub.object(owner);
    const before = table.object(identityOfKey(owner));
    const known = found === undefined ? undefined : hub.statuses.of(found.object, found.kind);
    const plan = view.states.planOf(owner);
    const isOurs = plan?.ours === true;
    if (found === undefined || (!isOurs && known === undefined && !hub.planned.includes(found.object))) {
      if (before !== undefined) batch.delete(before, objectTransitions(before, undefined, { now, isNew: true }));
      return;
    }
    const unlisted = isOurs ? entriesOf(before?.placed ?? [], known?.clusters) : [];
    const present = view.statuses.present(owner, unlisted);
    const facts = objectFacts(
      {
        object: found.object,
        status: present?.status ?? known,
        entries: present?.entries ?? known?.clusters ?? [],
        rollout: plan?.rollout ?? known?.rollout,
        waits: view.states.waits.of(owner),
        before,
      },
      now,
    );
    batch.set(facts, objectTransitions(before, facts, { now, isNew: this.#isNew(found.object, known) }));
  }

  /** An object that has a status was there before the feed, unless it was made since. */
  #isNew({ metadata }: KubeObject, status: FederatedStatus | undefined): boolean {
    return status === undefined || Date.parse(metadata.creationTimestamp ?? "") >= this.#startedAt;
  }

  #commitClusters(): void {
    const { table, hub, view } = this.#options;
    const clusters: ClusterValue[] = [];
    const deletedClusters: string[] = [];
    const transitions: TransitionFacts[] = [];
    for (const [name, now] of this.#clusters) {
      const object = hub.clusters.get(name);
      const before = table.cluster(name);
      const after =
        object === undefined ? undefined : clusterFacts(object, view.observations.contactOf(name), before, now);
      if (after === undefined) deletedClusters.push(name);
      else clusters.push(after);
      if (before?.region !== after?.region && before !== undefined) this.#placesOn.add(name);
      transitions.push(...clusterTransitions(before, after, now));
    }
    this.#clusters.clear();
    const recorded = transitions.map((transition) => this.#recorded(transition));
    table.commit({ clusters, deletedClusters, transitions: recorded });
  }

  #recorded(transition: TransitionFacts): TransitionFacts {
    const eventId = this.#options.changed?.(transition);
    return eventId === undefined ? transition : { ...transition, eventId };
  }
}

/** Rows that are committed together. */
class Batch {
  readonly #objects: ObjectFacts[] = [];
  readonly #deleted: ObjectIdentity[] = [];
  readonly #transitions: TransitionFacts[] = [];

  get size(): number {
    return this.#objects.length + this.#deleted.length;
  }

  set(facts: ObjectFacts, transitions: readonly TransitionFacts[]): void {
    this.#objects.push(facts);
    this.#transitions.push(...transitions);
  }

  delete({ identity }: ObjectValue, transitions: readonly TransitionFacts[]): void {
    this.#deleted.push(identity);
    this.#transitions.push(...transitions);
  }

  commit(table: Table, record: (transition: TransitionFacts) => TransitionFacts): void {
    const transitions = this.#transitions.map(record);
    table.commit({ objects: this.#objects, deleted: this.#deleted, transitions });
  }
}

function identityOfKey(owner: string): ObjectIdentity {
  const { apiVersion, kind, namespace, name } = refOfKey(owner);
  const group = apiVersion.replace(/\/$/, "");
  return { kind, group, ...(namespace === undefined ? {} : { namespace }), name };
}
