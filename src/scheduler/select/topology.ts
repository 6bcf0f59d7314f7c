import { shortMessage } from "../../apis/index.ts";
import type { ClusterSnapshot, PlacementRules } from "../types.ts";

type SpreadConstraint = NonNullable<PlacementRules["spreadConstraints"]>[number];

/** The key `cluster` is handled apart: each cluster is its own group. */
export interface GroupConstraint {
  topologyKey: string;
  /** Fewest groups; 0: no minimum. */
  min: number;
  /** Most groups; infinite: no maximum. */
  max: number;
  /** Fewer groups are acceptable. */
  isSoft: boolean;
}

/** All spread constraints and `clusterCount` together; infinite: no limit. */
export interface SpreadTerms {
  groups: readonly GroupConstraint[];
  /** Fewest clusters. */
  minClusters: number;
  /** Fewer clusters than {@link minClusters} are acceptable. */
  isMinSoft: boolean;
  /** By the constraint over `cluster`. */
  maxClusters: number;
  /** By `clusterCount`. */
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
 * Undefined if the cluster is in none. Zones belong to their region: a provider may call the zones of each region `1`,
 * `2` and `3`.
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

/** Remedy for a cluster that is in no group of the key. */
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
