import type { ClusterSnapshot, PlacementRules } from "../../types.ts";

/**
 * Tries every choice of clusters, as a reference for the scheduler. Written from the promises of the API, not from the
 * scheduler.
 */

type Constraint = NonNullable<PlacementRules["spreadConstraints"]>[number];

export interface Rules {
  spreadConstraints: readonly Constraint[];
  clusterCount: number | undefined;
  /** Preferred regions; each weighs ten more than the region before. */
  preferred: readonly string[];
}

function groupOf(cluster: ClusterSnapshot, key: string): string | undefined {
  if (key === "cluster") return cluster.name;
  if (key === "region") return cluster.region;
  if (key === "provider") return cluster.provider;
  if (key === "zone") return cluster.zone === undefined ? undefined : `${cluster.region ?? ""} ${cluster.zone}`;
  return cluster.labels[key];
}

const isSoft = ({ whenUnsatisfiable }: Constraint): boolean => whenUnsatisfiable === "ScheduleAnyway";

function groupsOf(taken: readonly ClusterSnapshot[], { topologyKey }: Constraint): number {
  return new Set(taken.flatMap((cluster) => groupOf(cluster, topologyKey) ?? [])).size;
}

export function keepsTo(taken: readonly ClusterSnapshot[], { spreadConstraints, clusterCount }: Rules): boolean {
  if (taken.length > (clusterCount ?? Number.POSITIVE_INFINITY)) return false;
  return spreadConstraints.every((one) => {
    const groups = groupsOf(taken, one);
    if (groups > (one.maxGroups ?? Number.POSITIVE_INFINITY)) return false;
    return (
      isSoft(one) ||
      (groups >= (one.minGroups ?? 0) && taken.every((cluster) => groupOf(cluster, one.topologyKey) !== undefined))
    );
  });
}

/**
 * Rating of a choice, most important first: groups of each soft constraint, clusters, preference, clusters that run the
 * object now.
 */
export function standingOf(
  taken: readonly ClusterSnapshot[],
  { spreadConstraints, preferred }: Rules,
  current: readonly string[],
): number[] {
  const soft = spreadConstraints.filter((one) => isSoft(one) && one.topologyKey !== "cluster");
  const score = ({ region }: ClusterSnapshot): number =>
    region === undefined ? 0 : 10 * (preferred.indexOf(region) + 1);
  return [
    ...soft.map((one) => Math.min(one.minGroups ?? 0, groupsOf(taken, one))),
    taken.length,
    taken.reduce((sum, cluster) => sum + score(cluster), 0),
    taken.filter(({ name }) => current.includes(name)).length,
  ];
}

export function bestPossible(
  clusters: readonly ClusterSnapshot[],
  rules: Rules,
  current: readonly string[],
): number[] | undefined {
  let best: number[] | undefined;
  for (let set = 1; set < 2 ** clusters.length; set++) {
    const taken = clusters.filter((_, at) => ((set >> at) & 1) === 1);
    if (!keepsTo(taken, rules)) continue;
    const standing = standingOf(taken, rules, current);
    const difference =
      best === undefined ? 1 : (standing.map((value, i) => value - (best?.[i] ?? 0)).find((d) => d !== 0) ?? 0);
    if (difference > 0) best = standing;
  }
  return best;
}
