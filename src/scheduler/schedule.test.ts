import { describe, expect, test } from "vitest";
import { schedule } from "./schedule.ts";
import { chosen, cluster, divided, fleet, NOW, placement, reasons, subject } from "./testing.ts";
import type { Decision, PlacementRules, Subject } from "./types.ts";

/** What the decision suite cannot show: names beside the clusters, shared values, and the facts about headroom. */

test("names that no cluster has get a verdict, wherever the placement gives them", () => {
  const decision = schedule(
    subject({ replicas: 2 }),
    placement({
      clusterAffinities: [{ name: "g", clusterNames: ["shanghai-1", "shangai-2"], exclude: ["tokyo"] }],
      clusterPreferences: [{ targetClusters: { clusterNames: ["kyoto"] }, weight: 1 }],
      ...divided({ weights: [{ targetClusters: { clusterNames: ["shanghai-1", "osaka"] }, weight: 1 }] }),
    }),
    fleet,
    NOW,
  );
  const unknown = Object.entries(reasons(decision)).filter(([, reason]) => reason === "UnknownCluster");
  expect(unknown.map(([name]) => name)).toEqual(["kyoto", "osaka", "shangai-2", "tokyo"]);
  expect(chosen(decision)).toEqual(["shanghai-1"]);
  const names = decision.verdicts.map((verdict) => verdict.cluster);
  expect(names).toEqual(names.toSorted());
  expect(decision.verdicts.at(-1)).toStrictEqual({
    cluster: "tokyo",
    fits: false,
    reason: "UnknownCluster",
    message: "the placement names it, and no such cluster is known",
    steps: [],
  });
});

test("clusters that are answered alike share their steps", () => {
  const many = Array.from({ length: 100 }, (_, i) => cluster(`c${i}`, { region: i % 2 === 0 ? "x" : "y" }));
  const inX = { matchExpressions: [{ key: "region" as const, operator: "In" as const, values: ["x"] }] };
  const rules = placement({ clusterAffinities: [{ name: "g", fieldSelector: inX }] });
  expect(new Set(schedule(subject(), rules, many, NOW).verdicts.map(({ steps }) => steps)).size).toBe(2);
});

const ABC = ["c", "a", "b"].map((name) => cluster(name));
const of = (replicas: number | undefined) => subject(replicas === undefined ? {} : { replicas });

test.each<[name: string, replicas: number | undefined, rules: Partial<PlacementRules>]>([
  ["an object without replicas, divided or not", undefined, divided()],
  ["a division of no replicas by headroom", undefined, divided({ strategy: "Available" })],
])("%s: every cluster as it is, and nothing to note", (_name, replicas, rules) => {
  const { clusters, verdicts: _verdicts, ...others } = schedule(of(replicas), placement(rules), ABC, NOW);
  expect([clusters, others]).toEqual([[{ name: "a" }, { name: "b" }, { name: "c" }], {}]);
});

test("replicas without a place are counted, and a division by weights asks for no headroom", () => {
  const { verdicts: _, ...decision } = schedule(of(10), placement(divided({ maxReplicasPerCluster: 3 })), ABC, NOW);
  expect(decision).toMatchObject({ unplaced: 1, notes: [expect.stringContaining("1 of 10")] });
  expect(Object.keys(decision)).toEqual(["clusters", "notes", "unplaced"]);
});

test("weights may depend on the labels of the object, and an empty list of weights is none", () => {
  const clusters = [cluster("a", { labels: { tier: "web" } }), cluster("b")];
  const replicasBy = (weights: PlacementRules["replicaScheduling"]["weights"]) =>
    schedule(subject({ replicas: 2, labels: { tier: "web" } }), placement(divided({ weights })), clusters, NOW)
      .clusters;
  expect(replicasBy([{ targetClusters: { matchLabelKeys: ["tier"] }, weight: 7 }])).toEqual([
    { name: "a", replicas: 2 },
  ]);
  expect(replicasBy([])).toEqual(["a", "b"].map((name) => ({ name, replicas: 1 })));
});

test("a single cluster with less than its minimum is noted", () => {
  const { notes } = schedule(of(2), placement(divided({ minReplicasPerCluster: 3 })), [cluster("a")], NOW);
  expect(notes).toEqual(["2 replicas are too few for minReplicasPerCluster on each cluster"]);
});

describe("a division by headroom", () => {
  interface Setting {
    replicas?: number;
    /** Further replicas that fit. A cluster that is not named is being measured. */
    room?: Record<string, number>;
    current?: Record<string, number | undefined>;
    rules?: Partial<PlacementRules>;
    who?: Partial<Subject>;
  }
  /** The clusters a, b and c share the replicas; d is being deleted. */
  function decide({ replicas = 6, room, current = {}, rules = {}, who = {} }: Setting): Decision {
    const of = subject({ replicas, current: new Map(Object.entries(current)), ...who });
    if (room !== undefined) of.room = new Map(Object.entries(room).map(([name, fits]) => [name, { fits }]));
    const clusters = [...["a", "b", "c"].map((name) => cluster(name)), cluster("d", { deleting: true })];
    return schedule(of, placement({ ...divided({ strategy: "Available" }), ...rules }), clusters, NOW);
  }

  test.each<
    [name: string, setting: Setting, want: Record<string, number>, asks: object, added?: Record<string, number>]
  >([
    ["all of a new object is added", { room: { a: 3, b: 6, c: 9 } }, { a: 1, b: 2, c: 3 }, {}],
    [
      "only new replicas are added",
      { room: { a: 0, b: 0, c: 9 }, current: { a: 2, b: 3 } },
      { a: 2, b: 3, c: 1 },
      {},
      { c: 1 },
    ],
    ["a measurement is waited for", { room: { a: 3, b: 3 } }, {}, { awaited: true }],
    [
      "a count is waited for",
      { room: { a: 9, b: 9, c: 9 }, current: { b: undefined } },
      {},
      { awaited: true, uncounted: true },
    ],
    [
      "each picked cluster gets one",
      { room: { a: 9, b: 0, c: 1 }, current: { b: 1 }, rules: { clusterCount: 3 } },
      { a: 4, b: 1, c: 1 },
      {},
      { a: 4, c: 1 },
    ],
    [
      "a cluster without headroom that is not picked is measured again",
      { room: { a: 9, b: 0, c: 9 }, rules: { clusterCount: 2 } },
      { a: 3, c: 3 },
      { awaited: true },
    ],
  ])("%s", (_name, setting, want, asks, added = want) => {
    const decision = decide(setting);
    expect(Object.fromEntries(decision.clusters.map(({ name, replicas }) => [name, replicas]))).toEqual(want);
    const room = { clusters: ["a", "b", "c"], awaited: false, unhoused: 0, ...asks };
    expect(decision.room).toStrictEqual({ ...room, added: new Map(Object.entries(added)) });
  });

  test("counts what has no place as well", () => {
    const rules = divided({ strategy: "Available", maxReplicasPerCluster: 2 });
    const decision = decide({ replicas: 7, room: { a: 2, b: 1, c: 0 }, rules });
    expect(decision).toMatchObject({ unplaced: 1, room: { unhoused: 4 } });
    expect(decision.notes).toEqual([
      "maxReplicasPerCluster leaves 1 of 7 replicas without a place",
      "3 of 7 replicas find no room on any cluster",
    ]);
  });
});
