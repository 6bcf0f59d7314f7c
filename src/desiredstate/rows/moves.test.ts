import { describe, expect, test } from "vitest";
import { leastAvailable, type Move, serversToKeep } from "./moves.ts";
import { app, copy, facts, frankfurt, placement, shanghai, singapore, targetOf } from "../testing/builders.ts";
import type { DesiredObject, Observation, Target } from "../types.ts";

const replicas = (available: number) => ({ desired: 2, updated: 2, ready: available, available });
const serving = { health: { state: "Available" as const, replicas: replicas(2) } };
const SECRET = { apiVersion: "v1", kind: "Secret", metadata: { name: "database", namespace: "default" } };
const fleet = [shanghai, singapore, frankfurt];

function to(names: readonly string[], spec: object = {}): Target {
  return targetOf({
    object: app({ envFrom: [{ secretRef: { name: "database" } }], ...spec }),
    placements: [placement("p", { clusterAffinities: [{ name: "g", clusterNames: [...names] }] })],
    clusters: fleet,
    dependencies: new Map([["/Secret/default/database", SECRET]]),
  });
}

function move(observations: readonly Observation[], target: Target = to(["shanghai-1"]), more: Partial<Move> = {}) {
  const wanted = new Map(target.clusters.map(({ name, objects }) => [name, objects]));
  return serversToKeep({ wanted, target, observations, removal: facts(), ...more });
}

const kept = (...given: Parameters<typeof move>): string[] => [...move(...given).keys()];
const dependency = (cluster: string, present: Partial<NonNullable<Observation["present"]>> = {}): Observation => ({
  ...copy(cluster, "Secret", present),
  ref: { apiVersion: "v1", kind: "Secret", namespace: "default", name: "database" },
});
const gone = (cluster: string, kind: string): Observation => {
  const { present: _present, ...rest } = copy(cluster, kind);
  return rest;
};
const old = [copy("singapore-1", "Deployment", serving), copy("singapore-1", "Service")];
const arrived = (cluster: string) => [copy(cluster, "Deployment", serving), copy(cluster, "Service")];

describe("the copies that stay until there are others", () => {
  test("are those of every cluster that serves, each with the same reason", () => {
    const both = [...old, copy("frankfurt-1", "Deployment", serving)];
    expect(move(both)).toEqual(
      new Map(
        ["singapore-1", "frankfurt-1"].map((name) => [
          name,
          { reason: "AwaitingReplacement", message: "it serves until the object is available on shanghai-1" },
        ]),
      ),
    );
  });

  test("are none once the object has arrived on one of the clusters where it is to be", () => {
    expect(kept([...old, ...arrived("shanghai-1")])).toEqual([]);
    expect(kept([...old, ...arrived("frankfurt-1")], to(["shanghai-1", "frankfurt-1"]))).toEqual([]);
    expect(kept([...old, ...arrived("frankfurt-1")])).toEqual(["singapore-1", "frankfurt-1"]);
  });

  test.each<[string, Partial<NonNullable<Observation["present"]>>]>([
    ["on its way out", { ...serving, deleting: true }],
    ["of no replicas that are available", { health: { state: "Available", replicas: replicas(0) } }],
    ["not available as a whole", { health: { state: "Degraded", replicas: replicas(1) } }],
  ])("wait for a copy that is %s", (_what, present) => {
    expect(kept([...old, copy("shanghai-1", "Deployment", present), copy("shanghai-1", "Service")])).toEqual([
      "singapore-1",
    ]);
  });

  test("wait where nothing is rendered for the cluster yet", () => {
    const wanted = new Map<string, readonly DesiredObject[]>([["shanghai-1", []]]);
    expect(kept([...old, ...arrived("shanghai-1")], to(["shanghai-1"]), { wanted })).toEqual(["singapore-1"]);
  });

  test.each<[string, Observation[]]>([
    ["are none there", [gone("singapore-1", "Deployment"), gone("singapore-1", "Service")]],
    ["have no replicas that are available", [copy("singapore-1", "Deployment", { health: { state: "Failed" } })]],
    ["are on their way out", [copy("singapore-1", "Deployment", { ...serving, deleting: true })]],
    ["are a Service without pods", [copy("singapore-1", "Service")]],
    ["only go along", [dependency("singapore-1", { health: { state: "Available", replicas: replicas(2) } })]],
  ])("are not kept when they %s", (_what, copies) => expect(kept(copies)).toEqual([]));

  test("are kept when some of their replicas are available", () => {
    const partly = { health: { state: "Degraded" as const, replicas: replicas(1) } };
    expect(kept([copy("singapore-1", "Deployment", partly)])).toEqual(["singapore-1"]);
  });

  describe("of a kind without replicas", () => {
    const withoutReplicas = (target: Target): Target => ({
      ...target,
      clusters: target.clusters.map(({ replicas: _replicas, ...cluster }) => cluster),
    });
    const target = withoutReplicas(to(["shanghai-1"]));

    test("are kept when one of them is available", () => {
      const failed = copy("singapore-1", "Deployment", { health: { state: "Failed" } });
      expect(kept([copy("singapore-1", "Service"), failed], target)).toEqual(["singapore-1"]);
      expect(kept([failed], target)).toEqual([]);
    });

    test("are kept until the object is there where nobody says how healthy it is", () => {
      const unknown = (cluster: string) => [
        copy(cluster, "Deployment", { health: { state: "Unknown" } }),
        copy(cluster, "Service"),
      ];
      expect(kept(unknown("singapore-1"), target)).toEqual(["singapore-1"]);
      expect(kept([...unknown("singapore-1"), ...unknown("shanghai-1")], target)).toEqual([]);
    });

    test("are kept as long as only they are known to be healthy", () => {
      const unknown = copy("shanghai-1", "Deployment", { health: { state: "Unknown" } });
      expect(kept([...old, unknown, copy("shanghai-1", "Service")], target)).toEqual(["singapore-1"]);
    });

    test("are judged by replicas all the same where they report some", () => {
      const none = copy("singapore-1", "Deployment", { health: { state: "Available", replicas: replicas(0) } });
      expect(kept([none, copy("singapore-1", "Service")], target)).toEqual([]);
    });
  });

  test("are not kept for an object that is to be nowhere, or of no replicas", () => {
    expect(kept(old, to(["shanghai-1"]), { wanted: new Map() })).toEqual([]);
    expect(kept(old, to(["shanghai-1"], { replica: 0 }))).toEqual([]);
    const target = to(["shanghai-1", "frankfurt-1"]);
    const clusters = target.clusters.map((one) => (one.name === "shanghai-1" ? { ...one, replicas: 0 } : one));
    expect(move(old, { ...target, clusters })).toEqual(
      new Map([["singapore-1", { reason: "AwaitingReplacement", message: expect.stringMatching(/ on frankfurt-1$/) }]]),
    );
  });
});

test.each([
  [["a"], "a"],
  [["a", "b", "c"], "a, b, c"],
  [["a", "b", "c", "d"], "a, b, c or another"],
  [["b", "a"], "a, b"],
])("copies that wait for %j say so", (names, text) => {
  const wanted = new Map(names.map((name): [string, readonly DesiredObject[]] => [name, []]));
  expect([...move(old, to(["shanghai-1"]), { wanted }).values()]).toEqual([
    { reason: "AwaitingReplacement", message: `it serves until the object is available on ${text}` },
  ]);
});

describe("a disruption budget", () => {
  const counts = (available: number) => ({ desired: 4, updated: 4, ready: available, available });
  const deployment = (cluster: string, available: number, more: object = {}): Observation =>
    copy(cluster, "Deployment", { health: { state: "Available", replicas: counts(available) }, ...more });
  const running = (cluster: string, available: number): Observation[] => [
    deployment(cluster, available),
    copy(cluster, "Service"),
  ];
  const target = (disruptionBudget: object | undefined, names = ["shanghai-1"], replica = 4): Target =>
    targetOf({
      object: app({ replica }),
      placements: [
        placement("p", {
          clusterAffinities: [{ name: "g", clusterNames: names }],
          ...(disruptionBudget === undefined ? {} : { disruptionBudget }),
        } as object),
      ],
      clusters: [shanghai, singapore, frankfurt],
    });
  const kept = (observations: readonly Observation[], to: Target, more: Partial<Move> = {}) =>
    serversToKeep({
      wanted: new Map(to.clusters.map(({ name, objects }) => [name, objects])),
      target: to,
      observations,
      removal: facts(),
      ...more,
    });
  const names = (...given: Parameters<typeof kept>): string[] => [...kept(...given).keys()];

  describe("of a total there have to be available", () => {
    test.each<[budget: object, total: number, want: number]>([
      [{}, 10, 10],
      [{ maxUnavailable: 3 }, 10, 7],
      [{ maxUnavailable: "25%" }, 10, 8],
      [{ maxUnavailable: 11 }, 10, 0],
      [{ minAvailable: 3 }, 10, 3],
      [{ minAvailable: "25%" }, 10, 3],
      [{ minAvailable: 11 }, 10, 10],
      [{ minAvailable: -1 }, 10, 0],
      [{ minAvailable: 3, maxUnavailable: 1 }, 10, 3],
      [{ minAvailable: 0 }, 10, 0],
    ])("%j of %i: %i", (budget, total, want) => expect(leastAvailable(budget, total)).toBe(want));
  });

  describe("the copies that the object has left", () => {
    const arrived = running("shanghai-1", 3);

    test("stay for the budget, and say so", () => {
      expect(kept([...arrived, ...running("singapore-1", 4)], target({ minAvailable: 4 }))).toEqual(
        new Map([
          [
            "singapore-1",
            {
              reason: "AwaitingReplacement",
              message: "it serves until 4 of 4 are available without it (disruptionBudget)",
            },
          ],
        ]),
      );
    });

    test("may go to the very number, and without a budget", () => {
      const observations = [...arrived, ...running("singapore-1", 4)];
      expect(names(observations, target({ minAvailable: 3 }))).toEqual([]);
      expect(names(observations, target(undefined))).toEqual([]);
    });

    test("go one after the other, by name, as many as the budget allows", () => {
      const observations = [...arrived, ...running("singapore-1", 2), ...running("frankfurt-1", 2)];
      expect(names(observations, target({ minAvailable: 4 }))).toEqual(["singapore-1"]);
      expect(names(observations.toReversed(), target({ minAvailable: 4 }))).toEqual(["singapore-1"]);
      const uneven = [...running("shanghai-1", 1), ...running("singapore-1", 1), ...running("frankfurt-1", 4)];
      expect(names(uneven, target({ minAvailable: 4 }))).toEqual(["frankfurt-1"]);
    });

    test("that serve without being available do not stand in the way", () => {
      const to = target({ minAvailable: 4 });
      const removal = facts();
      const clusters = new Map(removal.clusters).set("singapore-1", { synced: false });
      expect(names([...arrived, ...running("singapore-1", 4)], to, { removal: { ...removal, clusters } })).toEqual([]);
    });
  });

  describe("of a kind without replicas", () => {
    const without = (budget: object, on: string[]): Target => {
      const to = target(budget, on);
      return { ...to, clusters: to.clusters.map(({ replicas: _, ...cluster }) => cluster) };
    };
    const service = (cluster: string, state: "Available" | "Failed" = "Available"): Observation[] =>
      ["Deployment", "Service"].map((kind) => copy(cluster, kind, { health: { state } }));
    const both = ["frankfurt-1", "shanghai-1"];

    test("clusters count", () => {
      const observations = [...service("shanghai-1"), ...service("singapore-1")];
      expect(names(observations, without({ minAvailable: 2 }, both))).toEqual(["singapore-1"]);
      expect(names(observations, without({ minAvailable: 1 }, both))).toEqual([]);
      expect([...kept(observations, without({ minAvailable: 2 }, both)).values()][0]?.message).toBe(
        "it serves until 2 of 2 are available without it (disruptionBudget)",
      );
    });

    test("and only those on which it serves", () => {
      const observations = [...service("shanghai-1"), ...service("frankfurt-1", "Failed"), ...service("singapore-1")];
      expect(names(observations, without({ minAvailable: 2 }, both))).toEqual(["singapore-1"]);
      const served = [...service("shanghai-1"), ...service("frankfurt-1"), ...service("singapore-1")];
      expect(names(served, without({ minAvailable: 2 }, both))).toEqual([]);
    });
  });
});
