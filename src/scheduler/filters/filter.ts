import type { AffinityGroup, Toleration } from "../../apis/index.ts";
import type { ClusterSnapshot, Subject } from "../types.ts";

/** What a filter looks at beside the cluster. */
export interface FilterContext {
  subject: Subject;
  tolerations: readonly Toleration[];
  /** The affinity group that is being tried; undefined when the placement has none, which means every cluster. */
  group: AffinityGroup | undefined;
  /** Epoch milliseconds. */
  now: number;
}

export type FilterResult =
  /** `until`: epoch milliseconds from which the filter will refuse though nothing else changes. */
  { fits: true; until?: number } | { fits: false; reason: string; message: string };

/** One question about one cluster. A new filter is a new file and one line in the list of `schedule.ts`. */
export interface Filter {
  name: string;
  check(context: FilterContext, cluster: ClusterSnapshot): FilterResult;
}

export const fits: FilterResult = { fits: true };

export function fitsUntil(until: number): FilterResult {
  return { fits: true, until };
}

export function refuses(reason: string, message: string): FilterResult {
  return { fits: false, reason, message };
}
