import { shortMessage } from "../../apis/index.ts";
import type { ClusterSnapshot, PlacementRules } from "../types.ts";

type SpreadConstraint = NonNullable<PlacementRules["spreadConstraints"]>[number];

/** A spread constraint over groups of clusters: `cluster` itself is none, since there each cluster is a group. */
export interface GroupConstraint {
  topologyKey: string;
  /** Fewest groups, 0 for none. */
  min: number;
  /** Most groups, infinite for none. */
  max: number;
  /** Fewer groups are better than nothing. */
  isSoft: boolean;
}

/** What all spread constraints of a placement, and its `clusterCount`, ask for. */
export interface SpreadTerms {
  groups: readonly GroupConstraint[];
  /** Fewest clusters. */
  minClusters: number;
  /** Fewer clusters than {@link minClusters} are better than none. */
  isMinSoft: boolean;
  /** Most clusters that the constraint over `cluster` allows, infinite for none. */
  maxClusters: number;
  /** The number of clusters that is asked for, infinite for none. */
  count: number;
}

export function spreadTerms({ spreadConstraints = [], clusterCount }: PlacementRules): SpreadTerms {
  const overClusters = spreadConstraints.find(({ topologyKey }) => topologyKey === "cluster");
  return {
    groups: spreadConstraints.filter((one) => one !== overClusters).map(groupConstraint),
    minClusters: overClusters?.minGroups ?? 0,
    isMinSoft: overClusters?.whenUnsatisfiable === "ScheduleAnyway",
    maxClusters: overClusters?.maxGroups ?? Number.POSITIVE_INFINITY,
    count: clusterCount ?? Number.POSITIVE_INFINITY,
  };
}

function groupConstraint({ topologyKey, minGroups, maxGroups, whenUnsatisfiable }: SpreadConstraint): GroupConstraint {
  return {
    topologyKey,
    min: minGroups ?? 0,
    max: maxGroups ?? Number.POSITIVE_INFINITY,
    isSoft: whenUnsatisfiable === "ScheduleAnyway",
  };
}

/**
 * The group of a cluster; undefined when it is in none. Zones belong to their region: providers that call the zones of each region `1`, `2` and
 * `3` have nine of them in three regions.
 */
export function groupOf({ region, zone, provider, labels }: ClusterSnapshot, topologyKey: string): string | undefined {
  switch (topologyKey) {
    case "region":
      return region;
    case "zone":
      return zone === undefined || region === undefined ? zone : `${region}/${zone}`;
    case "provider":
      return provider;
    default:
      return Object.hasOwn(labels, topologyKey) ? labels[topologyKey] : undefined;
  }
}

/** How a cluster is put into a group. */
export function remedyOf(topologyKey: string): string {
  switch (topologyKey) {
    case "provider":
      return "set spec.provider of its MemberCluster";
    case "region":
    case "zone":
      return `label its MemberCluster with topology.kubernetes.io/${topologyKey}`;
    default:
      return shortMessage(`label its MemberCluster with ${topologyKey}`);
  }
}

/** `3 regions`, `1 zone`, `2 groups of example.com/rack`. */
export function groupsText(count: number, topologyKey: string): string {
  const noun = ["cluster", "region", "zone", "provider"].includes(topologyKey) ? topologyKey : undefined;
  if (noun === undefined) return `${count} ${count === 1 ? "group" : "groups"} of ${topologyKey}`;
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
