import type { Placement } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { Clock } from "../../runtime/index.ts";
import { choosesAmong } from "../../scheduler/index.ts";
import { type Observations } from "../tables/index.ts";

export interface FirstSightOptions {
  hub: { clusters: Pick<HubCache["clusters"], "list"> };
  observations: Pick<Observations, "contactOf">;
  clock: Pick<Clock, "monotonic">;
}

/** For how long an object waits at most. A member that neither answers nor is given up within this is not waited for again. */
const LONGEST_MS = 60_000;

/**
 * Objects of which the hub has no record, and that wait for members which were neither reached nor given up yet: one of them may hold the copy that the
 * object should keep, and the choice of another cluster would move it. Only a manager that has just begun finds such members; new objects wait then, too,
 * where there is a choice between clusters.
 */
export class FirstSight {
  readonly #options: FirstSightOptions;
  /** Since when objects wait, in monotonic milliseconds. */
  readonly #waiting = new Map<string, number>();
  /** Members for which an object has waited its whole time. */
  readonly #givenUp = new Set<string>();

  constructor(options: FirstSightOptions) {
    this.#options = options;
  }

  /** Milliseconds for which the object still waits; 0: what is known decides. `target`: where it would go by that. */
  leftFor(owner: string, placement: Placement | undefined, target: Target): number {
    const awaited = this.#awaited(placement, target);
    if (awaited.length === 0) {
      this.#waiting.delete(owner);
      return 0;
    }
    const now = this.#options.clock.monotonic();
    const since = this.#waiting.get(owner) ?? now;
    const left = since + LONGEST_MS - now;
    if (left > 0) {
      this.#waiting.set(owner, since);
      return left;
    }
    for (const name of awaited) this.#givenUp.add(name);
    this.#waiting.delete(owner);
    return 0;
  }

  isAwaitedFor(owner: string): boolean {
    return this.#waiting.has(owner);
  }

  /** Objects for which news of a member may end the wait. */
  waiting(): Iterable<string> {
    return [...this.#waiting.keys()];
  }

  forget(owner: string): void {
    this.#waiting.delete(owner);
  }

  #awaited(placement: Placement | undefined, target: Target): string[] {
    const { hub, observations } = this.#options;
    const awaited: string[] = [];
    for (const { metadata } of hub.clusters.list()) {
      const { name, deletionTimestamp } = metadata;
      if (!observations.contactOf(name).pending) this.#givenUp.delete(name);
      else if (deletionTimestamp === undefined && !this.#givenUp.has(name) && mayMatter(name, placement, target))
        awaited.push(name);
    }
    return awaited;
  }
}

/** Whether a copy on the cluster would change where the object goes. */
function mayMatter(cluster: string, placement: Placement | undefined, target: Target): boolean {
  const { scheduled, suspended, decision } = target;
  // What goes nowhere is kept where it runs.
  if (placement === undefined || suspended || scheduled.status === "False") return true;
  if (!choosesAmong(placement.spec)) return false;
  if ((placement.spec.clusterAffinities ?? []).length > 1) return true;
  const verdict = decision.verdicts.find((one) => one.cluster === cluster);
  return verdict?.steps.every(({ name, fits }) => fits || !NEVER_FITS.has(name)) ?? true;
}

/** Filters that refuse a cluster whatever runs there. */
const NEVER_FITS: ReadonlySet<string> = new Set(["Affinity", "GrantedNamespace"]);
