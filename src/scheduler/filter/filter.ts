import type { AffinityGroup, Toleration } from "../../apis/index.ts";
import type { Fleet } from "../fleet.ts";
import type { Answer, ClusterSnapshot, Subject } from "../types.ts";

/** Facts for a filter besides the cluster. */
export interface FilterContext {
  subject: Subject;
  tolerations: readonly Toleration[];
  /** Undefined if the placement has none: every cluster. */
  group: AffinityGroup | undefined;
  /** The placement does not take every fitting cluster, so there are alternatives to a refused one. */
  picks: boolean;
  fleet: Fleet;
  /** Epoch milliseconds. */
  now: number;
}

export interface FilterAnswer extends Answer {
  /** Epoch milliseconds from which time alone makes the filter refuse. */
  until?: number;
}

/**
 * Prepared once for a decision. Equal answers should be the same value, so that clusters share them. A new filter is a
 * file and a line in `filterClusters.ts`.
 */
export interface Filter {
  name: string;
  prepare(context: FilterContext): (cluster: ClusterSnapshot) => FilterAnswer;
  /** Every cluster of the fleet gets the same answer. */
  isAlike?: (context: FilterContext) => boolean;
}

/** The object runs there by the hub's own record, so reasons against new objects do not drive it out. */
export function staysOn({ current, found }: Subject, cluster: string): boolean {
  return current.has(cluster) && found?.has(cluster) !== true;
}

export function fits(reason: string, message: string): FilterAnswer {
  return { fits: true, reason, message };
}

export function refuses(reason: string, message: string): FilterAnswer {
  return { fits: false, reason, message };
}
