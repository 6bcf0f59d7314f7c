import type { AffinityGroup, Toleration } from "../../apis/index.ts";
import type { Fleet } from "../fleet.ts";
import type { Answer, ClusterSnapshot, Subject } from "../types.ts";

/** Facts for a filter besides the cluster. */
export interface FilterContext {
  subject: Subject;
  tolerations: readonly Toleration[];
  /** Affinity group to try; undefined if the placement has none, which means every cluster. */
  group: AffinityGroup | undefined;
  /** The placement does not simply take every fitting cluster, so the object has alternatives to a refused cluster. */
  picks: boolean;
  fleet: Fleet;
  /** Epoch milliseconds. */
  now: number;
}

export interface FilterAnswer extends Answer {
  /** Epoch milliseconds from which the filter refuses even if nothing else changes. */
  until?: number;
}

/**
 * One test of clusters, prepared once for a decision and then applied to each cluster. Equal answers should be the same
 * value, so that the clusters share them. A new filter is a new file and one line in the list of `filterClusters.ts`.
 */
export interface Filter {
  name: string;
  prepare(context: FilterContext): (cluster: ClusterSnapshot) => FilterAnswer;
  /** Every cluster of the fleet gets the same answer. */
  isAlike?: (context: FilterContext) => boolean;
}

/** The object runs on the cluster by the hub's own record, so reasons against new objects do not drive it out. */
export function staysOn({ current, found }: Subject, cluster: string): boolean {
  return current.has(cluster) && found?.has(cluster) !== true;
}

export function fits(reason: string, message: string): FilterAnswer {
  return { fits: true, reason, message };
}

export function refuses(reason: string, message: string): FilterAnswer {
  return { fits: false, reason, message };
}
