import {
  claimed,
  type Classes,
  DEFAULT_CLASS,
  FEDERATION_API_VERSION,
  type KubeObject,
  matchesResourceSelector,
  OBJECT_FINALIZER,
  type OverridePolicy,
  type OwnerRef,
  type Placement,
  refKey,
  refOf,
  type ResourceSelector,
} from "../apis/index.ts";
import { type ClusterPool, DesiredStateTable, type Entry, Members, type PoolListener } from "../clusters/index.ts";
import type { HubCache } from "../hub/index.ts";
import { type LostField, shortMessage } from "../interpreter/index.ts";
import type { EventRecorder, Logger, Metrics, Tracer } from "../observability/index.ts";
import { type Client, type Clock, Controller, done, type Informer, type Result, Workqueue } from "../runtime/index.ts";
import { ClusterReconciler } from "./cluster.ts";
import { Custody } from "./custody.ts";
import { DependencyWatches } from "./dependencies.ts";
import { DeletionGate } from "./gate.ts";
import { Hub } from "./hub.ts";
import { tellKeptNamespace } from "./memberEvents.ts";
import { PlacementReconciler } from "./placement.ts";
import { policyKey, PolicyStatusReconciler } from "./policyStatus.ts";
import { StatusKeeper } from "./status.ts";

export interface FederationOptions {
  /** That of the process; not read yet. */
  hub?: HubCache;
  /** Of this term of leadership: its writes ask the guard. */
  client: Client;
  hubId: string;
  /** That this manager serves; the default class alone unless told. */
  classes?: Classes;
  clock: Clock;
  /** Between 0 and 1, for jitter. */
  random: () => number;
  logger: Logger;
  metrics: Metrics;
  tracer: Tracer;
  events: EventRecorder;
  /** Makes the pool of connections; it reports to the listener, and hands over the server's answers to its status writes. */
  pool: (listener: PoolListener, onStatusWritten: (cluster: KubeObject) => void) => ClusterPool;
}

const PLACEMENT_WORKERS = 8;
const CLUSTER_WORKERS = 4;
const POLICY_WORKERS = 2;
const ORPHAN_WORKERS = 2;
/** Policies' own status is gathered: one object's plan changes it little, a thousand objects' plans change it a thousand times. */
const POLICY_STATUS_AFTER_MS = 2_000;
/** How long the end may be delayed by what policies still have to say. */
const LAST_WORDS_MS = 1_000;

/**
 * The pipeline, while this process leads: runs every controller until the signal, then finishes what is under way.
 *
 *     hub object -> snapshot -> desired state -> table -> lanes -> members -> watches -> table -> status -> hub object
 */
export async function runFederation(options: FederationOptions, signal: AbortSignal): Promise<void> {
  const { client, hubId, clock, random, logger, metrics, tracer, events } = options;
  const classes = options.classes ?? new Set([DEFAULT_CLASS]);
  const hub = new Hub({ client, clock, random, logger, metrics, deletionsReleased: () => members.lookAtAll() });
  const queue = (name: string): Workqueue<string> =>
    new Workqueue<string>({ name, clock, random, metrics: metrics.workqueue(name) });
  const objects = queue("placement");
  const clusters = queue("cluster");
  const policies = queue("policy");
  const orphans = queue("orphan");

  const custody = new Custody({
    hub,
    classes,
    confirmAfter: (owner, ms) => orphans.addAfter(JSON.stringify(owner), ms),
    released: (entry) => members.entryChanged(entry),
    alone: () => members.lookAtAll(),
  });
  const table = new DesiredStateTable(
    {
      entryChanged(entry) {
        members.entryChanged(entry);
        if (entry.observed === undefined && isLeaving(hub, entry.cluster)) clusters.add(entry.cluster);
      },
      ownerChanged(owner) {
        statuses.ownerChanged(owner);
        if (placement.isPassing(owner) || hub.object(owner)?.object.metadata.deletionTimestamp !== undefined)
          objects.add(owner);
      },
    },
    (owner, ref) => custody.keeps(owner, ref),
  );
  const gate = new DeletionGate(hub, (namespace) => {
    members.lookAtAll(namespace);
    addAllPolicies();
    addAll((object) => object.metadata.deletionTimestamp !== undefined);
  });
  const members = new Members({
    table,
    hubId,
    clock,
    random,
    logger,
    metrics,
    tracer,
    deletesAllowed: (deletion) => gate.deletesAllowed(deletion),
    mayRemove: (entry) => custody.mayRemove(entry),
    namespaces: custody,
    reported: (cluster) => hub.reportedOn(cluster),
    namespaceKept: (...what) => tellKeptNamespace(events, hub, ...what),
    healed: (entry, drift) => tellDrift(events, entry, drift),
    clusterChanged(cluster) {
      statuses.clusterChanged(cluster);
      if (isLeaving(hub, cluster) || isPassing(cluster)) clusters.add(cluster);
      addAll((object) => object.metadata.deletionTimestamp !== undefined);
      for (const owner of placement.passing) objects.add(owner);
    },
  });
  const statuses = new StatusKeeper({ hub, table, members, custody, clock, logger, metrics, tracer, events, signal });
  const dependencies = new DependencyWatches({
    client,
    clock,
    random,
    logger,
    signal,
    changed: (owner) => objects.add(owner),
  });
  using _staleness = metrics.beforeScrape(() => members.tellStaleness());
  const pool = options.pool(members, (cluster) => hub.clusters.observe(cluster));

  const addAll = (which: (object: KubeObject) => boolean = () => true): void => {
    for (const object of hub.objects()) if (which(object)) objects.add(refKey(refOf(object)));
  };
  const addAllPolicies = (): void => {
    for (const policy of [...hub.allPlacements(), ...hub.allOverrides()])
      policies.addAfter(policyKey(policy), POLICY_STATUS_AFTER_MS);
  };

  const placement = new PlacementReconciler({
    hub,
    table,
    members,
    dependencies,
    statuses,
    gate,
    custody,
    classes,
    hubId,
    clock,
    metrics,
    tracer,
    events,
    plansChanged: () => {
      if (gate.settled) addAllPolicies();
    },
  });
  const clusterReconciler = new ClusterReconciler({
    client,
    clusters: hub.clusters,
    pool,
    members,
    table,
    custody,
    classes,
    clock,
  });
  const policyStatus = new PolicyStatusReconciler({
    hub,
    client,
    clock,
    plans: () => placement.plans(),
    isOurs: (policy) => custody.isOurPolicy(policy),
    ready: () => gate.settled,
  });

  subscribe();
  const watches = hub.run(signal);
  if (!(await synced(hub, signal))) return await watches;
  gate.expect([...hub.objects()].map((object) => refKey(refOf(object))));
  addAll();
  const common = { clock, logger };
  const controllers = [
    new Controller({
      ...common,
      name: "placement",
      queue: objects,
      workers: PLACEMENT_WORKERS,
      metrics: metrics.controller("placement"),
      tracer,
      reconcile: placeOne,
    }),
    new Controller({
      ...common,
      name: "cluster",
      queue: clusters,
      workers: CLUSTER_WORKERS,
      metrics: metrics.controller("cluster"),
      reconcile: (key, end) => clusterReconciler.reconcile(key, end),
    }),
    new Controller({
      ...common,
      name: "policy",
      queue: policies,
      workers: POLICY_WORKERS,
      metrics: metrics.controller("policy"),
      reconcile: (key, end) => policyStatus.reconcile(key, end),
    }),
    new Controller({
      ...common,
      name: "orphan",
      queue: orphans,
      workers: ORPHAN_WORKERS,
      metrics: metrics.controller("orphan"),
      reconcile: (key, end) => confirm(JSON.parse(key) as OwnerRef, end),
    }),
  ];
  await Promise.all([pool.run(signal), ...controllers.map((controller) => controller.run(signal))]);
  await tellLastWords();
  await Promise.all([members[Symbol.asyncDispose](), statuses[Symbol.asyncDispose](), watches]);

  async function placeOne(...given: Parameters<PlacementReconciler["reconcile"]>): Promise<Result> {
    const [owner, end] = given;
    try {
      return await placement.reconcile(...given);
    } finally {
      if (!end.aborted && !dependencies.areComing(owner)) gate.failed(owner);
    }
  }

  /** What was being gathered for policies is said before the Lease is given back, so that a successor has nothing to add. */
  async function tellLastWords(): Promise<void> {
    const end = AbortSignal.timeout(LAST_WORDS_MS);
    const all = [...hub.allPlacements(), ...hub.allOverrides()];
    const told = await Promise.allSettled(all.map((policy) => policyStatus.reconcile(policyKey(policy), end)));
    const failed = told.find((result) => result.status === "rejected");
    if (failed !== undefined)
      logger.debug({ err: failed.reason as unknown }, "a policy's status is left to the next leader");
  }

  /** What an object left on members goes when the hub says that it is gone. */
  async function confirm(owner: OwnerRef, end: AbortSignal): Promise<Result> {
    const key = refKey(owner);
    if (await custody.confirm(owner, end)) for (const entry of table.entriesOf(key)) members.entryChanged(entry);
    else if (hub.object(key) === undefined) await hub.lookAgain(owner, end);
    return done;
  }

  /** A MemberCluster that is to become this manager's. */
  function isPassing(name: string): boolean {
    const cluster = hub.clusters.get(name);
    return cluster !== undefined && custody.clusterStanding(cluster) === "TakeOver";
  }

  function subscribe(): void {
    for (const { informer } of hub.kinds) {
      informer.onEvent(({ type, object, old }) => {
        const owner = refKey(refOf(object));
        if (type === "Updated" && old !== undefined && !isNews(old, object) && !placement.isPassing(owner)) return;
        objects.add(owner);
      });
    }
    hub.clusters.onEvent(({ type, key, object, old }) => {
      clusters.add(key);
      const before = type === "Updated" ? old : undefined;
      if (before !== undefined && !changesPlan(before as unknown as KubeObject, object as unknown as KubeObject))
        return;
      if (hub.synced) addAll();
    });
    for (const informer of [...hub.placements, ...hub.overrides])
      watchPolicies(informer as Informer<Placement | OverridePolicy>);
  }

  /** A reconciliation that puts our finalizer there goes on with it: that alone is no reason for another one. */
  function isNews(old: KubeObject, object: KubeObject): boolean {
    const { finalizers = [] } = object.metadata;
    const isOurClaim =
      custody.standing(old) === "Carry" &&
      finalizers.join() === claimed(OBJECT_FINALIZER, old.metadata, classes).join();
    return changesPlan(isOurClaim ? { ...old, metadata: { ...old.metadata, finalizers } } : old, object);
  }

  function watchPolicies(informer: Informer<Placement | OverridePolicy>): void {
    informer.onEvent(({ type, object, old }) => {
      const before = type === "Updated" ? old : undefined;
      if (before !== undefined && !changesPlan(before as unknown as KubeObject, object as unknown as KubeObject)) {
        // Most often what we have just written there ourselves: answered at once, it would be written again with every plan made meanwhile.
        policies.addAfter(policyKey(object), POLICY_STATUS_AFTER_MS);
        return;
      }
      policies.add(policyKey(object));
      if (!hub.synced) return;
      const selectors = [...(before?.spec.resourceSelectors ?? []), ...object.spec.resourceSelectors];
      addAll((candidate) => selectors.some((selector) => couldSelect(selector, object, candidate)));
    });
  }
}

/** False when the signal was aborted first. */
async function synced(hub: Hub, signal: AbortSignal): Promise<boolean> {
  try {
    await hub.waitForSync(signal);
    return true;
  } catch (error) {
    if (!signal.aborted) throw error;
    return false;
  }
}

/** Status and bookkeeping of the server aside: has anything changed that a plan looks at? */
function changesPlan(old: KubeObject, object: KubeObject): boolean {
  const before = old.metadata;
  const after = object.metadata;
  return (
    before.uid !== after.uid ||
    before.generation !== after.generation ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    !sameEntries(before.labels, after.labels) ||
    !sameEntries(before.annotations, after.annotations) ||
    (before.finalizers ?? []).join() !== (after.finalizers ?? []).join()
  );
}

function sameEntries(a: Record<string, string> = {}, b: Record<string, string> = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

function couldSelect(selector: ResourceSelector, policy: Placement | OverridePolicy, object: KubeObject): boolean {
  const { namespace } = policy.metadata;
  if (namespace !== undefined && namespace !== object.metadata.namespace) return false;
  return matchesResourceSelector(selector, object);
}

function isLeaving(hub: Hub, cluster: string): boolean {
  return hub.clusters.get(cluster)?.metadata.deletionTimestamp !== undefined;
}

function tellDrift(events: EventRecorder, entry: Entry, drift: readonly LostField[]): void {
  const owner = entry.desired?.owner;
  if (owner === undefined) return;
  const first = drift[0];
  const by = [...new Set(drift.map(({ takenBy }) => takenBy).filter((name) => name !== undefined))];
  const more = drift.length > 1 ? ` and ${drift.length - 1} more` : "";
  const who = by.length === 0 ? "" : ` changed by ${by.join(", ")}`;
  events.record({
    regarding: owner,
    type: "Warning",
    reason: "DriftHealed",
    action: "Heal",
    note: shortMessage(
      `${entry.cluster}: ${entry.ref.kind} ${entry.ref.name} ${first?.path ?? ""}${more}${who}; put back`,
    ),
    related: { apiVersion: FEDERATION_API_VERSION, kind: "MemberCluster", name: entry.cluster },
  });
}
