import { collectDefaultMetrics, type MetricObjectWithValues, type MetricValue, Registry } from "prom-client";
import { ReconcileMetrics } from "./controllerMetrics.ts";
import { type EventDrop } from "../events/index.ts";
import { FAST, familiesOf, SLOW } from "./metricFamilies.ts";
import { ObjectMetrics } from "./objectMetrics.ts";
import { QueryMetrics, type QueryObservation } from "./queryMetrics.ts";
import { RequestMetrics } from "./requestMetrics.ts";
import { type ExportDrop } from "../otlp/index.ts";
import type {
  ControllerMetrics,
  FailoverReason,
  ReconcilePhase,
  RequestObservation,
  SyncCount,
  WorkqueueMetrics,
} from "../types.ts";

/** Gauges with names of counters, which promtool refuses. Other default metrics report the same by type. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/** Streams of records that have a reader of their own. */
const STREAMS = ["operations", "audit", "metrics", "logs"] as const;

const CAUSES: readonly (EventDrop & ExportDrop)[] = ["queue_full", "failed"];

/** Every metric of the contract. No series names an object; `forgetCluster` removes those that name a cluster. */
export class Metrics {
  readonly registry = new Registry();
  readonly #families = familiesOf(this.registry);
  readonly #scrapeHooks = new Set<() => void>();
  readonly #reconciles = new ReconcileMetrics(this.#families, (hook) => this.beforeScrape(hook));
  readonly #objects = new ObjectMetrics(this.#families);
  readonly #requests = new RequestMetrics(this.#families);
  readonly #queries = new QueryMetrics(this.#families);

  readonly memberReady = this.#families.gauge("federation_member_ready", "1 when the member cluster is ready.", [
    "cluster",
  ]);
  readonly propagationDuration = this.#families.histogram(
    "federation_propagation_duration_seconds",
    "Time from a change on the hub until every member has the change.",
    [],
    SLOW,
  );
  readonly statusStaleness = this.#families.gauge(
    "federation_status_staleness_seconds",
    "Time since the last contact with the cluster.",
    ["cluster"],
  );
  readonly deletionsHeld = this.#families.gauge(
    "federation_deletions_held",
    "1 while deletions are held because too many objects vanished at once.",
    ["scope"],
  );
  readonly eventsDropped = this.#families.counter(
    "federation_events_dropped_total",
    "Events that were not written, by cause.",
    ["cause"],
  );
  readonly recordsDropped = this.#families.counter(
    "federation_records_dropped_total",
    "Records that reached no reader, by stream (operations, audit; metrics and logs for a collector) and cause.",
    ["stream", "cause"],
  );
  readonly troublesEnded = this.#families.counter(
    "federation_troubles_ended_total",
    "Troubles of objects and clusters that are over, by reason; what is no reason of Meridian counts as Other.",
    ["reason"],
  );
  readonly spansDropped = this.#families.counter(
    "federation_spans_dropped_total",
    "Spans that no collector received, by cause.",
    ["cause"],
  );
  readonly webhookRequests = this.#families.counter(
    "controller_runtime_webhook_requests_total",
    "Calls of API servers to the webhooks.",
    ["webhook", "code"],
  );
  readonly webhookLatency = this.#families.histogram(
    "controller_runtime_webhook_latency_seconds",
    "Time until the webhooks answered.",
    ["webhook"],
    FAST,
  );
  readonly webhookRefusals = this.#families.counter(
    "federation_webhook_refusals_total",
    "Requests that the webhooks refused, by kind and operation.",
    ["kind", "operation"],
  );
  readonly leader = this.#families.gauge("leader_election_master_status", "1 while this process holds the Lease.", [
    "name",
  ]);

  constructor({ processMetrics = true }: { processMetrics?: boolean } = {}) {
    // A series that begins with its first increase shows no increase, and an alert on it does not fire.
    for (const cause of CAUSES) {
      this.eventsDropped.inc({ cause }, 0);
      this.spansDropped.inc({ cause }, 0);
      for (const stream of STREAMS) this.recordsDropped.inc({ stream, cause }, 0);
    }
    if (!processMetrics) return;
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 100 });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
  }

  async scrape(): Promise<{ contentType: string; body: string }> {
    for (const hook of this.#scrapeHooks) hook();
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }

  /** The families of a scrape, one by one. */
  async *families(): AsyncIterable<MetricObjectWithValues<MetricValue<string>>> {
    for (const hook of this.#scrapeHooks) hook();
    for (const { name } of this.registry.getMetricsAsArray()) {
      const metric = this.registry.getSingleMetric(name);
      if (metric !== undefined) yield await metric.get();
    }
  }

  /** For gauges that cost more than a read to keep current. */
  beforeScrape(hook: () => void): Disposable {
    this.#scrapeHooks.add(hook);
    return { [Symbol.dispose]: () => void this.#scrapeHooks.delete(hook) };
  }

  controller(controller: string): ControllerMetrics {
    return this.#reconciles.controller(controller);
  }

  workqueue(name: string): WorkqueueMetrics {
    return this.#reconciles.workqueue(name);
  }

  /** Counts a failure that is not the result of a reconcile: a status write, a member's refusal. */
  failed(controller: string): void {
    this.#reconciles.failed(controller);
  }

  /** Starts the error series at 0, before {@link failed} may be called. */
  expectFailures(controller: string): void {
    this.#reconciles.expectFailures(controller);
  }

  /** Counts an object that has left a cluster by failover, or has returned to one. */
  failedOver(reason: FailoverReason): void {
    this.#objects.failedOver(reason);
  }

  /** `of`: `Run`, or `Stage` and `Cluster` within it. */
  rolloutTransition(of: string, to: string): void {
    this.#objects.rolloutTransition(of, to);
  }

  /** Counts a plan. */
  reconciled(kind: string): void {
    this.#objects.reconciled(kind);
  }

  observePhase(phase: ReconcilePhase, ms: number): void {
    this.#objects.observePhase(phase, ms);
  }

  setSync(counts: Iterable<SyncCount>): void {
    this.#objects.setSync(counts);
  }

  setObjectState(key: string, kind: string, state: string): void {
    this.#objects.setState(key, kind, state);
  }

  forgetObject(key: string): void {
    this.#objects.forget(key);
  }

  /** Only the leader counts objects. */
  forgetObjects(): void {
    this.#objects.forgetAll();
  }

  /** For the client's `observe` hook. Watches are counted, not timed. */
  observeRequest(call: RequestObservation): void {
    this.#requests.observe(call);
  }

  /** Watches are counted when they end, and not timed. */
  observeQuery(call: QueryObservation): void {
    this.#queries.observe(call);
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

  forgetCluster(cluster: string): void {
    this.memberReady.remove({ cluster });
    this.statusStaleness.remove({ cluster });
    this.deletionsHeld.remove({ scope: cluster });
    this.#requests.forget(cluster);
  }
}

export function createMetrics(options: { processMetrics?: boolean } = {}): Metrics {
  return new Metrics(options);
}
