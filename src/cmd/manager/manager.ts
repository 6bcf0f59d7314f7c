import { type Classes, defined, type KubeObject } from "../../apis/index.ts";
import { ClusterPool } from "../../clusters/index.ts";
import { type AskGate, createFederation, type PlannerView, type PoolParts } from "../../controllers/index.ts";
import { gateReply } from "../../rollout/index.ts";
import { HubCache, MemberSecrets } from "../../hub/index.ts";
import {
  EventRecorder,
  type Logger,
  type Metrics,
  OperationsRecorder,
  RecoveryRecorder,
  type StateChange,
  type Tracing,
} from "../../observability/index.ts";
import {
  AdaptiveWorkers,
  type Client,
  type ClusterConfig,
  type ClientOptions,
  createClient,
  Discovery,
  EVENTS,
  LeaderElector,
  loadHubConfig,
  NAMESPACES,
  Prometheus,
  serveHttp,
  systemClock,
  ServerHistory,
} from "../../runtime/index.ts";
import { Feed, type FeedOptions, Table } from "../../query/index.ts";
import type { Webhooks } from "../../webhooks/index.ts";
import { asCommandError, checkPort, type Listening } from "./listening.ts";
import { VERSION } from "../shared/index.ts";
import type { ManagerOptions } from "./verb.ts";
import type { DashboardFiles } from "../../dashboard/index.ts";
import { loadDashboard } from "./dashboardFiles.ts";
import { Queries } from "./queries.ts";
import { decisionFacts, type Records } from "./records.ts";
import { type ManagerTelemetry, startTelemetry } from "./telemetry.ts";
import { checkFiles, checkNamespaces } from "./startChecks.ts";

/** What the parts of one manager share. */
interface Process {
  options: ManagerOptions;
  config: ClusterConfig;
  logger: Logger;
  metrics: Metrics;
  tracing: Tracing;
  /** For reads and leader election, without the leadership guard. */
  client: Client;
  records: Records;
  /** Runs in every replica, so that a new leader has it already. */
  hub: HubCache;
  elector: LeaderElector | undefined;
  /** Undefined: no webhooks are served. */
  webhooks: Webhooks | undefined;
  /** Undefined: no queries are answered. */
  queries: Queries | undefined;
  /** True while the pipeline runs. */
  leading: boolean;
}

const NOT_YET = { elector: undefined, webhooks: undefined, queries: undefined, leading: false };

/**
 * Runs the manager until the signal. Resolves with the exit code. Rejects when an option cannot work: a port is taken,
 * or a file or namespace does not exist.
 */
export async function runManager(
  options: ManagerOptions,
  signal: AbortSignal,
  telemetry: ManagerTelemetry = {},
): Promise<number> {
  await using parts = await startTelemetry(options, telemetry);
  const { logger, metrics, tracing, records } = parts;
  const config = loadHubConfig({
    kubeconfig: options.kubeconfig,
    context: options.context,
    env: process.env,
    allowExec: true,
  });
  // Checked first: a server that begins to listen later could only log why it cannot.
  for (const port of portsOf(options)) await checkPort(port);
  await checkFiles(options);
  const observe: NonNullable<ClientOptions["observe"]> = (call) => metrics.observeRequest(call);
  await using client = createClient(config, { cluster: "hub", clock: systemClock, observe });
  await checkNamespaces(client, options, signal);
  const protectedNamespaces = [options.namespace, ...protectedBy(options)];
  const hub = new HubCache({ client, clock: systemClock, random: Math.random, logger, metrics, protectedNamespaces });
  await using _watches = startWatches(hub, logger);
  const self: Process = { options, config, logger, metrics, tracing, records, client, hub, ...NOT_YET };
  const broken = new AbortController();
  await using queries = queriesOf(self, options.queries && (await loadDashboard(logger)));
  self.queries = queries;
  await using webhooks = await serveWebhooks(self, (error) => broken.abort(error));
  self.webhooks = webhooks;
  await using serving = await serveHttp({
    port: options.metricsPort,
    ...hostOf(options),
    healthz: () => [],
    // With leader election the pipeline does not count: it may need conversion webhooks, served through a Service of
    // ready pods.
    readyz: () => [
      ...(options.leaderElect || self.leading ? [] : ["the pipeline is starting"]),
      ...(webhooks?.problems() ?? []),
    ],
    metrics: () => metrics.scrape(),
    others: (request, response) => queries?.take(request, response) === true,
  });
  queries?.opened({ host: options.metricsHost, port: serving.port });
  // Ends before the servers, which wait for open watches.
  await using _queries = queries;
  logger.info({ version: VERSION, port: serving.port, identity: options.identity }, "manager started");
  await runElected(self, AbortSignal.any([signal, broken.signal]));
  broken.signal.throwIfAborted();
  logger.info("manager stopped");
  return 0;
}

function portsOf({ metricsPort, metricsHost, webhooks, queries }: ManagerOptions): Listening[] {
  const metrics = { port: metricsPort, ...hostOf({ metricsHost }), what: "/metrics, /healthz and /readyz" };
  return [
    { ...metrics, flag: "--metrics-port", hostFlag: "--metrics-host" },
    ...(webhooks === undefined ? [] : [portOfWebhooks(webhooks)]),
    ...(queries?.port === undefined ? [] : [{ port: queries.port, what: "the query API", flag: "--query-port" }]),
  ];
}

function queriesOf(
  { options, client, config, hub, logger, metrics }: Process,
  page: DashboardFiles | undefined,
): Queries | undefined {
  const { queries: flags, leaderElect, namespace, leaseName } = options;
  if (flags === undefined) return undefined;
  const lease = leaderElect ? { namespace, name: leaseName } : undefined;
  return new Queries({ flags, client, config, hub, logger, metrics, ...defined({ lease, page }) });
}

/** Empty: every address of the machine. */
function hostOf({ metricsHost }: Pick<ManagerOptions, "metricsHost">): { host?: string } {
  return defined({ host: metricsHost || undefined });
}

function portOfWebhooks({ port }: { port: number }): Listening {
  return { port, what: "the webhooks", flag: "--webhook-port" };
}

/** Follows the hub until disposed, which is after all readers have ended. */
function startWatches(hub: HubCache, logger: Logger): AsyncDisposable {
  const end = new AbortController();
  const running = hub.run(end.signal).catch((error: unknown) => {
    logger.error({ err: error }, "the watches of the hub ended");
  });
  return {
    async [Symbol.asyncDispose]() {
      end.abort(new Error("the manager ends"));
      await running;
    },
  };
}

/** In every replica, leader or not. `broken` is called if somebody took the port after it was checked. */
async function serveWebhooks(
  { options, client, hub, logger, metrics, tracing, queries }: Process,
  broken: (error: Error) => void,
): Promise<Webhooks | undefined> {
  if (options.webhooks === undefined) return undefined;
  const listening = portOfWebhooks(options.webhooks);
  // Loaded when needed: certificates are a large part of the program.
  const { startWebhooks } = await import("../../webhooks/index.ts");
  const { configuration, ...rest } = options.webhooks;
  return startWebhooks({
    ...rest,
    hub,
    client,
    namespace: options.namespace,
    membersNamespace: options.membersNamespace ?? options.namespace,
    ...classesOf(options),
    configurationName: configuration,
    secretName: `${configuration}-webhooks`,
    cannotListen: (error) => broken(asCommandError(error, listening)),
    ...(queries && { alsoShow: (certificates) => queries.show(certificates) }),
    clock: systemClock,
    logger,
    metrics,
    tracer: tracing.tracer,
  });
}

async function runElected(self: Process, signal: AbortSignal): Promise<void> {
  const { options, client, logger, metrics } = self;
  if (!options.leaderElect) return await lead(self, { guard: () => undefined, epoch: systemClock.now() }, signal);
  const elector = new LeaderElector({
    client,
    namespace: options.namespace,
    name: options.leaseName,
    identity: options.identity,
    leaseDurationMs: options.leaseDurationMs,
    renewDeadlineMs: options.renewDeadlineMs,
    retryPeriodMs: options.retryPeriodMs,
    clock: systemClock,
    logger,
    onChange: (leading) => metrics.setLeader(options.leaseName, leading),
    annotations: () => self.queries?.annotations(),
  });
  self.elector = elector;
  await elector.run(
    { lead: (leading) => lead(self, { guard: () => elector.assertHeld(), epoch: elector.epoch }, leading) },
    signal,
  );
}

/** How long unwritten Events may delay the shutdown. */
const LAST_EVENTS_MS = 1_000;

interface Term {
  /** Called before every write. Throws when the term is over. */
  guard: () => void;
  epoch: number;
}

/** One term of leadership. */
async function lead(self: Process, { guard, epoch }: Term, signal: AbortSignal): Promise<void> {
  const { options, config, hub, logger, metrics, tracing, records, webhooks } = self;
  const observe: NonNullable<ClientOptions["observe"]> = (call) => metrics.observeRequest(call);
  const workers = new AdaptiveWorkers({ ...options.concurrency, clock: systemClock });
  const observeHub: typeof observe = (call) => {
    observe(call);
    workers.observe(call);
  };
  await using client = createClient(config, { cluster: "hub", clock: systemClock, guard, observe: observeHub });
  ServerHistory.share(client, self.client);
  const hubId = await identify(client, signal);
  const lastEvents = new AbortController();
  const kubernetes = recorder(self, client, { leading: signal, writing: lastEvents.signal });
  const events = new OperationsRecorder({
    ...{ log: records.operations, events: kubernetes, now: () => systemClock.now(), debug: isDebug(options) },
  });
  await using prometheus =
    options.prometheus === undefined ? undefined : new Prometheus(options.prometheus, systemClock);
  self.leading = true;
  try {
    using recoveries = new RecoveryRecorder({
      events,
      after: (ms, callback) => systemClock.after(ms, callback),
      onEnd: (reason) => metrics.troublesEnded.inc({ reason }),
    });
    const members: { pool?: ClusterPool } = {};
    const federation = createFederation({
      hub,
      client,
      hubId,
      epoch,
      identity: options.identity,
      systemNamespace: options.namespace,
      protectedNamespaces: protectedBy(options),
      ...classesOf(options),
      clock: systemClock,
      random: Math.random,
      logger,
      metrics,
      tracer: tracing.tracer,
      events,
      recoveries,
      ...defined({
        audit: records.audit,
        askGate: prometheus && askOf(prometheus),
        approversProvenSince: webhooks && ((holder: KubeObject) => webhooks.approversProvenSince(holder)),
      }),
      reconcileTimeoutMs: options.reconcileTimeoutMs,
      workers,
      pool: (parts) => (members.pool = poolOf(self, { client, hubId, guard }, parts)),
    });
    events.know(decisionFacts(hub, federation.view));
    const changed = records.operations.isRead ? (change: StateChange) => events.changed(change) : undefined;
    using _transitions = followTransitions(self, federation.view, members, changed);
    await federation.run(signal);
  } finally {
    self.leading = false;
    // The last Events are written while the Lease is held.
    using _ = systemClock.after(LAST_EVENTS_MS, () => lastEvents.abort(new Error("the manager ends")));
    await kubernetes.flush();
  }
}

function poolOf(
  { options, logger, metrics }: Process,
  { client, hubId, guard }: Pick<Term, "guard"> & { client: Client; hubId: string },
  parts: PoolParts,
): ClusterPool {
  return new ClusterPool({
    ...parts,
    credentials: new MemberSecrets({
      ...{ client, clock: systemClock, logger },
      namespace: options.membersNamespace ?? options.namespace,
    }),
    allowExec: options.allowExecCredentials,
    clock: systemClock,
    logger,
    metrics,
    guard,
    observe: (call) => metrics.observeRequest(call),
    random: Math.random,
    hubLocal: { client, discovery: new Discovery(client, systemClock), clusterUid: hubId },
  });
}

/** With queries their rows have the transitions, and otherwise rows that only the operations log reads. */
function followTransitions(
  { queries, hub, logger }: Process,
  view: PlannerView,
  members: { pool?: ClusterPool },
  changed: FeedOptions["changed"],
): Disposable | undefined {
  if (queries !== undefined) return queries.lead(view, { pool: () => members.pool, changed });
  if (changed === undefined) return undefined;
  const table = new Table({ now: () => systemClock.now() });
  return new Feed({ table, hub, view, clock: systemClock, logger, changed });
}

function isDebug({ logLevel }: Pick<ManagerOptions, "logLevel">): boolean {
  return logLevel === "debug" || logLevel === "trace";
}

function askOf(prometheus: Prometheus): AskGate {
  return async (query, signal) => {
    const { status, body } = await prometheus.query(query, signal);
    return gateReply(status, body);
  };
}

function classesOf({ controllerClasses }: ManagerOptions): { classes?: Classes } {
  return controllerClasses === undefined ? {} : { classes: new Set(controllerClasses) };
}

/** The namespace of the members' Secrets counts on members, too: Meridian may have objects there. */
function protectedBy({ protectedNamespaces = [], membersNamespace }: ManagerOptions): readonly string[] {
  return membersNamespace === undefined ? protectedNamespaces : [...protectedNamespaces, membersNamespace];
}

async function identify(client: Client, signal: AbortSignal): Promise<string> {
  const namespace = await client.get(NAMESPACES, undefined, "kube-system", { metadataOnly: true, signal });
  if (namespace.metadata.uid === undefined) throw new Error("the hub's kube-system namespace has no UID");
  return namespace.metadata.uid;
}

function recorder(
  { options, logger, metrics }: Process,
  client: Client,
  { leading, writing }: { leading: AbortSignal; writing: AbortSignal },
): EventRecorder {
  return new EventRecorder({
    post: (event: KubeObject) => client.create(EVENTS, event, { signal: writing }),
    patch: (namespace, name, body) =>
      client.patch(EVENTS, namespace, name, "application/merge-patch+json", body, { signal: writing }),
    now: () => systemClock.now(),
    identity: options.identity,
    logger,
    signal: leading,
    debug: isDebug(options),
    onDrop: (cause) => metrics.eventsDropped.inc({ cause }),
  });
}
