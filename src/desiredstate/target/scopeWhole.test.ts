import { describe, expect, test } from "vitest";
import { conditionMessage, type FederatedStatus } from "../../apis/index.ts";
import { hub, placedBy, placement, running, shanghai, singapore, targetOf } from "../testing/builders.ts";
import { currentClusters } from "./scope.ts";
import type { Snapshot } from "../snapshot.ts";
import { snapshot } from "../testing/builders.ts";

const counts = { desired: 7, updated: 7, ready: 7, available: 7 };
const current = (more: Partial<Snapshot>, reported: Record<string, number> = {}) => [
  ...currentClusters(snapshot(more), new Map(Object.entries(reported)), new Map()),
];

describe("clusters that run the object", () => {
  test("are not those that it is being removed from, whoever sees it there, but for one that serves on", () => {
    const removing = (reason?: string): FederatedStatus => ({
      clusters: [
        { name: "shanghai-1", state: "Removing", replicas: counts, ...(reason === undefined ? {} : { reason }) },
      ],
    });
    const seen = new Set(["shanghai-1"]);
    expect(current({ previous: removing(), running: seen })).toEqual([]);
    expect(current({ previous: removing("Terminating"), running: seen })).toEqual([]);
    expect(current({ previous: removing("AwaitingReplacement") }).map(([name]) => name)).toEqual(["shanghai-1"]);
    const held: FederatedStatus = { clusters: [{ name: "shanghai-1", state: "Held", replicas: counts }] };
    expect(current({ previous: held }).map(([name]) => name)).toEqual(["shanghai-1"]);
  });

  test("are those of its regions where an earlier version only counted them", () => {
    const summary = [{ region: "cn-shanghai", clusters: 1, replicas: counts }];
    const names = (more: Partial<Snapshot>): string[] => current(more).map(([name]) => name);
    expect(names({ previous: { summary } })).toEqual(["shanghai-1"]);
    expect(names({ previous: { summary, unlistedClusters: [] } })).toEqual([]);
    expect(names({ previous: { summary }, running: new Set() })).toEqual([]);
    expect(names({ previous: { summary: [] } })).toEqual([]);
    const { region: _, ...somewhere } = singapore;
    expect(names({ previous: { summary }, clusters: [shanghai, somewhere] })).toEqual(["shanghai-1"]);
    expect(current({ previous: { summary } }, { "shanghai-1": 7 })).toEqual([["shanghai-1", 7]]);
  });
});

describe("without a policy", () => {
  const local = { ...hub, name: "second" };

  test("an object that Meridian makes others of runs on every local cluster, whole", () => {
    const target = targetOf({ clusters: [shanghai, hub, local, { ...hub, name: "third", deleting: true }] });
    expect(target.clusters.map(({ name, frozen, replicas }) => [name, frozen, replicas])).toEqual([
      ["hub", false, 2],
      ["second", false, 2],
    ]);
    expect(target.decision.verdicts.find(({ cluster: name }) => name === "shanghai-1")?.message).toBe(
      "not among the clusterNames of group local",
    );
  });
});

test("an object is not the default's where the only local cluster is being deleted", () => {
  expect(targetOf({ clusters: [{ ...hub, deleting: true }] }).scheduled.reason).toBe("NoPlacement");
});

describe("a suspended object", () => {
  const suspended = { suspend: true, failover: {} };
  const departures = [{ cluster: "singapore-1", reason: "ClusterLost" as const, at: "2026-01-01T07:30:00Z" }];

  test("has left what it had left before", () => {
    const previous = { ...running(["shanghai-1"], placedBy("p")), departures };
    const target = targetOf({ placements: [placement("p", suspended)], previous });
    expect(target.failover?.departures).toEqual(departures);
    expect(target.suspended).toBe(true);
    const none = targetOf({
      placements: [placement("p", suspended)],
      previous: running(["shanghai-1"], placedBy("p")),
    });
    expect(none.failover?.departures).toEqual([]);
  });
});

describe("why no cluster fits", () => {
  const message = (more: Partial<Snapshot>): string => conditionMessage(targetOf(more).scheduled.message);
  const group = (names: string[]) => placement("p", { clusterAffinities: [{ name: "g", clusterNames: names }] });

  test("of clusters that nobody knows as many are named as there is room for", () => {
    const names = Array.from({ length: 20 }, (_, i) => `atlantis-${i + 10}`);
    expect(message({ placements: [group(names)], clusters: [] })).toBe(
      "no cluster fits: unknown clusters atlantis-10, atlantis-11, atlantis-12 and 17 more",
    );
    expect(message({ placements: [group(["a", "b"])] })).toBe(
      "no cluster fits (unknown clusters a, b): not among the clusterNames of group g (3 of 3 clusters)",
    );
    expect(message({ placements: [group(["shanghai-1", "a", "b"])] })).toBe(
      "1 of 3 clusters selected; unknown clusters a, b",
    );
  });
});
