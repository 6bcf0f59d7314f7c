import type { AffinityGroup } from "../../apis/index.ts";
import type { Filtered } from "../filter/filterClusters.ts";
import type { ClusterSnapshot, Step } from "../types.ts";

export interface Selection {
  /** The group that was used; undefined when there are none, or none fits. */
  group: AffinityGroup | undefined;
  /** Every cluster that the group takes and no filter refuses. */
  selected: readonly ClusterSnapshot[];
  /** What the filters said of each cluster, in the order of the clusters. */
  filtered: readonly Filtered[];
  /** The step of all that are selected. */
  step: Step;
  /** When the first of the selected clusters will fit no longer, epoch milliseconds or infinity. */
  until: number;
}

/**
 * Selects every fitting cluster of the first affinity group in which there is one; a placement without groups is one group of all. When no
 * group fits, nothing is selected, and each cluster is answered by the group that came closest to taking it: one whose selector took it,
 * else the first.
 */
export function firstFittingGroup(
  clusters: readonly ClusterSnapshot[],
  groups: readonly AffinityGroup[] | undefined,
  filter: (group: AffinityGroup | undefined) => readonly Filtered[],
): Selection {
  if (groups === undefined || groups.length === 0) return selectionOf(clusters, undefined, filter(undefined));
  const tried: (readonly Filtered[])[] = [];
  for (const group of groups) {
    const selection = selectionOf(clusters, group, filter(group));
    if (selection.selected.length > 0) return selection;
    tried.push(selection.filtered);
  }
  return selectionOf(clusters, undefined, closest(tried));
}

function selectionOf(
  clusters: readonly ClusterSnapshot[],
  group: AffinityGroup | undefined,
  filtered: readonly Filtered[],
): Selection {
  const selected: ClusterSnapshot[] = [];
  let until = Number.POSITIVE_INFINITY;
  for (const [i, cluster] of clusters.entries()) {
    const one = filtered[i];
    if (one === undefined || one.refusal !== undefined) continue;
    selected.push(cluster);
    until = Math.min(until, one.until);
  }
  const message = group === undefined ? "every cluster is allowed" : `in group ${group.name}`;
  const step: Step = { stage: "select", name: "FirstFittingGroup", fits: true, reason: "Selected", message };
  return { group, selected, filtered, step, until };
}

function closest(tried: readonly (readonly Filtered[])[]): readonly Filtered[] {
  const [first = []] = tried;
  return first.map((one, i) => {
    const taken = tried.find((filtered) => filtered[i]?.refusal?.name !== "Affinity");
    return taken?.[i] ?? one;
  });
}
