import { describe, expect, test } from "vitest";
import { cluster } from "../testing.ts";
import { groupOf, groupsText, remedyOf, spreadTerms } from "./topology.ts";

describe("the group of a cluster", () => {
  const one = cluster("a", { region: "x", zone: "1", provider: "p", labels: { "example.com/rack": "r" } });
  test.each([
    ["region", "x"],
    ["zone", "x/1"],
    ["provider", "p"],
    ["example.com/rack", "r"],
    ["example.com/row", undefined],
    ["constructor", undefined],
  ])("by %s is %s", (topologyKey, want) => expect(groupOf(one, topologyKey)).toBe(want));

  test.each([
    ["region", undefined],
    ["zone", undefined],
    ["provider", undefined],
  ])("by %s of a cluster that says none is %s", (topologyKey, want) =>
    expect(groupOf(cluster("a"), topologyKey)).toBe(want),
  );

  test("by zone is the zone alone where no region is known", () =>
    expect(groupOf(cluster("a", { zone: "1" }), "zone")).toBe("1"));
  test("by zone is none where only the region is known", () =>
    expect(groupOf(cluster("a", { region: "x" }), "zone")).toBeUndefined());
});

test.each([
  ["region", "label its MemberCluster with topology.kubernetes.io/region"],
  ["zone", "label its MemberCluster with topology.kubernetes.io/zone"],
  ["provider", "set spec.provider of its MemberCluster"],
  ["example.com/rack", "label its MemberCluster with example.com/rack"],
])("a cluster gets a %s by this: %s", (topologyKey, want) => expect(remedyOf(topologyKey)).toBe(want));

test.each([
  [1, "cluster", "1 cluster"],
  [2, "cluster", "2 clusters"],
  [1, "region", "1 region"],
  [0, "region", "0 regions"],
  [1, "zone", "1 zone"],
  [3, "zone", "3 zones"],
  [1, "provider", "1 provider"],
  [2, "provider", "2 providers"],
  [1, "example.com/rack", "1 group of example.com/rack"],
  [2, "example.com/rack", "2 groups of example.com/rack"],
])("%i by %s is told as: %s", (count, topologyKey, want) => expect(groupsText(count, topologyKey)).toBe(want));

describe("what spread constraints ask for", () => {
  const none = Number.POSITIVE_INFINITY;
  test("nothing, where there are none", () =>
    expect(spreadTerms({ replicaScheduling: { mode: "Duplicated" } })).toEqual({
      groups: [],
      minClusters: 0,
      isMinSoft: false,
      maxClusters: none,
      count: none,
    }));

  test("those over clusters stand apart from those over groups", () =>
    expect(
      spreadTerms({
        replicaScheduling: { mode: "Duplicated" },
        clusterCount: 4,
        spreadConstraints: [
          { topologyKey: "region", minGroups: 2, whenUnsatisfiable: "ScheduleAnyway" },
          { topologyKey: "cluster", minGroups: 3, maxGroups: 5, whenUnsatisfiable: "ScheduleAnyway" },
          { topologyKey: "zone", maxGroups: 6, whenUnsatisfiable: "DoNotSchedule" },
        ],
      }),
    ).toEqual({
      groups: [
        { topologyKey: "region", min: 2, max: none, isSoft: true },
        { topologyKey: "zone", min: 0, max: 6, isSoft: false },
      ],
      minClusters: 3,
      isMinSoft: true,
      maxClusters: 5,
      count: 4,
    }));

  test("fewer clusters than the fewest are refused where nothing else is said", () =>
    expect(
      spreadTerms({
        replicaScheduling: { mode: "Duplicated" },
        spreadConstraints: [{ topologyKey: "cluster", minGroups: 2, whenUnsatisfiable: "DoNotSchedule" }],
      }),
    ).toMatchObject({ groups: [], minClusters: 2, isMinSoft: false, maxClusters: none }));
});
