import { describe, expect, test } from "vitest";
import { divided, placement, subject } from "../testing.ts";
import type { PlacementRules } from "../types.ts";
import { pick } from "./pick.ts";
import { clustersOf, over, type PickCase, picks, preferring, softly } from "./testing/picks.ts";

test("nothing is asked of clusters where all are taken", () =>
  expect(pick(subject(), placement(), clustersOf("a1, b1"))).toEqual({
    taken: [true, true],
    scores: [undefined, undefined],
    steps: [],
    notes: [],
  }));

test("preferences are told though all are taken", () => {
  const { scores, steps } = pick(
    subject(),
    placement({ clusterPreferences: preferring({ a1: 7 }) }),
    clustersOf("a1, b1"),
  );
  expect(scores.map((step) => step?.score)).toEqual([7, 0]);
  expect(steps).toEqual([]);
});

test("clusters that are left out for one reason share what is said of them", () => {
  const { steps } = pick(subject(), placement({ clusterCount: 1 }), clustersOf("a1, b1, c1"));
  expect(steps[1]).toBe(steps[2]);
  const missing = pick(subject(), placement({ spreadConstraints: [over("zone", 1)] }), clustersOf("a1, b1")).steps;
  expect(missing[0]).toBe(missing[1]);
});

describe("what is said of clusters that are taken", () => {
  test.each<PickCase>([
    {
      name: "of a count",
      clusters: "a1, a2, b1",
      rules: { clusterCount: 2 },
      taken: ["a1", "a2"],
      said: { a1: "ClusterCount Selected: one of the 2 clusters that are taken" },
    },
    {
      name: "of the most clusters",
      clusters: "a1, a2, b1",
      rules: { spreadConstraints: [over("cluster", undefined, 2)], clusterCount: 3 },
      taken: ["a1", "a2"],
      said: { a2: "SpreadConstraints Selected: one of the 2 clusters that are taken" },
    },
    {
      name: "of the fewest clusters",
      clusters: "a1, a2, b1",
      rules: { spreadConstraints: [over("cluster", 2)], clusterCount: 2 },
      taken: ["a1", "a2"],
      said: { a2: "SpreadConstraints Selected: one of the 2 clusters that are taken" },
    },
    {
      name: "of a constraint that asks for nothing",
      clusters: "a1, a2",
      rules: { spreadConstraints: [over("cluster")] },
      taken: ["a1", "a2"],
      said: { a1: "SpreadConstraints Selected: one of the 2 clusters that are taken" },
    },
    {
      name: "of a constraint that asks for nothing, and a count",
      clusters: "a1, a2",
      rules: { spreadConstraints: [over("cluster")], clusterCount: 2 },
      taken: ["a1", "a2"],
      said: { a1: "ClusterCount Selected: one of the 2 clusters that are taken" },
    },
    {
      name: "of regions and providers",
      clusters: "a1 p, b1 p",
      rules: { spreadConstraints: [over("region", 2), softly("provider", 1)], clusterCount: 2 },
      taken: ["a1", "b1"],
      said: { a1: "SpreadConstraints Selected: one of 2 clusters in 2 regions, 1 provider" },
    },
    {
      name: "of groups, of which one cluster is in none",
      clusters: "a1 p, b1",
      rules: { spreadConstraints: [softly("provider", 1)] },
      taken: ["a1", "b1"],
      said: { b1: "SpreadConstraints Selected: one of 2 clusters in 1 provider" },
    },
  ])("$name", picks);
});

describe("why a cluster is left out", () => {
  test.each<PickCase>([
    {
      name: "another goes before it",
      clusters: "a1, a2",
      rules: { clusterCount: 1 },
      taken: ["a1"],
      said: {
        a2: "ClusterCount BeyondClusterCount: 1 other cluster goes before it; clusterCount is 1 | raise clusterCount, or prefer it in clusterPreferences",
      },
    },
    {
      name: "several go before it, though its region is full too",
      clusters: "a1, a2, a3, b1",
      rules: { clusterCount: 2, spreadConstraints: [over("region", undefined, 1)] },
      taken: ["a1", "a2"],
      said: {
        a3: "ClusterCount BeyondClusterCount: 2 other clusters go before it; clusterCount is 2 | raise clusterCount, or prefer it in clusterPreferences",
        b1: "SpreadConstraints BeyondMaxGroups: 1 region goes before it, and maxGroups of region is 1 | raise maxGroups of region, or prefer it in clusterPreferences",
      },
    },
    {
      name: "further regions may be taken, and it is one too many for the count",
      clusters: "a1, b1",
      rules: { clusterCount: 1, spreadConstraints: [over("region", 1), over("zone", undefined, 9)].slice(0, 1) },
      taken: ["a1"],
      said: {
        b1: "ClusterCount BeyondClusterCount: 1 other cluster goes before it; clusterCount is 1 | raise clusterCount, or prefer it in clusterPreferences",
      },
    },
    {
      name: "fewer regions are taken than may be, and it is one too many for the count",
      clusters: "a1, b1, c1",
      rules: { clusterCount: 1, spreadConstraints: [over("region", undefined, 2)] },
      taken: ["a1"],
      said: {
        b1: "ClusterCount BeyondClusterCount: 1 other cluster goes before it; clusterCount is 1 | raise clusterCount, or prefer it in clusterPreferences",
      },
    },
    {
      name: "the second constraint has as many providers as may be",
      clusters: "a1 p, b1 p, c1 q",
      rules: { spreadConstraints: [over("region", 1), over("provider", undefined, 1)] },
      taken: ["a1", "b1"],
      said: {
        c1: "SpreadConstraints BeyondMaxGroups: 1 provider goes before it, and maxGroups of provider is 1 | raise maxGroups of provider, or prefer it in clusterPreferences",
      },
    },
    {
      name: "as many racks as may be are taken",
      clusters: "a1 p r1, b1 p r2, c1 p r3",
      rules: { spreadConstraints: [over("example.com/rack", undefined, 2)] },
      taken: ["a1", "b1"],
      said: {
        c1: "SpreadConstraints BeyondMaxGroups: 2 groups of example.com/rack go before it, and maxGroups of example.com/rack is 2 | raise maxGroups of example.com/rack, or prefer it in clusterPreferences",
      },
    },
    {
      name: "as many clusters as may be are taken",
      clusters: "a1, a2, a3",
      rules: { spreadConstraints: [over("cluster", undefined, 2)] },
      taken: ["a1", "a2"],
      said: {
        a3: "SpreadConstraints BeyondMaxGroups: 2 clusters go before it, and maxGroups of cluster is 2 | raise maxGroups of cluster, or prefer it in clusterPreferences",
      },
    },
    {
      name: "it is in no group, where others are, and the count is reached",
      clusters: "a1, -1",
      rules: { clusterCount: 1, spreadConstraints: [{ ...softly("region", 1), maxGroups: 1 }] },
      taken: ["a1"],
      said: {
        "-1": "ClusterCount BeyondClusterCount: 1 other cluster goes before it; clusterCount is 1 | raise clusterCount, or prefer it in clusterPreferences",
      },
    },
    {
      name: "it has no region",
      clusters: "a1, -1",
      rules: { spreadConstraints: [softly("provider", 1), over("region", 1)] },
      taken: ["a1"],
      notes: ["spreadConstraints: 0 of 1 provider"],
      said: {
        "-1": "SpreadConstraints TopologyKeyMissing: it has no region, over which spreadConstraints spread | label its MemberCluster with topology.kubernetes.io/region",
      },
    },
    {
      name: "no weight is given for it",
      clusters: "a1, a2, a3",
      rules: {
        ...divided({ weights: [{ targetClusters: { clusterNames: ["a2", "a3"] }, weight: 1 }] }),
        clusterCount: 2,
      },
      who: { replicas: 4 },
      taken: ["a2", "a3"],
      said: {
        a1: "SpreadConstraints NoReplicas: no weight is given for it | give it a weight in replicaScheduling.weights",
      },
    },
  ])("$name", picks);
});

describe("weights count in no pick", () => {
  const weights = [{ targetClusters: { clusterNames: ["a2"] }, weight: 1 }];
  const common = { clusters: "a1, a2", taken: ["a1"] };
  test.each<PickCase>([
    {
      ...common,
      name: "where replicas are not divided",
      rules: { replicaScheduling: { mode: "Duplicated", weights }, clusterCount: 1 },
      who: { replicas: 1 },
    },
    { ...common, name: "of an object without replicas", rules: { ...divided({ weights }), clusterCount: 1 } },
    {
      ...common,
      name: "where no cluster has any",
      rules: { ...divided({ weights: [{ targetClusters: { clusterNames: [] }, weight: 1 }] }), clusterCount: 1 },
      who: { replicas: 1 },
    },
  ])("$name", picks);
});

describe("room counts in a pick only where replicas are divided by it", () => {
  const room = new Map(Object.entries({ a1: { fits: 0 }, a2: { fits: 3 }, a3: { fits: 1 } }));
  const byRoom = (more = {}): Partial<PlacementRules> => ({
    ...divided({ strategy: "Available", ...more }),
    clusterCount: 1,
  });
  const want = (message: string): Record<string, string> => ({
    a1: `Room NoRoom: ${message} | add nodes there, or let the pods ask for less`,
  });
  test.each<PickCase>([
    {
      name: "it is",
      clusters: "a1, a2, a3",
      rules: byRoom(),
      who: { replicas: 3, room },
      taken: ["a2"],
      said: want("it has no room for a replica"),
    },
    {
      name: "a least of none asks for one",
      clusters: "a1, a3",
      rules: byRoom({ minReplicasPerCluster: 0 }),
      who: { replicas: 3, room },
      taken: ["a3"],
      said: want("it has no room for a replica"),
    },
    {
      name: "as much room as is asked for is enough",
      clusters: "a1, a2, a3",
      rules: byRoom({ minReplicasPerCluster: 3 }),
      who: { replicas: 3, room },
      taken: ["a2"],
      said: want("it has no room for 3 replicas"),
    },
    {
      name: "an object without replicas needs none",
      clusters: "a1, a2",
      rules: byRoom(),
      who: { room },
      taken: ["a1"],
    },
    {
      name: "replicas that go by weight need none",
      clusters: "a1, a2",
      rules: { ...divided(), clusterCount: 1 },
      who: { replicas: 3, room },
      taken: ["a1"],
    },
  ])("$name", picks);
});
