import { describe, expect, test } from "vitest";
import { cluster, divided, placement, subject } from "../testing.ts";
import type { PlacementRules, Subject } from "../types.ts";
import { pick } from "./pick.ts";
import { clustersOf, preferring, rulesIn } from "./testing/picks.ts";

/** Edges of a pick. The words and most choices stand in the decision suite; the best choice is a property. */

interface More extends Partial<PlacementRules> {
  who?: Partial<Subject>;
  /** The only note. */
  note?: string;
}
type Row = [
  name: string,
  clusters: string,
  /** See {@link rulesIn}. */
  asked: string,
  taken: string,
  /** Name of a cluster, and its step as far as it matters. */
  said?: string,
  more?: More,
];

function expectPick(...[, clusters, asked, taken, said = "", { who = {}, note, ...rules } = {}]: Row): void {
  const all = clustersOf(clusters);
  const got = pick(subject(who), placement({ ...rulesIn(asked), ...rules }), all);
  expect(got.taken).toHaveLength(all.length);
  const names = all.filter((_, i) => got.taken[i]).map(({ name }) => name);
  expect([names.join(" "), got.notes]).toEqual([taken, note === undefined ? [] : [note]]);
  if (said === "") return;
  const [of = "", ...text] = said.split(": ");
  const step = got.steps[all.findIndex(({ name }) => name === of)];
  expect(`${step?.name} ${step?.reason}: ${step?.message}`).toContain(text.join(": "));
  expect(step).toMatchObject({ stage: "select", fits: names.includes(of) });
}

test.each<Row>([
  ["the most clusters", "a1, a2, b1", "cluster ..2, count 3", "a1 a2", "a2: SpreadConstraints Selected"],
  ["no bound at all", "a1, a2", "cluster", "a1 a2", "a1: SpreadConstraints Selected"],
  ["no bound and a count", "a1, a2", "cluster, count 2", "a1 a2", "a1: ClusterCount Selected"],
  ["groups, with a cluster in none", "a1 p, b1", "soft provider 1", "a1 b1", "b1: one of 2 clusters in 1 provider"],
])("the step of a taken cluster names what asked for it: %s", expectPick);

test.each<Row>([
  ["the count in a region that is full", "a1, a2, a3, b1", "count 2, region ..1", "a1 a2", "a3: ClusterCount Beyond"],
  ["the regions before the count", "a1, a2, a3, b1", "count 2, region ..1", "a1 a2", "b1: BeyondMaxGroups: 1 region"],
  ["the count for a cluster in no group", "a1, -1", "count 1, soft region 1..1", "a1", "-1: BeyondClusterCount"],
  ["the second constraint", "a1 p, b1 p, c1 q", "region 1, provider ..1", "a1 b1", "c1: maxGroups of provider is 1"],
  ["a hard constraint after a soft one", "a1 p, -1", "soft provider 1, region 1", "a1", "-1: TopologyKeyMissing"],
])("the step of a refused cluster names %s", expectPick);

const NOT_AT_ONCE = "SpreadNotMet: no choice of clusters meets all spreadConstraints at once";
test.each<Row>([
  ["regions are missing", "a1, a2", "region 3", "", "a1: 3 regions are asked for, and clusters of 1 fit"],
  ["the count is less than the fewest clusters", "a1, a2", "count 1, cluster 2", "", `a1: ${NOT_AT_ONCE}`],
  ["the allowed regions have too few clusters", "a1, b1", "cluster 2, region ..1", "", `b1: ${NOT_AT_ONCE}`],
])("no cluster is taken where %s", expectPick);

const lacking = (note: string): More => ({ note: `spreadConstraints: ${note}` });
test.each<Row>([
  ["fewer clusters than asked for", "a1, a2", "soft cluster 3", "a1 a2", "", lacking("2 of 3 clusters")],
  ["fewer than the count", "a1", "count 3", "a1", "", { note: "clusterCount 3: only 1 cluster can be taken" }],
  [
    "the first: region",
    "a1 p, a2 q, b1",
    "count 2, soft region 2, soft provider 2",
    "a1 b1",
    "",
    lacking("1 of 2 providers"),
  ],
  [
    "what a hard one allows",
    "a1 p, a2 p, a3 p, b1 q, c1 q",
    "soft region 3, provider ..1",
    "b1 c1",
    "",
    lacking("2 of 3 regions"),
  ],
  [
    "a later one, though an earlier one cannot be met at all",
    "a1 - r1, a2 - r1, a3 - r2, b1 p r1",
    "count 2, cluster 2, region ..1, soft provider 1, soft rack 2",
    "a2 a3",
    "",
    { clusterPreferences: preferring({ a1: 50, a2: 100 }), ...lacking("0 of 1 provider") },
  ],
])("soft constraints are met as far as possible: %s", expectPick);

describe("divided replicas", () => {
  const three = "a1, b1, c1";
  const by = (replicas: number | undefined, scheduling = {}): More => ({
    ...divided(scheduling),
    who: replicas === undefined ? {} : { replicas },
  });
  test.each<Row>([
    ["as can have the minimum", three, "region 1", "a1", "c1: reach 1 cluster", by(5, { minReplicasPerCluster: 3 })],
    ["as one, below the minimum", three, "region 1", "a1", "", by(1, { minReplicasPerCluster: 3 })],
    ["as replicas for a minimum of 0", three, "region 1", "a1 b1", "", by(2, { minReplicasPerCluster: 0 })],
    ["as there are, where nobody counts replicas", three, "region 1", "a1 b1 c1", "", by(undefined)],
    ["as replicas, over regions", three, "region 3", "a1 b1", "", { ...by(2), ...lacking("2 of 3 regions") }],
    ["as replicas, over clusters", three, "cluster 3", "a1 b1", "", { ...by(2), ...lacking("2 of 3 clusters") }],
    ["as replicas, below the count: no note", three, "count 3", "a1 b1", "", by(2)],
  ])("reach as many clusters %s", expectPick);

  const weights = [{ targetClusters: { clusterNames: ["a2"] }, weight: 1 }];
  const forNobody = [{ targetClusters: { clusterNames: [] }, weight: 1 }];
  test.each<Row>([
    ["are not divided", "a1, a2", "count 1", "a1", "", by(1, { mode: "Duplicated", weights })],
    ["find no weight anywhere", "a1, a2", "count 1", "a1", "", by(1, { weights: forNobody })],
  ])("go by no weight where they %s", expectPick);

  const room = new Map(Object.entries({ a1: { fits: 0 }, a2: { fits: 3 }, a3: { fits: 1 } }));
  const available = (replicas: number | undefined, minReplicasPerCluster?: number): More => ({
    ...divided({ strategy: "Available", ...(minReplicasPerCluster === undefined ? {} : { minReplicasPerCluster }) }),
    who: { room, ...(replicas === undefined ? {} : { replicas }) },
  });
  test.each<Row>([
    ["a minimum of 0 asks for one", "a1, a3", "count 1", "a3", "a1: NoRoom: it has no room for a", available(3, 0)],
    ["the minimum fits exactly", "a1, a2, a3", "count 1", "a2", "a3: no room for 3 replicas", available(3, 3)],
    ["an object without replicas needs none", "a1, a2", "count 1", "a1", "", available(undefined)],
  ])("need headroom: %s", expectPick);
});

test("taints count up to the fifteenth, preferences up to a sum of 3,400; beyond it the first by name is taken", () => {
  const preferred = (name: string, count: number): NonNullable<PlacementRules["clusterPreferences"]> =>
    Array.from({ length: count }, () => ({ targetClusters: { clusterNames: [name] }, weight: 100 }));
  const avoided = (name: string, count: number) => {
    const taints = Array.from({ length: count }, (_, i) => ({ key: `t${i}`, effect: "PreferNoSchedule" as const }));
    return cluster(name, { taints });
  };
  const takes = (rules: Partial<PlacementRules>, ofA = 0, ofB = 0): boolean | undefined =>
    pick(subject(), placement({ clusterCount: 1, ...rules }), [avoided("a", ofA), avoided("b", ofB)]).taken[0];
  expect([takes({}, 15, 14), takes({}, 30, 15)]).toEqual([false, true]);
  expect(takes({ tolerations: [{ operator: "Exists" }] }, 1, 0)).toBe(true);
  const prefers = (ofA: number, ofB: number) =>
    takes({ clusterPreferences: [...preferred("a", ofA), ...preferred("b", ofB)] });
  expect([prefers(33, 34), prefers(34, 90)]).toEqual([false, true]);
});
