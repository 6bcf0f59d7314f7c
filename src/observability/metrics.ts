import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ControllerMetrics, ReconcilePhase, RequestObservation, WorkqueueMetrics } from "./types.ts";

const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SLOW = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The series of one cluster's requests, bound once: observing a request then reads two maps and builds no labels. */
interface RequestSeries {
  codes: Map<string, { inc(): void; labels: { cluster: string; method: string; code: string } }>;
  verbs: Map<string, { observe(seconds: number): void }>;
}

/**
 * Every metric of the contract, by name. Callers on hot paths use the methods; series that name an object or a cluster vanish with
 * `forgetObject` and `forgetCluster`.
 */
export class Metrics {
  readonly registry = new Registry();

  readonly operatorReconcileTotal = this.counter("operator_reconcile_total", "Reconciles, by kind and object.", [
    "type",
    "name",
  ]);
  readonly operatorReconcileDuration = this.histogram(
    "operator_reconcile_duration_seconds",
    "Time of a reconcile's phases.",
    ["phase"],
    FAST,
  );
  readonly operatorSyncStatus = this.gauge("operator_sync_status", "1 for the state that a resource is in.", [
    "resource",
    "status",
  ]);

  readonly reconcileTotal = this.counter(
    "controller_runtime_reconcile_total",
    "Reconciles, by controller and result.",
    ["controller", "result"],
  );
  readonly reconcileErrors = this.counter("controller_runtime_reconcile_errors_total", "Reconciles that failed.", [
    "controller",
  ]);
  readonly reconcileTime = this.histogram(
    "controller_runtime_reconcile_time_seconds",
    "Time of a reconcile.",
    ["controller"],
    FAST,
  );
  readonly activeWorkers = this.gauge("controller_runtime_active_workers", "Workers that reconcile now.", [
    "controller",
  ]);
  readonly maxConcurrentReconciles = this.gauge(
    "controller_runtime_max_concurrent_reconciles",
    "Workers of a controller.",
    ["controller"],
  );

  readonly workqueueDepth = this.gauge("workqueue_depth", "Keys that wait.", ["name"]);
  readonly workqueueAdds = this.counter("workqueue_adds_total", "Keys added.", ["name"]);
  readonly workqueueQueueDuration = this.histogram(
    "workqueue_queue_duration_seconds",
    "How long keys wait.",
    ["name"],
    FAST,
  );
  readonly workqueueWorkDuration = this.histogram(
    "workqueue_work_duration_seconds",
    "How long keys are worked on.",
    ["name"],
    FAST,
  );
  readonly workqueueRetries = this.counter("workqueue_retries_total", "Keys put back with backoff.", ["name"]);
  readonly workqueueUnfinished = this.gauge(
    "workqueue_unfinished_work_seconds",
    "Time spent on keys that are not finished, summed.",
    ["name"],
  );
  readonly workqueueLongestRunning = this.gauge(
    "workqueue_longest_running_processor_seconds",
    "Time spent on the key that runs longest.",
    ["name"],
  );

  readonly clientRequests = this.counter("rest_client_requests_total", "Requests to API servers.", [
    "cluster",
    "method",
    "code",
  ]);
  readonly clientRequestDuration = this.histogram(
    "rest_client_request_duration_seconds",
    "Time of requests to API servers, watches apart.",
    ["cluster", "verb"],
    FAST,
  );

  readonly memberReady = this.gauge("federation_member_ready", "1 when the member cluster is ready.", ["cluster"]);
  readonly propagationDuration = this.histogram(
    "federation_propagation_duration_seconds",
    "From a change on the hub to every member being right.",
    [],
    SLOW,
  );
  readonly statusStaleness = this.gauge(
    "federation_status_staleness_seconds",
    "Time since the cluster was last heard of.",
    ["cluster"],
  );
  readonly deletionsHeld = this.gauge(
    "federation_deletions_held",
    "1 while deletes are held because too much vanished at once.",
    ["scope"],
  );
  readonly eventsDropped = this.counter("federation_events_dropped_total", "Events that were not written, by cause.", [
    "cause",
  ]);
  readonly webhookRequests = this.counter(
    "controller_runtime_webhook_requests_total",
    "Calls of the API server to the webhooks.",
    ["webhook", "code"],
  );
  readonly webhookLatency = this.histogram(
    "controller_runtime_webhook_latency_seconds",
    "Time of the answers of the webhooks.",
    ["webhook"],
    FAST,
  );
  readonly webhookRefusals = this.counter(
    "federation_webhook_refusals_total",
    "Requests that the webhooks refused, by kind and operation.",
    ["kind", "operation"],
  );
  readonly leader = this.gauge("leader_election_master_status", "1 while this process holds the Lease.", ["name"]);

  private readonly requests = new Map<string, RequestSeries>();
  private readonly syncStates = new Map<string, string>();
  private readonly phases: Record<ReconcilePhase, { observe(seconds: number): void }>;
  private readonly scrapeHooks = new Set<() => void>();

  constructor({ processMetrics = true }: { processMetrics?: boolean } = {}) {
    this.phases = {
      fetch: this.operatorReconcileDuration.labels("fetch"),
      apply: this.operatorReconcileDuration.labels("apply"),
      verify: this.operatorReconcileDuration.labels("verify"),
    };
    if (processMetrics) collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 100 });
  }

  /** The text for `/metrics`. */
  async scrape(): Promise<{ contentType: string; body: string }> {
    for (const hook of this.scrapeHooks) hook();
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }

  /** Calls `hook` before each scrape, for values that are cheaper to compute on demand than to keep current. */
  beforeScrape(hook: () => void): Disposable {
    this.scrapeHooks.add(hook);
    return { [Symbol.dispose]: () => void this.scrapeHooks.delete(hook) };
  }

  /** One reconcile of a hub object: its kind, and `namespace/name`. */
  reconciled(type: string, name: string): void {
    this.operatorReconcileTotal.inc({ type, name });
  }

  observePhase(phase: ReconcilePhase, ms: number): void {
    this.phases[phase].observe(ms / 1000);
  }

  /** Sets the state of a hub object (`Kind/namespace/name`) in place of the previous one. */
  setSyncStatus(resource: string, status: string): void {
    const before = this.syncStates.get(resource);
    if (before === status) return;
    if (before !== undefined) this.operatorSyncStatus.remove({ resource, status: before });
    this.syncStates.set(resource, status);
    this.operatorSyncStatus.set({ resource, status }, 1);
  }

  /** Removes the series of a hub object that is gone. */
  forgetObject(type: string, name: string): void {
    this.operatorReconcileTotal.remove({ type, name });
    const resource = `${type}/${name}`;
    const status = this.syncStates.get(resource);
    if (status === undefined) return;
    this.syncStates.delete(resource);
    this.operatorSyncStatus.remove({ resource, status });
  }

  /** One finished request; the shape of the client's `observe` hook. Watches are counted, not timed. */
  observeRequest(call: RequestObservation): void {
    const series = this.requestSeries(call.cluster);
    const code = String(call.code);
    const codeKey = `${call.method} ${code}`;
    let counted = series.codes.get(codeKey);
    if (counted === undefined) {
      const labels = { cluster: call.cluster, method: call.method, code };
      const child = this.clientRequests.labels(labels);
      counted = { inc: () => child.inc(), labels };
      series.codes.set(codeKey, counted);
    }
    counted.inc();
    if (call.verb === "watch") return;
    let timed = series.verbs.get(call.verb);
    if (timed === undefined) {
      timed = this.clientRequestDuration.labels({ cluster: call.cluster, verb: call.verb });
      series.verbs.set(call.verb, timed);
    }
    timed.observe(call.ms / 1000);
  }

  setMemberReady(cluster: string, ready: boolean): void {
    this.memberReady.set({ cluster }, ready ? 1 : 0);
  }

  setStatusStaleness(cluster: string, seconds: number): void {
    this.statusStaleness.set({ cluster }, seconds);
  }

  observePropagation(ms: number): void {
    this.propagationDuration.observe(ms / 1000);
  }

  setDeletionsHeld(scope: string, held: boolean): void {
    this.deletionsHeld.set({ scope }, held ? 1 : 0);
  }

  setLeader(name: string, leading: boolean): void {
    this.leader.set({ name }, leading ? 1 : 0);
  }

  /** Removes every series of a cluster that is no member any more, and its `federation_deletions_held` scopes. */
  forgetCluster(cluster: string): void {
    this.memberReady.remove({ cluster });
    this.statusStaleness.remove({ cluster });
    this.deletionsHeld.remove({ scope: cluster });
    const series = this.requests.get(cluster);
    if (series === undefined) return;
    this.requests.delete(cluster);
    for (const { labels } of series.codes.values()) this.clientRequests.remove(labels);
    for (const verb of series.verbs.keys()) this.clientRequestDuration.remove({ cluster, verb });
  }

  /** The series of one controller, bound once. */
  controller(controller: string): ControllerMetrics {
    const active = this.activeWorkers.labels({ controller });
    const time = this.reconcileTime.labels({ controller });
    const errors = this.reconcileErrors.labels({ controller });
    errors.inc(0);
    const results = {
      success: this.reconcileTotal.labels({ controller, result: "success" }),
      error: this.reconcileTotal.labels({ controller, result: "error" }),
      requeue: this.reconcileTotal.labels({ controller, result: "requeue" }),
      requeue_after: this.reconcileTotal.labels({ controller, result: "requeue_after" }),
    };
    for (const result of Object.values(results)) result.inc(0);
    return {
      maxConcurrent: (workers) => this.maxConcurrentReconciles.set({ controller }, workers),
      started: () => active.inc(),
      finished: (result, ms) => {
        active.dec();
        results[result].inc();
        if (result === "error") errors.inc();
        time.observe(ms / 1000);
      },
    };
  }

  /** The series of one workqueue, bound once. */
  workqueue(name: string): WorkqueueMetrics {
    const adds = this.workqueueAdds.labels({ name });
    const depth = this.workqueueDepth.labels({ name });
    const waited = this.workqueueQueueDuration.labels({ name });
    const worked = this.workqueueWorkDuration.labels({ name });
    const retries = this.workqueueRetries.labels({ name });
    adds.inc(0);
    retries.inc(0);
    depth.set(0);
    return {
      added: () => adds.inc(),
      depth: (waiting) => depth.set(waiting),
      started: (ms) => waited.observe(ms / 1000),
      finished: (ms) => worked.observe(ms / 1000),
      retried: () => retries.inc(),
      observeRunning: (running) =>
        this.beforeScrape(() => {
          let sum = 0;
          let longest = 0;
          for (const ms of running()) {
            sum += ms;
            longest = Math.max(longest, ms);
          }
          this.workqueueUnfinished.set({ name }, sum / 1000);
          this.workqueueLongestRunning.set({ name }, longest / 1000);
        }),
    };
  }

  private requestSeries(cluster: string): RequestSeries {
    let series = this.requests.get(cluster);
    if (series === undefined) {
      series = { codes: new Map(), verbs: new Map() };
      this.requests.set(cluster, series);
    }
    return series;
  }

  private counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private gauge<L extends string>(name: string, help: string, labelNames: L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  private histogram<L extends string>(name: string, help: string, labelNames: L[], buckets: number[]): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}

export function createMetrics(options: { processMetrics?: boolean } = {}): Metrics {
  return new Metrics(options);
}
