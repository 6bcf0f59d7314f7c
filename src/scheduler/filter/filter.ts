import type { AffinityGroup, Toleration } from "../../apis/index.ts";
import type { Fleet } from "../fleet.ts";
import type { Answer, ClusterSnapshot, Subject } from "../types.ts";

/** What a filter considers beside the cluster. */
export interface FilterContext {
  subject: Subject;
  tolerations: readonly Toleration[];
  /** The affinity group that is being tried; undefined when the placement has none, which means every cluster. */
  group: AffinityGroup | undefined;
  /** The placement takes some of the clusters that fit, and not just each of them: there is another to go to. */
  picks: boolean;
  fleet: Fleet;
  /** Epoch milliseconds. */
  now: number;
}

export interface FilterAnswer extends Answer {
  /** Epoch milliseconds from which the filter will refuse though nothing else changes. */
  until?: number;
}

/**
 * One question about clusters: prepared once for a decision, then asked of one cluster after the other. Equal answers should be one and the same
 * value, so that the clusters share them. A new filter is a new file and one line in the list of `filterClusters.ts`.
 */
export interface Filter {
  name: string;
  prepare(context: FilterContext): (cluster: ClusterSnapshot) => FilterAnswer;
  /** Every cluster of the fleet is answered alike. */
  isAlike?: (context: FilterContext) => boolean;
}

/** The object runs there by the hub's own record: what keeps new objects away does not drive this one out. */
export function staysOn({ current, found }: Subject, cluster: string): boolean {
  return current.has(cluster) && found?.has(cluster) !== true;
}

export function fits(reason: string, message: string): FilterAnswer {
  return { fits: true, reason, message };
}

export function refuses(reason: string, message: string): FilterAnswer {
  return { fits: false, reason, message };
}
