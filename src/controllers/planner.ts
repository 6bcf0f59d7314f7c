import {
  type ApproversProven,
  type Classes,
  DEFAULT_CLASS,
  DEFAULT_SYSTEM_NAMESPACE,
  defined,
  type KubeObject,
} from "../apis/index.ts";
import { type HubCache, StatusStore } from "../hub/index.ts";
import type { EventSink, Logger, Metrics, Tracer, Recoveries } from "../observability/index.ts";
import type { ClusterReport, ConnectionSource, Liveness, ReportSink, WorkSource } from "../ports/index.ts";
import { type Client, type Clock, Controller, type Reconciler, type WorkerLimit, Workqueue } from "../runtime/index.ts";
import { Assignments, Observations, ReportedContacts, ReportReceiver, WorkStreams } from "./tables/index.ts";
import { ObjectStates, Capacities } from "./states/index.ts";
import { BindingReconciler, StatusReconciler } from "./status/index.ts";
import {
  ClusterReconciler,
  ConnectedMembers,
  DeletionHoldReconciler,
  GarbageReconciler,
  recordMemberEvents,
} from "./members/index.ts";
import {
  type AskGate,
  ControllerClasses,
  DependencyWatches,
  EvictionPace,
  Gates,
  HubNamespaces,
  managerHubState,
  MissingOwners,
  PlanningProgress,
  Revisions,
  RolloutSlots,
} from "./facts/index.ts";
import { DelayedWarnings, PolicyProgress } from "./progress/index.ts";
import { Decisions, HandoverReconciler, PlacementReconciler } from "./object/index.ts";
import { PolicyStatusReconciler } from "./policies/index.ts";

export interface PlannerOptions {
  /** Follows the hub for as long as the process lives. */
  hub: HubCache;
  client: Client;
  hubId: string;
  /** Namespace of Meridian itself, on the hub and on members. Default: `DEFAULT_SYSTEM_NAMESPACE`. */
  systemNamespace?: string;
  /** Member namespaces that are never written, in addition to the namespaces of Kubernetes and of Meridian itself. */
  protectedNamespaces?: readonly string[];
  /** Controller classes that this manager serves. Default: only the default class. */
  classes?: Classes;
  /** Term of this planner: greater than that of every earlier one. */
  epoch: number;
  /** Signs of life between planner and workers. Undefined: both are in this process. */
  liveness?: Liveness;
  clock: Clock;
  /** Between 0 and 1, for jitter. */
  random: () => number;
  logger: Logger;
  metrics: Metrics;
  tracer: Tracer;
  events: EventSink;
  recoveries: Recoveries;
  /** Time limit of one reconcile in milliseconds. Default: 30 s. */
  reconcileTimeoutMs?: number;
  /** Workers of the placement controller, and of the status controller. Default: 8 each. */
  workers?: WorkerLimit | undefined;
  /** Sends the queries of rollout gates to Prometheus. Absent: there is no Prometheus, and these gates wait. */
  askGate?: AskGate;
  /** Time since which the API server has verified the approvers of rollouts. Absent: the manager serves no webhooks. */
  approversProvenSince?: (holder: KubeObject) => ApproversProven;
}

export interface PlannerView {
  states: ObjectStates;
  assignments: Assignments;
  observations: Observations;
  contacts: ReportedContacts;
  statuses: Pick<StatusReconciler, "present">;
  decisions: Pick<Decisions, "explain" | "differences">;
}

export interface Planner extends AsyncDisposable {
  /** The work of the members. */
  source: WorkSource;
  /** Takes what is observed on the members. */
  sink: ReportSink;
  /** Takes what the connections say of the clusters. */
  reports: ClusterReport;
  /** The clusters to be connected. */
  connections: ConnectionSource;
  view: PlannerView;
  /** Waits for the hub's caches. False if the signal was aborted first. */
  hasSynced(signal: AbortSignal): Promise<boolean>;
  /** Runs every controller until the signal, then finishes what is under way. */
  run(signal: AbortSignal): Promise<void>;
}

const WORKERS = { placement: 8, handover: 2, status: 8, cluster: 4, policy: 2, garbage: 2, holds: 1, binding: 1 };
const LAST_POLICIES_MS = 1_000;

function assembleTables(options: PlannerOptions) {
  const { hub, client, hubId, clock, random, logger, metrics } = options;
  const { systemNamespace = DEFAULT_SYSTEM_NAMESPACE, protectedNamespaces = [] } = options;
  const states = new ObjectStates();
  const observations = new Observations();
  const capacities = new Capacities({ states, observations, clock });
  const progress = new PlanningProgress();
  const classes = new ControllerClasses({ hub, client, classes: options.classes ?? new Set([DEFAULT_CLASS]) });
  const assignments = new Assignments({
    observations,
    others: classes,
    monotonic: () => clock.monotonic(),
  });
  const { epoch, liveness } = options;
  const source = new WorkStreams({
    assignments,
    epoch,
    kinds: hub.catalog,
    expected: (cluster) => hub.reportedOn(cluster),
    recordedKinds: (cluster) => hub.recordedKindsOn(cluster),
    capacities,
    progress,
    clock,
    heartbeatMs: liveness?.heartbeatMs,
  });
  const reports = new ReportReceiver({ observations, epoch, clock, silentAfterMs: liveness?.silentAfterMs });
  const dependencies = new DependencyWatches({ client, clock, random, logger, states });
  const namespaces = new HubNamespaces({ hub, protected: [systemNamespace, ...protectedNamespaces] });
  const missing = new MissingOwners({ hub, observations, clock, logger, metrics });
  const pace = new EvictionPace(hub);
  const tables = { hub, assignments, observations, states, dependencies, progress, classes, missing };
  const hubState = managerHubState({ ...tables, hubId, namespaces, capacities, pace });
  return { ...tables, source, reports, hubState, namespaces, capacities, pace };
}

function reportObjects({
  metrics,
  states,
  clock,
}: Pick<PlannerOptions, "metrics" | "clock"> & { states: ObjectStates }) {
  metrics.setWaits(states.waits.tally(), clock.now());
  const rollouts = new Map<string, number>();
  for (const [, { rollout, ours }] of states.plans())
    if (rollout !== undefined && ours) rollouts.set(rollout.state, (rollouts.get(rollout.state) ?? 0) + 1);
  metrics.setRollouts(rollouts);
}

/** The controllers on these tables, and what lives as long as they do. */
function assembleControllers(options: PlannerOptions, tables: ReturnType<typeof assembleTables>) {
  const { hub, client, clock, random, logger, metrics, tracer, events, recoveries } = options;
  const { systemNamespace = DEFAULT_SYSTEM_NAMESPACE, approversProvenSince } = options;
  const deadline = options.reconcileTimeoutMs === undefined ? {} : { timeoutMs: options.reconcileTimeoutMs };
  const { states, observations, dependencies } = tables;
  const members = new ConnectedMembers({
    ...{ hub: client, clock, logger, events, recoveries, epoch: options.epoch, liveness: options.liveness },
    onWritten: (object) => hub.clusters.observe(object),
    onFailed: () => metrics.failed("cluster"),
  });
  const contacts = new ReportedContacts({ observations, clock });
  const store = new StatusStore({ hub, client });
  const warnings = new DelayedWarnings({ clock, events });
  const sinks = { metrics, tracer, events, recoveries, warnings };
  const statuses = new StatusReconciler({ ...tables, contacts, store, client, clock, ...sinks });
  const gates = new Gates({ ask: options.askGate, states, clock, logger });
  const policyProgress = new PolicyProgress({ hub, states, dependencies });
  const places = new RolloutSlots({ hub, states });
  const revisions = new Revisions({ client, systemNamespace });
  const rollouts = { policyProgress, revisions, gates, places, ...defined({ approversProvenSince }) };
  const shared = { ...tables, ...rollouts, client, store, statuses, clock, ...sinks };
  const policies = new PolicyStatusReconciler(shared);
  const reconcilers: Record<keyof typeof WORKERS, Reconciler> = {
    placement: new PlacementReconciler(shared),
    handover: new HandoverReconciler(shared),
    status: statuses,
    cluster: new ClusterReconciler({ ...shared, clusters: hub.clusters, members }),
    policy: policies,
    garbage: new GarbageReconciler(tables),
    holds: new DeletionHoldReconciler(shared),
    binding: new BindingReconciler(shared),
  };
  const { workers: adapting } = options;
  const limits = { ...WORKERS, ...(adapting === undefined ? {} : { placement: adapting, status: adapting }) };
  const controllers = Object.entries(reconcilers).map(([name, reconciler]) => {
    const queue = new Workqueue({ name, clock, random, metrics: metrics.workqueue(name) });
    const workers = limits[name as keyof typeof WORKERS];
    const measured = { metrics: metrics.controller(name), tracer };
    return new Controller({ name, queue, reconciler, workers, clock, logger, ...deadline, ...measured });
  });
  return { controllers, policies, statuses, members, contacts, warnings, gates };
}

/**
 * The planner's half of the pipeline: everything but the members. Dispose of it after the members have ended: until then
 * it takes their reports.
 */
export function createPlanner(options: PlannerOptions): Planner {
  const { hub, logger, metrics, events } = options;
  const tables = assembleTables(options);
  const { states, observations, assignments, classes, dependencies, namespaces, missing, progress } = tables;
  const { controllers, policies, statuses, members, contacts, warnings, gates } = assembleControllers(options, tables);

  async function hasSynced(signal: AbortSignal): Promise<boolean> {
    try {
      await hub.waitForSync(signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    using stack = new DisposableStack();
    stack.use(classes);
    stack.use(namespaces);
    stack.use(contacts);
    stack.use(warnings);
    stack.use(gates);
    stack.use(recordMemberEvents({ hub, assignments, observations, events }));
    stack.use(metrics.beforeScrape(() => metrics.setSync(assignments.sync)));
    stack.use(metrics.beforeScrape(() => reportObjects({ metrics, states, clock: options.clock })));
    stack.use(metrics.beforeScrape(() => statuses.countLate()));
    stack.defer(() => metrics.forgetObjects());
    stack.use(dependencies);
    if (!(await hasSynced(signal))) return;
    stack.use(missing).begin();
    progress.begin(hub.owners());
    members.begin(hub.clusters.keys());
    await Promise.all(controllers.map((controller) => controller.run(signal)));
    await writeLastPolicies();
  }

  /** Writes the pending statuses of policies before the Lease goes, so that the next leader has nothing to write. */
  async function writeLastPolicies(): Promise<void> {
    const end = AbortSignal.timeout(LAST_POLICIES_MS);
    const written = await Promise.allSettled(policies.keys().map((key) => policies.reconcile(key, end)));
    const failed = written.filter((result) => result.status === "rejected");
    for (const { reason } of failed) {
      metrics.failed("policy");
      logger.debug({ err: reason as unknown }, "a policy's status is left to the next leader");
    }
  }

  return {
    source: tables.source,
    sink: tables.reports,
    reports: members,
    connections: members,
    view: { states, assignments, observations, contacts, statuses, decisions: new Decisions(tables) },
    hasSynced,
    run,
    async [Symbol.asyncDispose]() {
      tables.reports[Symbol.dispose]();
      await members[Symbol.asyncDispose]();
    },
  };
}
