import type { MetricFamilies } from "./metricFamilies.ts";
import { SLOW } from "./metricFamilies.ts";
import type { Objectives } from "../types.ts";

type Objective = "propagated" | "fresh";

const AGES = [1, 2.5, 5, 10, 15, 30, 60, 120, 300, 900, 3_600];

/** Defaults: a change is everywhere within 30 s, and what is known of a cluster is no older than a minute. */
export const OBJECTIVES: Objectives = { propagatedMs: 30_000, freshMs: 60_000 };

/** Service level objectives. A bucket of each histogram ends exactly at the objective. */
export class ObjectiveMetrics {
  readonly objectives: Objectives;
  readonly #propagation;
  readonly #age;
  readonly #total;
  readonly #good;

  constructor({ counter, gauge, histogram }: MetricFamilies, objectives: Objectives) {
    this.objectives = objectives;
    const { propagatedMs, freshMs } = objectives;
    this.#propagation = histogram(
      "federation_propagation_duration_seconds",
      "Time from a change on the hub until every member has the change.",
      [],
      withBucket(SLOW, propagatedMs),
    );
    this.#age = histogram(
      "federation_member_age_seconds",
      "Age of what is known of a member, every ten seconds for each member that was ever in contact.",
      [],
      withBucket(AGES, freshMs),
    );
    this.#total = counter(
      "federation_objective_events_total",
      "Events that an objective counts: changes without stages (propagated), and ages of members (fresh).",
      ["objective"],
    );
    this.#good = counter(
      "federation_objective_good_events_total",
      "Those of federation_objective_events_total that met the objective.",
      ["objective"],
    );
    const limit = gauge("federation_objective_seconds", "Time within which an event is good.", ["objective"]);
    limit.set({ objective: "propagated" }, propagatedMs / 1_000);
    limit.set({ objective: "fresh" }, freshMs / 1_000);
    // A series that begins with its first increase shows no increase.
    for (const objective of ["propagated", "fresh"] as const) {
      this.#total.inc({ objective }, 0);
      this.#good.inc({ objective }, 0);
    }
  }

  /** `counts`: the change counts for the objective; it was not counted as late, and has no stages. */
  propagated(ms: number, counts: boolean): void {
    this.#propagation.observe(ms / 1_000);
    if (counts) this.#count("propagated", ms <= this.objectives.propagatedMs);
  }

  /** A change that is not everywhere although its time is over. */
  late(changes: number): void {
    this.#total.inc({ objective: "propagated" }, changes);
  }

  age(ms: number): void {
    this.#age.observe(ms / 1_000);
    this.#count("fresh", ms <= this.objectives.freshMs);
  }

  #count(objective: Objective, isGood: boolean): void {
    this.#total.inc({ objective });
    if (isGood) this.#good.inc({ objective });
  }
}

function withBucket(buckets: readonly number[], ms: number): number[] {
  return [...new Set([...buckets, ms / 1_000])].toSorted((a, b) => a - b);
}
