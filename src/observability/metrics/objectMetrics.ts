import { FAST, type MetricFamilies } from "./metricFamilies.ts";
import type { FailoverReason, ReconcilePhase, SyncCount, WaitTally } from "../types.ts";

const FAILOVER_REASONS: readonly FailoverReason[] = ["ClusterLost", "ObjectUnhealthy", "Returned"];

export class ObjectMetrics {
  readonly #sync;
  readonly #states;
  readonly #reconciles;
  readonly #rollouts;
  readonly #failovers;
  readonly #running;
  readonly #waits;
  readonly #phases: Record<ReconcilePhase, { observe(seconds: number): void }>;
  /** By key. */
  readonly #known = new Map<string, { kind: string; state: string }>();

  constructor({ counter, gauge, histogram }: MetricFamilies) {
    this.#sync = gauge(
      "operator_sync_status",
      "Member objects that are as wanted (up-to-date) or not (out-of-sync), by kind.",
      ["resource", "status"],
    );
    this.#states = gauge("federation_objects", "Objects of the hub, by kind and state.", ["kind", "state"]);
    this.#reconciles = counter("federation_object_reconciles_total", "Plans made for objects of the hub, by kind.", [
      "kind",
    ]);
    this.#rollouts = counter(
      "federation_rollout_transitions_total",
      "Changes of state of rollouts in stages, of their stages and of their clusters, by the new state.",
      ["of", "to"],
    );
    this.#failovers = counter(
      "federation_failovers_total",
      "Objects that left a cluster by failover (ClusterLost, ObjectUnhealthy) or returned to one (Returned); each cluster counts.",
      ["reason"],
    );
    this.#running = gauge("federation_rollouts", "Objects with a rollout in stages, by its state.", ["state"]);
    this.#waits = {
      objects: gauge("federation_waits", "Objects that wait, by what they wait for.", ["for"]),
      oldest: gauge("federation_wait_oldest_seconds", "Time of the longest of these waits.", ["for"]),
    };
    // A series that begins with its first increase shows no increase, so series with alerts exist from the start.
    for (const part of ["Stage", "Cluster"]) this.#rollouts.inc({ of: part, to: "Failed" }, 0);
    this.#rollouts.inc({ of: "Run", to: "RolledBack" }, 0);
    for (const reason of FAILOVER_REASONS) this.#failovers.inc({ reason }, 0);
    const phases = histogram(
      "operator_reconcile_duration_seconds",
      "fetch: reading what a plan needs. apply: a write to a member, until it is answered. verify: comparing the answer with what was asked for.",
      ["phase"],
      FAST,
    );
    this.#phases = { fetch: phases.labels("fetch"), apply: phases.labels("apply"), verify: phases.labels("verify") };
  }

  observePhase(phase: ReconcilePhase, ms: number): void {
    this.#phases[phase].observe(ms / 1000);
  }

  reconciled(kind: string): void {
    this.#reconciles.inc({ kind });
  }

  failedOver(reason: FailoverReason): void {
    this.#failovers.inc({ reason });
  }

  rolloutTransition(of: string, to: string): void {
    this.#rollouts.inc({ of, to });
  }

  setRollouts(byState: ReadonlyMap<string, number>): void {
    this.#running.reset();
    for (const [state, objects] of byState) this.#running.set({ state }, objects);
  }

  setWaits(waits: ReadonlyMap<string, WaitTally>, now: number): void {
    for (const [reason, { objects, since }] of waits) {
      this.#waits.objects.set({ for: reason }, objects);
      this.#waits.oldest.set({ for: reason }, objects === 0 ? 0 : Math.max(0, now - since) / 1_000);
    }
  }

  setSync(counts: Iterable<SyncCount>): void {
    for (const { kind, upToDate, outOfSync } of counts) {
      this.#sync.set({ resource: kind, status: "up-to-date" }, upToDate);
      this.#sync.set({ resource: kind, status: "out-of-sync" }, outOfSync);
    }
  }

  setState(key: string, kind: string, state: string): void {
    const before = this.#known.get(key);
    if (before?.state === state) return;
    if (before !== undefined) this.#states.dec(before);
    const now = { kind, state };
    this.#known.set(key, now);
    this.#states.inc(now);
  }

  forget(key: string): void {
    const before = this.#known.get(key);
    if (before === undefined) return;
    this.#known.delete(key);
    this.#states.dec(before);
  }

  forgetAll(): void {
    this.#known.clear();
    this.#states.reset();
    this.#running.reset();
    this.#waits.objects.reset();
    this.#waits.oldest.reset();
    this.#sync.reset();
  }
}
