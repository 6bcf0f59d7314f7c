import { describe, expect, test } from "vitest";
import { schedule } from "./schedule.ts";
import { cluster, divided, fleet, NOW, placement, subject } from "./testing.ts";
import type { Decision, PlacementRules } from "./types.ts";

describe("replicas", () => {
  interface Case {
    name: string;
    replicas: number;
    scheduling: Partial<PlacementRules["replicaScheduling"]>;
    want: Record<string, number>;
    none?: string[];
    unplaced?: number;
    notes?: string[];
  }
  test.each<Case>([
    { name: "no weights divide evenly", replicas: 4, scheduling: {}, want: { a: 2, b: 1, c: 1 } },
    {
      name: "the first entry that includes a cluster gives its weight",
      replicas: 10,
      scheduling: {
        weights: [
          { targetClusters: { clusterNames: ["a"] }, weight: 3 },
          { targetClusters: {}, weight: 1 },
        ],
      },
      want: { a: 6, b: 2, c: 2 },
    },
    {
      name: "a cluster without a weight beside others gets nothing and is left out",
      replicas: 4,
      scheduling: { weights: [{ targetClusters: { clusterNames: ["a", "b"] }, weight: 1 }] },
      want: { a: 2, b: 2 },
      none: ["c"],
    },
    {
      name: "weights that match nobody divide evenly",
      replicas: 3,
      scheduling: { weights: [{ targetClusters: { labelSelector: { matchLabels: { x: "y" } } }, weight: 1 }] },
      want: { a: 1, b: 1, c: 1 },
    },
    { name: "clusters that get none are left out", replicas: 2, scheduling: {}, want: { a: 1, b: 1 }, none: ["c"] },
    {
      name: "an object that asks for none stays with none everywhere",
      replicas: 0,
      scheduling: {},
      want: { a: 0, b: 0, c: 0 },
    },
    {
      name: "a minimum that does not suffice for all",
      replicas: 3,
      scheduling: { minReplicasPerCluster: 2 },
      want: { a: 3 },
      none: ["b", "c"],
      notes: ["3 replicas are too few for minReplicasPerCluster on each cluster"],
    },
    {
      name: "a maximum that leaves some without a place",
      replicas: 10,
      scheduling: { maxReplicasPerCluster: 3 },
      want: { a: 3, b: 3, c: 3 },
      unplaced: 1,
      notes: ["maxReplicasPerCluster leaves 1 of 10 replicas without a place"],
    },
  ])("$name", ({ replicas, scheduling, want, none = [], unplaced, notes }) => {
    const decision = schedule(
      subject({ replicas }),
      placement(divided(scheduling)),
      ["c", "a", "b"].map((n) => cluster(n)),
      NOW,
    );
    expect(Object.fromEntries(decision.clusters.map((c) => [c.name, c.replicas]))).toEqual(want);
    const refused = decision.verdicts.filter((v) => !v.fits);
    expect(refused.map((v) => [v.cluster, v.reason])).toEqual(none.map((n) => [n, "NoReplicas"]));
    expect(decision.notes).toEqual(notes);
    expect(decision.unplaced).toBe(unplaced);
  });

  interface Division {
    replicas: number;
    scheduling?: Partial<PlacementRules["replicaScheduling"]>;
    among: string[];
  }
  const dividedAmong = ({ replicas, scheduling = {}, among }: Division): Decision =>
    schedule(
      subject({ replicas }),
      placement(divided(scheduling)),
      among.map((name) => cluster(name)),
      NOW,
    );
  test.each<[string, Division, string[]]>([
    ["how many it gets", { replicas: 3, among: ["a", "b"] }, ["gets 2 of 3 replicas", "gets 1 of 3 replicas"]],
    [
      "when its most is not enough",
      { replicas: 5, scheduling: { maxReplicasPerCluster: 3 }, among: ["a"] },
      ["gets 3 of 5 replicas, its most; 2 have no place"],
    ],
    [
      "nothing more when its most is just enough",
      { replicas: 3, scheduling: { maxReplicasPerCluster: 3 }, among: ["a"] },
      ["gets 3 of 3 replicas"],
    ],
    [
      "that its weight leaves none for it",
      { replicas: 1, among: ["a", "b"] },
      ["gets 1 of 1 replica", "1 replica divided by weight leaves none for it"],
    ],
    [
      "that there are too few for the least of each cluster",
      { replicas: 3, scheduling: { minReplicasPerCluster: 2 }, among: ["a", "b"] },
      ["gets 3 of 3 replicas", "3 replicas are too few for minReplicasPerCluster on each cluster"],
    ],
  ])("the verdict of a cluster says %s", (_what, division, messages) => {
    expect(dividedAmong(division).verdicts.map(({ message }) => message)).toEqual(messages);
  });

  test.each<[string, Division, string[] | undefined]>([
    [
      "fewer than the least on a cluster alone are noted",
      { replicas: 1, scheduling: { minReplicasPerCluster: 2 }, among: ["a"] },
      ["1 replica is too few for minReplicasPerCluster on each cluster"],
    ],
    [
      "the least exactly is not noted",
      { replicas: 2, scheduling: { minReplicasPerCluster: 2 }, among: ["a"] },
      undefined,
    ],
    [
      "no replicas at all are not too few",
      { replicas: 0, scheduling: { minReplicasPerCluster: 2 }, among: ["a"] },
      undefined,
    ],
  ])("%s", (_name, division, want) => expect(dividedAmong(division).notes).toEqual(want));

  test("replicas that nobody has counted yet are waited for, and by whom is said", () => {
    const room = new Map([["a", { fits: 9 }]]);
    const who = subject({ replicas: 3, current: new Map([["a", undefined]]), room });
    const decision = schedule(who, placement(divided({ strategy: "Available" })), [cluster("a")], NOW);
    expect(decision).toMatchObject({ clusters: [], room: { awaited: true, uncounted: true } });
    const counted = schedule(
      { ...who, held: new Map([["a", 2]]) },
      placement(divided({ strategy: "Available" })),
      [cluster("a")],
      NOW,
    );
    expect(counted.clusters).toEqual([{ name: "a", replicas: 3 }]);
  });

  test("an object without replicas runs on every fitting cluster, divided or not", () => {
    expect(schedule(subject(), placement(divided()), [cluster("a"), cluster("b")], NOW).clusters).toEqual([
      { name: "a" },
      { name: "b" },
    ]);
  });

  test("Duplicated leaves the replicas to the object", () => {
    expect(schedule(subject({ replicas: 7 }), placement(), [cluster("a")], NOW).clusters).toEqual([{ name: "a" }]);
  });

  test.each<[string, Partial<PlacementRules>]>([
    ["no spread constraints", { spreadConstraints: [] }],
    ["a strategy without a division", { replicaScheduling: { mode: "Duplicated", strategy: "Available" } }],
    ["a division by static weights", divided({ strategy: "Weighted" })],
  ])("%s are nothing to note", (_what, rules) => {
    expect(schedule(subject({ replicas: 1 }), placement(rules), fleet, NOW)).not.toHaveProperty("notes");
  });

  test.each<[string, PlacementRules["replicaScheduling"]["weights"], string[]]>([
    ["no weights", undefined, ["no weights count: every cluster weighs the same"]],
    ["an empty list of weights", [], ["no weights count: every cluster weighs the same"]],
    [
      "weights",
      [{ targetClusters: { clusterNames: ["shanghai-1"] }, weight: 7 }],
      ["no weight is given for it", "weight 7", "no weight is given for it", "no weight is given for it"],
    ],
  ])("the score says where it comes from: %s", (_what, weights, messages) => {
    const rules = placement(divided(weights === undefined ? {} : { weights }));
    const { verdicts } = schedule(subject({ replicas: 8 }), rules, fleet, NOW);
    const said = verdicts.map(({ steps }) => steps.find(({ stage }) => stage === "score")?.message);
    expect(messages.length === 1 ? [...new Set(said)] : said).toEqual(messages);
  });
});
