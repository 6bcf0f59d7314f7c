import { defined } from "../../../apis/index.ts";
import { cluster } from "../../testing.ts";
import type { ClusterSnapshot, PlacementRules } from "../../types.ts";

/** Fixtures for the tests of a pick. */

type Constraint = NonNullable<PlacementRules["spreadConstraints"]>[number];

/**
 * Parses what a placement asks for: `count 2, region 2, soft zone 1..3, cluster ..4` is a `clusterCount` of 2, at least
 * 2 regions, 1 to 3 zones or fewer, and at most 4 clusters.
 */
export function rulesIn(text: string): Partial<PlacementRules> {
  const spreadConstraints: Constraint[] = [];
  let clusterCount: number | undefined;
  for (const word of text === "" ? [] : text.split(", ")) {
    const [, soft, key = "", min, max] = /^(soft )?(\S+)(?: (\d+)?(?:\.\.(\d+))?)?$/.exec(word) ?? [];
    if (key === "count") clusterCount = Number(min);
    else
      spreadConstraints.push({
        topologyKey: key === "rack" ? RACK : key,
        ...defined({ minGroups: numberOr(min), maxGroups: numberOr(max) }),
        whenUnsatisfiable: soft === undefined ? "DoNotSchedule" : "ScheduleAnyway",
      });
  }
  return { ...defined({ clusterCount }), ...(spreadConstraints.length === 0 ? {} : { spreadConstraints }) };
}

const RACK = "example.com/rack";
const numberOr = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** Parses clusters: `a1 p` is cluster `a1` in region `a` of provider `p`; `-1` is in no region. A third word is the rack. */
export function clustersOf(text: string): ClusterSnapshot[] {
  return text.split(", ").map((one) => {
    const [name = "", provider, rack] = one.split(" ");
    const region = name.slice(0, 1);
    return cluster(name, {
      ...(region === "-" ? {} : { region }),
      ...(provider === undefined || provider === "-" ? {} : { provider }),
      labels: { name, ...(rack === undefined ? {} : { [RACK]: rack }) },
    });
  });
}
export const preferring = (weights: Record<string, number>): PlacementRules["clusterPreferences"] =>
  Object.entries(weights).map(([name, weight]) => ({ targetClusters: { clusterNames: [name] }, weight }));
