import type { AffinityGroup, Toleration } from "../../apis/index.ts";
import type { Answer, ClusterSnapshot, Subject } from "../types.ts";

/** What a filter considers beside the cluster. */
export interface FilterContext {
  subject: Subject;
  tolerations: readonly Toleration[];
  /** The affinity group that is being tried; undefined when the placement has none, which means every cluster. */
  group: AffinityGroup | undefined;
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
}

export function fits(reason: string, message: string): FilterAnswer {
  return { fits: true, reason, message };
}

export function refuses(reason: string, message: string): FilterAnswer {
  return { fits: false, reason, message };
}
