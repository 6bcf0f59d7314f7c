import type { Placement } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { choosesAmong } from "../../scheduler/index.ts";
import { type Observations } from "../tables/index.ts";

export interface PendingMembersOptions {
  hub: { clusters: Pick<HubCache["clusters"], "list"> };
  observations: Pick<Observations, "contactOf">;
}

/** Longest wait of an object. No object waits again for a member that is still pending after this time. */
const LONGEST_MS = 60_000;

/**
 * Objects without a record wait for pending members (neither reached nor given up): such a member may hold the copy
 * that the object should keep. New objects wait, too, if their placement chooses between clusters.
 */
export class PendingMembers {
  readonly #options: PendingMembersOptions;
  /** Members that were still pending at the end of an object's wait. */
  readonly #givenUp = new Set<string>();

  constructor(options: PendingMembersOptions) {
    this.#options = options;
  }

  /**
   * Milliseconds for which an object still waits. `since`: start of the wait, `now`: the present, in epoch milliseconds;
   * `target`: by the facts that are known now.
   */
  leftFor(since: number, now: number, placement: Placement | undefined, target: Target): number {
    const awaited = this.#awaited(placement, target);
    if (awaited.length === 0) return 0;
    const left = Math.min(since, now) + LONGEST_MS - now;
    if (left > 0) return left;
    for (const name of awaited) this.#givenUp.add(name);
    return 0;
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

/** True if a copy on the cluster could change the clusters of the object. */
function mayMatter(cluster: string, placement: Placement | undefined, target: Target): boolean {
  const { scheduled, suspended, decision } = target;
  // An object that cannot be scheduled stays where its copies run.
  if (placement === undefined || suspended || scheduled.status === "False") return true;
  if (!choosesAmong(placement.spec)) return false;
  if ((placement.spec.clusterAffinities ?? []).length > 1) return true;
  const verdict = decision.verdicts.find((one) => one.cluster === cluster);
  return verdict?.steps.every(({ name, fits }) => fits || !NEVER_FITS.has(name)) ?? true;
}

/** Filters that refuse a cluster even if a copy runs there. */
const NEVER_FITS: ReadonlySet<string> = new Set(["Affinity", "GrantedNamespace"]);
