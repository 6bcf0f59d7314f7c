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

test("nothing is asked of clusters where all are taken, and preferences are told all the same", () => {
  const none = { taken: [true, true], steps: [], notes: [] };
  expect(pick(subject(), placement(), clustersOf("a1, b1"))).toEqual({ ...none, scores: [undefined, undefined] });
  const preferred = placement({ clusterPreferences: preferring({ a1: 7 }) });
  expect(pick(subject(), preferred, clustersOf("a1, b1"))).toMatchObject({
    ...none,
    scores: [{ score: 7 }, { score: 0 }],
  });
});

test.each(["count 1", "zone 1"])("clusters that are left out for one reason share their step: %s", (asked) => {
  const { steps } = pick(subject(), placement(rulesIn(asked)), clustersOf("a1, b1, c1"));
  expect(steps[1]).toBe(steps[2]);
});

test.each<Row>([
  ["the most clusters", "a1, a2, b1", "cluster ..2, count 3", "a1 a2", "a2: SpreadConstraints Selected"],
  ["the fewest clusters", "a1, a2, b1", "cluster 2, count 2", "a1 a2", "a2: SpreadConstraints Selected"],
  ["no bound at all", "a1, a2", "cluster", "a1 a2", "a1: SpreadConstraints Selected"],
  ["no bound and a count", "a1, a2", "cluster, count 2", "a1 a2", "a1: ClusterCount Selected"],
  ["groups, with a cluster in none", "a1 p, b1", "soft provider 1", "a1 b1", "b1: one of 2 clusters in 1 provider"],
])("the step of a taken cluster names what asked for it: %s", expectPick);

test.each<Row>([
  ["the count in a region that is full", "a1, a2, a3, b1", "count 2, region ..1", "a1 a2", "a3: ClusterCount Beyond"],
  ["the regions before the count", "a1, a2, a3, b1", "count 2, region ..1", "a1 a2", "b1: BeyondMaxGroups: 1 region"],
  ["the count where more regions are allowed", "a1, b1", "count 1, region ..2", "a1", "b1: BeyondClusterCount"],
  ["the count for a cluster in no group", "a1, -1", "count 1, soft region 1..1", "a1", "-1: BeyondClusterCount"],
  ["the second constraint", "a1 p, b1 p, c1 q", "region 1, provider ..1", "a1 b1", "c1: maxGroups of provider is 1"],
  ["a hard constraint after a soft one", "a1 p, -1", "soft provider 1, region 1", "a1", "-1: TopologyKeyMissing"],
])("the step of a refused cluster names %s", expectPick);

const NOT_AT_ONCE = "SpreadNotMet: no choice of clusters meets all spreadConstraints at once";
test.each<Row>([
  ["regions are missing", "a1, a2", "region 3", "", "a1: 3 regions are asked for, and clusters of 1 fit"],
  [
    "racks are missing",
    "a1 p r1, b1 p r1",
    "region 2, soft provider 2, rack 2",
    "",
    "a1: 2 groups of example.com/rack",
  ],
  ["one cluster is missing", "a1", "cluster 2", "", "a1: 2 clusters are asked for, and 1 fits"],
  ["the count is less than the fewest clusters", "a1, a2", "count 1, cluster 2", "", `a1: ${NOT_AT_ONCE}`],
  [
    "the count is less than the fewest regions",
    "a1, b1",
    "count 1, soft cluster 3, region 2",
    "",
    `a1: ${NOT_AT_ONCE}`,
  ],
  ["the allowed regions have too few clusters", "a1, b1", "cluster 2, region ..1", "", `b1: ${NOT_AT_ONCE}`],
])("no cluster is taken where %s", expectPick);

const lacking = (note: string): More => ({ note: `spreadConstraints: ${note}` });
test.each<Row>([
  ["fewer clusters than asked for", "a1, a2", "soft cluster 3", "a1 a2", "", lacking("2 of 3 clusters")],
  ["fewer than the count", "a1", "count 3", "a1", "", { note: "clusterCount 3: only 1 cluster can be taken" }],
  ["as many as asked for: no note", "a1, a2, a3", "count 2, cluster 2", "a1 a2"],
  ["the most clusters below the count: no note", "a1, a2, a3", "count 3, cluster 1..2", "a1 a2"],
  [
    "the first: region",
    "a1 p, a2 q, b1",
    "count 2, soft region 2, soft provider 2",
    "a1 b1",
    "",
    lacking("1 of 2 providers"),
  ],
  [
    "the first: provider",
    "a1 p, a2 q, b1",
    "count 2, soft provider 2, soft region 2",
    "a1 a2",
    "",
    lacking("1 of 2 regions"),
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
    ["as there are, without replicas", three, "region 1", "a1 b1 c1", "", by(0, { minReplicasPerCluster: 3 })],
    ["as there are, where nobody counts replicas", three, "region 1", "a1 b1 c1", "", by(undefined)],
    ["as there are, where nothing is divided", three, "region 1", "a1 b1 c1", "", { who: { replicas: 2 } }],
    ["as replicas, over regions", three, "region 3", "a1 b1", "", { ...by(2), ...lacking("2 of 3 regions") }],
    ["as replicas, over clusters", three, "cluster 3", "a1 b1", "", { ...by(2), ...lacking("2 of 3 clusters") }],
    ["as replicas, below the count: no note", three, "count 3", "a1 b1", "", by(2)],
  ])("reach as many clusters %s", expectPick);

  const weights = [{ targetClusters: { clusterNames: ["a2"] }, weight: 1 }];
  const forNobody = [{ targetClusters: { clusterNames: [] }, weight: 1 }];
  test.each<Row>([
    ["are not divided", "a1, a2", "count 1", "a1", "", by(1, { mode: "Duplicated", weights })],
    ["are not counted", "a1, a2", "count 1", "a1", "", by(undefined, { weights })],
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
    ["replicas by weight need none", "a1, a2", "count 1", "a1", "", { ...by(3), who: { replicas: 3, room } }],
  ])("need headroom: %s", expectPick);
});

describe("which clusters are taken", () => {
  const running: More = { who: { current: new Map([["b1", undefined]]) } };
  const prefer = (weights: Record<string, number>): More => ({ clusterPreferences: preferring(weights) });
  test.each<Row>([
    ["one that runs the object", "a1, b1", "count 1", "b1", "", running],
    [
      "one preferred a little, before one that runs the object",
      "a1, b1",
      "count 1",
      "a1",
      "",
      { ...running, ...prefer({ a1: 1 }) },
    ],
    ["one that is avoided less", "a1, b1", "count 1", "b1", "", prefer({ a1: -100, b1: -99 })],
  ])("%s", expectPick);

  const preferred = (name: string, count: number): NonNullable<PlacementRules["clusterPreferences"]> =>
    Array.from({ length: count }, () => ({ targetClusters: { clusterNames: [name] }, weight: 100 }));
  const taints = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ key: `taint-${i}`, effect: "PreferNoSchedule" as const }));
  const takes = (rules: Partial<PlacementRules>, [ofA, ofB] = [0, 0]): boolean[] => {
    const clusters = [cluster("a", { taints: taints(ofA) }), cluster("b", { taints: taints(ofB) })];
    return [...pick(subject(), placement({ clusterCount: 1, ...rules }), clusters).taken];
  };
  test("taints count up to the fifteenth; beyond it the first by name is taken", () =>
    expect([takes({}, [15, 14]), takes({}, [30, 15])]).toEqual([
      [false, true],
      [true, false],
    ]));
  test("preferences count up to a sum of 3,400; beyond it the first by name is taken", () => {
    const of = (ofA: number, ofB: number) =>
      takes({ clusterPreferences: [...preferred("a", ofA), ...preferred("b", ofB)] });
    expect([of(33, 34), of(34, 90)]).toEqual([
      [false, true],
      [true, false],
    ]);
  });
});
