import { describe, expect, test } from "vitest";
import { cluster, divided, placement, subject } from "../testing.ts";
import type { PlacementRules } from "../types.ts";
import { pick } from "./pick.ts";
import { over, type PickCase, picks, preferring, softly } from "./testing/picks.ts";

const SOFT = "or set whenUnsatisfiable: ScheduleAnyway";
const NOT_AT_ONCE =
  "SpreadConstraints SpreadNotMet: no choice of clusters meets all spreadConstraints at once | raise maxGroups or clusterCount, lower minGroups, or set whenUnsatisfiable: ScheduleAnyway";

describe("no cluster is taken", () => {
  test.each<PickCase>([
    {
      name: "where one region is lacking",
      clusters: "a1, a2",
      rules: { spreadConstraints: [over("region", 2)] },
      taken: [],
      said: {
        a1: `SpreadConstraints SpreadNotMet: 2 regions are asked for, and clusters of 1 fit | let clusters of 1 more region fit, lower minGroups of region, ${SOFT}`,
        a2: `SpreadConstraints SpreadNotMet: 2 regions are asked for, and clusters of 1 fit | let clusters of 1 more region fit, lower minGroups of region, ${SOFT}`,
      },
    },
    {
      name: "where several regions are lacking",
      clusters: "a1, a2",
      rules: { spreadConstraints: [over("region", 3)] },
      taken: [],
      said: {
        a1: `SpreadConstraints SpreadNotMet: 3 regions are asked for, and clusters of 1 fit | let clusters of 2 more regions fit, lower minGroups of region, ${SOFT}`,
      },
    },
    {
      name: "where racks are lacking, though regions and softer ones are met or not",
      clusters: "a1 p r1, b1 p r1",
      rules: { spreadConstraints: [over("region", 2), softly("provider", 2), over("example.com/rack", 2)] },
      taken: [],
      said: {
        a1: `SpreadConstraints SpreadNotMet: 2 groups of example.com/rack are asked for, and clusters of 1 fit | let clusters of 1 more group of example.com/rack fit, lower minGroups of example.com/rack, ${SOFT}`,
      },
    },
    {
      name: "where one cluster is lacking",
      clusters: "a1",
      rules: { spreadConstraints: [over("cluster", 2)] },
      taken: [],
      said: {
        a1: `SpreadConstraints SpreadNotMet: 2 clusters are asked for, and 1 fits | let 1 more fit, lower minGroups of cluster, ${SOFT}`,
      },
    },
    {
      name: "where several clusters are lacking",
      clusters: "a1, a2",
      rules: { spreadConstraints: [over("cluster", 5)] },
      taken: [],
      said: {
        a1: `SpreadConstraints SpreadNotMet: 5 clusters are asked for, and 2 fit | let 3 more fit, lower minGroups of cluster, ${SOFT}`,
      },
    },
    {
      name: "where the count is less than the fewest clusters",
      clusters: "a1, a2",
      rules: { clusterCount: 1, spreadConstraints: [over("cluster", 2)] },
      taken: [],
      said: { a1: NOT_AT_ONCE },
    },
    {
      name: "where the count is less than the fewest regions",
      clusters: "a1, b1",
      rules: { clusterCount: 1, spreadConstraints: [over("region", 2)] },
      taken: [],
      said: { a1: NOT_AT_ONCE },
    },
    {
      name: "where regions are too few for all clusters, though fewer clusters are better than none",
      clusters: "a1, b1",
      rules: { clusterCount: 1, spreadConstraints: [softly("cluster", 3), over("region", 2)] },
      taken: [],
      said: { a1: NOT_AT_ONCE },
    },
    {
      name: "where the regions that may be taken have too few clusters",
      clusters: "a1, b1",
      rules: { spreadConstraints: [over("cluster", 2), over("region", undefined, 1)] },
      taken: [],
      said: { b1: NOT_AT_ONCE },
    },
  ])("$name", picks);
});

describe("what is better than nothing", () => {
  test.each<PickCase>([
    {
      name: "fewer regions than are asked for, and what is lacking is noted",
      clusters: "a1, a2, b1",
      rules: { clusterCount: 2, spreadConstraints: [softly("region", 3)] },
      taken: ["a1", "b1"],
      notes: ["spreadConstraints: 2 of 3 regions"],
    },
    {
      name: "fewer clusters than are asked for",
      clusters: "a1, a2",
      rules: { spreadConstraints: [softly("cluster", 3)] },
      taken: ["a1", "a2"],
      notes: ["spreadConstraints: 2 of 3 clusters"],
    },
    {
      name: "fewer clusters than the count",
      clusters: "a1, a2",
      rules: { clusterCount: 3 },
      taken: ["a1", "a2"],
      notes: ["clusterCount 3: only 2 clusters can be taken"],
    },
    {
      name: "one cluster where the count asks for more",
      clusters: "a1",
      rules: { clusterCount: 3 },
      taken: ["a1"],
      notes: ["clusterCount 3: only 1 cluster can be taken"],
    },
    {
      name: "as many clusters as the count asks for is nothing to note",
      clusters: "a1, a2, a3",
      rules: { clusterCount: 2, spreadConstraints: [over("cluster", 2)] },
      taken: ["a1", "a2"],
    },
    {
      name: "the most clusters below the count is nothing to note",
      clusters: "a1, a2, a3",
      rules: { clusterCount: 3, spreadConstraints: [over("cluster", 1, 2)] },
      taken: ["a1", "a2"],
    },
    {
      name: "the first constraint is met before the second where both cannot be",
      clusters: "a1 p, a2 q, b1",
      rules: { clusterCount: 2, spreadConstraints: [softly("region", 2), softly("provider", 2)] },
      taken: ["a1", "b1"],
      notes: ["spreadConstraints: 1 of 2 providers"],
    },
    {
      name: "the first constraint is met before the second, whichever that is",
      clusters: "a1 p, a2 q, b1",
      rules: { clusterCount: 2, spreadConstraints: [softly("provider", 2), softly("region", 2)] },
      taken: ["a1", "a2"],
      notes: ["spreadConstraints: 1 of 2 regions"],
    },
    {
      name: "as many regions as a firm constraint leaves, though there are more clusters elsewhere",
      clusters: "a1 p, a2 p, a3 p, b1 q, c1 q",
      rules: { spreadConstraints: [softly("region", 3), over("provider", undefined, 1)] },
      taken: ["b1", "c1"],
      notes: ["spreadConstraints: 2 of 3 regions"],
    },
    {
      name: "a constraint that cannot be met at all is in the way of no later one",
      clusters: "a1 - r1, a2 - r1, a3 - r2, b1 p r1",
      rules: {
        clusterCount: 2,
        clusterPreferences: preferring({ a1: 50, a2: 100 }),
        spreadConstraints: [
          over("cluster", 2),
          over("region", undefined, 1),
          softly("provider", 1),
          softly("example.com/rack", 2),
        ],
      },
      taken: ["a2", "a3"],
      notes: ["spreadConstraints: 0 of 1 provider"],
    },
  ])("$name", picks);
});

describe("replicas that are divided", () => {
  const reach = (clusters: string): string =>
    `SpreadConstraints NoReplicas: the replicas reach ${clusters}, and it is not among them | ask for more replicas, or lower minReplicasPerCluster`;
  const three = { clusters: "a1, b1, c1" };
  test.each<PickCase>([
    {
      ...three,
      name: "reach as many clusters as there are of them",
      rules: { ...divided(), spreadConstraints: [over("region", 1)] },
      who: { replicas: 2 },
      taken: ["a1", "b1"],
      said: { c1: reach("2 clusters") },
    },
    {
      ...three,
      name: "reach as many clusters as can have their least",
      rules: { ...divided({ minReplicasPerCluster: 3 }), spreadConstraints: [over("region", 1)] },
      who: { replicas: 5 },
      taken: ["a1"],
      said: { c1: reach("1 cluster") },
    },
    {
      ...three,
      name: "reach one cluster though they are fewer than its least",
      rules: { ...divided({ minReplicasPerCluster: 3 }), spreadConstraints: [over("region", 1)] },
      who: { replicas: 1 },
      taken: ["a1"],
    },
    {
      ...three,
      name: "reach as many clusters as there are of them where the least is none",
      rules: { ...divided({ minReplicasPerCluster: 0 }), spreadConstraints: [over("region", 1)] },
      who: { replicas: 2 },
      taken: ["a1", "b1"],
    },
    {
      ...three,
      name: "reach all where there are none",
      rules: { ...divided({ minReplicasPerCluster: 3 }), spreadConstraints: [over("region", 1)] },
      who: { replicas: 0 },
      taken: ["a1", "b1", "c1"],
    },
    {
      ...three,
      name: "reach all where nobody counts them",
      rules: { ...divided(), spreadConstraints: [over("region", 1)] },
      taken: ["a1", "b1", "c1"],
    },
    {
      ...three,
      name: "reach all where each runs the object as it is",
      rules: { spreadConstraints: [over("region", 1)] },
      who: { replicas: 2 },
      taken: ["a1", "b1", "c1"],
    },
    {
      ...three,
      name: "are spread as far as they reach, over regions",
      rules: { ...divided(), spreadConstraints: [over("region", 3)] },
      who: { replicas: 2 },
      taken: ["a1", "b1"],
      notes: ["spreadConstraints: 2 of 3 regions"],
    },
    {
      ...three,
      name: "are spread as far as they reach, over clusters",
      rules: { ...divided(), spreadConstraints: [over("cluster", 3)] },
      who: { replicas: 2 },
      taken: ["a1", "b1"],
      notes: ["spreadConstraints: 2 of 3 clusters"],
    },
    {
      ...three,
      name: "reach as many clusters as there are of them, where a least of none is asked for",
      rules: { ...divided({ minReplicasPerCluster: 0 }), spreadConstraints: [over("region", 1)] },
      who: { replicas: 2 },
      taken: ["a1", "b1"],
      said: { c1: reach("2 clusters") },
    },
    {
      ...three,
      name: "are none at all, and keep nobody from any cluster",
      rules: { ...divided(), clusterCount: 2 },
      who: { replicas: 0 },
      taken: ["a1", "b1"],
    },
    {
      ...three,
      name: "are not divided, and keep nobody from any cluster",
      rules: { clusterCount: 2 },
      who: { replicas: 1 },
      taken: ["a1", "b1"],
    },
    {
      ...three,
      name: "reach fewer than the count, which is nothing to note",
      rules: { ...divided(), clusterCount: 3 },
      who: { replicas: 2 },
      taken: ["a1", "b1"],
    },
  ])("$name", picks);
});

describe("which of the clusters that may be taken is", () => {
  const one = { clusters: "a1, b1", rules: { clusterCount: 1 } };
  const current = (...names: string[]) => ({ current: new Map(names.map((name) => [name, undefined])) });
  test.each<PickCase>([
    { ...one, name: "the first by name", taken: ["a1"] },
    { ...one, name: "one that runs the object", who: current("b1"), taken: ["b1"] },
    {
      ...one,
      name: "one that is preferred, be it ever so little, before one that runs the object",
      rules: { clusterCount: 1, clusterPreferences: preferring({ a1: 1 }) },
      who: current("b1"),
      taken: ["a1"],
    },
    {
      ...one,
      name: "one that is avoided less",
      rules: { clusterCount: 1, clusterPreferences: preferring({ a1: -100, b1: -99 }) },
      taken: ["b1"],
    },
  ])("$name", picks);

  const entries = (name: string, count: number): NonNullable<PlacementRules["clusterPreferences"]> =>
    Array.from({ length: count }, () => ({ targetClusters: { clusterNames: [name] }, weight: 100 }));
  const tainted = (name: string, count: number) =>
    cluster(name, {
      taints: Array.from({ length: count }, (_, i) => ({ key: `taint-${i}`, effect: "PreferNoSchedule" as const })),
    });
  test.each<[string, number, number, boolean[]]>([
    ["taints count up to the fifteenth", 15, 14, [false, true]],
    ["beyond that the first by name is taken", 30, 15, [true, false]],
  ])("%s", (_what, ofFirst, ofSecond, want) =>
    expect(
      pick(subject(), placement({ clusterCount: 1 }), [tainted("a", ofFirst), tainted("b", ofSecond)]).taken,
    ).toEqual(want),
  );
  test.each<[string, number, number, boolean[]]>([
    ["preferences count up to a sum of 3,400", 33, 34, [false, true]],
    ["beyond that the first by name is taken", 34, 90, [true, false]],
  ])("%s", (_what, ofFirst, ofSecond, want) => {
    const clusterPreferences = [...entries("a", ofFirst), ...entries("b", ofSecond)];
    const rules = placement({ clusterCount: 1, clusterPreferences });
    expect(pick(subject(), rules, [cluster("a"), cluster("b")]).taken).toEqual(want);
  });
});
