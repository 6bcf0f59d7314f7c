import type { MetricFamilies } from "./metricFamilies.ts";
import type { MemberLoad } from "../types.ts";

/** Series that name a member cluster. Their number is bounded for each cluster, so these have no other label. */
export class MemberMetrics {
  readonly #ready;
  readonly #staleness;
  readonly #held;
  readonly #load;
  readonly #trips;

  constructor({ gauge, counter }: MetricFamilies) {
    const labels = ["cluster"] as ["cluster"];
    this.#ready = gauge("federation_member_ready", "1 when the member cluster is ready.", labels);
    this.#staleness = gauge(
      "federation_status_staleness_seconds",
      "Time since the last contact with the cluster.",
      labels,
    );
    this.#held = gauge(
      "federation_deletions_held",
      "1 while deletions are held because too many objects vanished at once.",
      ["scope"],
    );
    this.#load = {
      breaker: gauge(
        "federation_member_breaker_open",
        "1 while writes to the member are stopped, or tried one at a time, because they do not arrive.",
        labels,
      ),
      silentKinds: gauge(
        "federation_member_silent_kinds",
        "Kinds whose writes the member does not answer, while it answers others.",
        labels,
      ),
      queued: gauge("federation_member_queue_depth", "Objects that wait for a write to the member.", labels),
      oldest: gauge(
        "federation_member_queue_oldest_seconds",
        "Time that the first of these objects has waited.",
        labels,
      ),
    };
    this.#trips = counter(
      "federation_member_breaker_trips_total",
      "How often a run of writes that did not arrive has opened the circuit breaker of the member.",
      labels,
    );
  }

  ready(cluster: string, ready: boolean): void {
    this.#ready.set({ cluster }, ready ? 1 : 0);
  }

  staleness(cluster: string, seconds: number): void {
    this.#staleness.set({ cluster }, seconds);
  }

  held(scope: string, held: boolean): void {
    this.#held.set({ scope }, held ? 1 : 0);
  }

  load(cluster: string, { isBreakerOpen, silentKinds, queued, oldestMs }: MemberLoad): void {
    const of = { cluster };
    this.#load.breaker.set(of, isBreakerOpen ? 1 : 0);
    this.#load.silentKinds.set(of, silentKinds);
    this.#load.queued.set(of, queued);
    this.#load.oldest.set(of, oldestMs / 1_000);
    // A series that begins with its first increase shows no increase.
    this.#trips.inc(of, 0);
  }

  tripped(cluster: string): void {
    this.#trips.inc({ cluster });
  }

  forget(cluster: string): void {
    for (const family of [this.#ready, this.#staleness, this.#trips, ...Object.values(this.#load)])
      family.remove({ cluster });
    this.#held.remove({ scope: cluster });
  }
}
