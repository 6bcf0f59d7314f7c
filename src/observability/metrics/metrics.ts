import { collectDefaultMetrics, type MetricObjectWithValues, type MetricValue, Registry } from "prom-client";
import { ReconcileMetrics } from "./controllerMetrics.ts";
import { type EventDrop } from "../events/index.ts";
import { MemberMetrics } from "./memberMetrics.ts";
import { FAST, familiesOf } from "./metricFamilies.ts";
import { ObjectiveMetrics, OBJECTIVES } from "./objectiveMetrics.ts";
import { ObjectMetrics } from "./objectMetrics.ts";
import { QueryMetrics, type QueryObservation } from "./queryMetrics.ts";
import { RequestMetrics } from "./requestMetrics.ts";
import { type ExportDrop } from "../otlp/index.ts";
import type {
  ControllerMetrics,
  FailoverReason,
  MemberLoad,
  Objectives,
  ReconcilePhase,
  RequestObservation,
  SyncCount,
  WaitTally,
  WorkqueueMetrics,
} from "../types.ts";

/** Gauges with names of counters, which promtool refuses. Other default metrics report the same by type. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/** Streams of records that have a reader of their own. */
const STREAMS = ["operations", "audit", "metrics", "logs"] as const;

const CAUSES: readonly (EventDrop & ExportDrop)[] = ["queue_full", "failed"];

export interface MetricsOptions {
  /** Default: true. */
  processMetrics?: boolean;
  objectives?: Objectives | undefined;
}

/** Every metric of the contract. No series names an object; `forgetCluster` removes those that name a cluster. */
export class Metrics {
  readonly registry = new Registry();
  readonly #families = familiesOf(this.registry);
  readonly #scrapeHooks = new Set<() => void>();
  readonly #reconciles = new ReconcileMetrics(this.#families, (hook) => this.beforeScrape(hook));
  readonly #objects = new ObjectMetrics(this.#families);
  readonly #requests = new RequestMetrics(this.#families);
  readonly #queries = new QueryMetrics(this.#families);
  readonly #members = new MemberMetrics(this.#families);
  readonly #objectives;

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

  constructor({ processMetrics = true, objectives = OBJECTIVES }: MetricsOptions = {}) {
    this.#objectives = new ObjectiveMetrics(this.#families, objectives);
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
    this.#members.ready(cluster, ready);
  }

  setStatusStaleness(cluster: string, seconds: number): void {
    this.#members.staleness(cluster, seconds);
  }

  /** For each scrape. */
  setMemberLoad(cluster: string, load: MemberLoad): void {
    this.#members.load(cluster, load);
  }

  breakerTripped(cluster: string): void {
    this.#members.tripped(cluster);
  }

  /** For each scrape. `waits`: by kind of wait; `now` in epoch milliseconds. */
  setWaits(waits: ReadonlyMap<string, WaitTally>, now: number): void {
    this.#objects.setWaits(waits, now);
  }

  /** For each scrape. */
  setRollouts(byState: ReadonlyMap<string, number>): void {
    this.#objects.setRollouts(byState);
  }

  get objectives(): Objectives {
    return this.#objectives.objectives;
  }

  /** `counts`: for the objective, too. */
  observePropagation(ms: number, counts = true): void {
    this.#objectives.propagated(ms, counts);
  }

  /** Counts changes whose time for propagation is over. */
  propagationLate(changes: number): void {
    this.#objectives.late(changes);
  }

  observeMemberAge(ms: number): void {
    this.#objectives.age(ms);
  }

  setDeletionsHeld(scope: string, held: boolean): void {
    this.#members.held(scope, held);
  }

  setLeader(name: string, leading: boolean): void {
    this.leader.set({ name }, leading ? 1 : 0);
  }

  forgetCluster(cluster: string): void {
    this.#members.forget(cluster);
    this.#requests.forget(cluster);
  }
}

export function createMetrics(options: MetricsOptions = {}): Metrics {
  return new Metrics(options);
}
