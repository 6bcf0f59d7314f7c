import { expect, test } from "vitest";
import { cluster } from "../testing.ts";
import { groupOf, groupsText, remedyOf, spreadTerms } from "./topology.ts";

test.each([
  ["region", "x"],
  ["zone", "x/1"],
  ["provider", "p"],
  ["example.com/rack", "r"],
  ["constructor", undefined],
])("the group by %s is %s", (topologyKey, want) => {
  const one = cluster("a", { region: "x", zone: "1", provider: "p", labels: { "example.com/rack": "r" } });
  expect(groupOf(one, topologyKey)).toBe(want);
  expect(groupOf(cluster("a"), topologyKey)).toBeUndefined();
});

test("the group by zone is the zone alone if the region is unknown, and none if the zone is", () =>
  expect([cluster("a", { zone: "1" }), cluster("a", { region: "x" })].map((one) => groupOf(one, "zone"))).toEqual([
    "1",
    undefined,
  ]));

test.each([
  ["cluster", "1 cluster", "2 clusters", "label its MemberCluster with cluster"],
  ["region", "1 region", "2 regions", "label its MemberCluster with topology.kubernetes.io/region"],
  ["zone", "1 zone", "2 zones", "label its MemberCluster with topology.kubernetes.io/zone"],
  ["provider", "1 provider", "2 providers", "set spec.provider of its MemberCluster"],
  ["x.io/rack", "1 group of x.io/rack", "2 groups of x.io/rack", "label its MemberCluster with x.io/rack"],
])("the words for %s: %s, %s; %s", (topologyKey, one, two, remedy) =>
  expect([groupsText(1, topologyKey), groupsText(2, topologyKey), remedyOf(topologyKey)]).toEqual([one, two, remedy]),
);

test("constraints over clusters stand apart from those over groups", () => {
  const none = Number.POSITIVE_INFINITY;
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
  });
});
