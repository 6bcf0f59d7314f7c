import { describe, expect, test } from "vitest";
import { type Move, serversToKeep } from "./moves.ts";
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

  test("are not those of a cluster where the object stays", () => {
    expect(kept([...old, copy("shanghai-1", "Deployment", serving)])).toEqual(["singapore-1"]);
  });

  test("are none once the object has arrived on one of the clusters where it is to be", () => {
    expect(kept([...old, ...arrived("shanghai-1")])).toEqual([]);
    expect(kept([...old, ...arrived("frankfurt-1")], to(["shanghai-1", "frankfurt-1"]))).toEqual([]);
    expect(kept([...old, ...arrived("frankfurt-1")])).toEqual(["singapore-1", "frankfurt-1"]);
  });

  test("wait for everything that the object becomes, and for nothing that goes along", () => {
    expect(kept([...old, copy("shanghai-1", "Deployment", serving)])).toEqual(["singapore-1"]);
    expect(kept([...old, copy("shanghai-1", "Service")])).toEqual(["singapore-1"]);
    expect(kept([...old, ...arrived("shanghai-1"), dependency("shanghai-1", { deleting: true })])).toEqual([]);
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

  test("wait for a copy that was there and is no more, and for a cluster that nobody hears from", () => {
    expect(kept([...old, gone("shanghai-1", "Deployment"), copy("shanghai-1", "Service")])).toEqual(["singapore-1"]);
    const removal = facts({ clusters: new Map([["singapore-1", { synced: true }]]) });
    expect(kept([...old, ...arrived("shanghai-1")], to(["shanghai-1"]), { removal })).toEqual(["singapore-1"]);
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
  const budget = (disruptionBudget: object, names = ["shanghai-1", "frankfurt-1"]) =>
    targetOf({
      object: app({ replica: 4 }),
      placements: [
        placement("p", { clusterAffinities: [{ name: "g", clusterNames: names }], disruptionBudget } as object),
      ],
      clusters: fleet,
    });
  const running = (cluster: string, available: number) => [
    copy(cluster, "Deployment", { health: { state: "Available", replicas: { ...replicas(available), desired: 4 } } }),
    copy(cluster, "Service"),
  ];

  test.each<{ name: string; disruptionBudget: object; there: number; keeps: boolean }>([
    { name: "keeps what is needed", disruptionBudget: { minAvailable: 6 }, there: 4, keeps: true },
    { name: "lets go of what is not", disruptionBudget: { minAvailable: 6 }, there: 6, keeps: false },
    { name: "counts a share of all, rounded up", disruptionBudget: { minAvailable: "51%" }, there: 4, keeps: true },
    { name: "may be said the other way round", disruptionBudget: { maxUnavailable: 4 }, there: 4, keeps: false },
    { name: "never asks for more than there is to be", disruptionBudget: { minAvailable: 99 }, there: 8, keeps: false },
  ])("$name", ({ disruptionBudget, there, keeps }) => {
    const observations = [...running("shanghai-1", there), ...running("singapore-1", 4)];
    const result = move(observations, budget(disruptionBudget));
    expect([...result.keys()]).toEqual(keeps ? ["singapore-1"] : []);
  });

  test("counts nothing of a cluster that cannot be seen", () => {
    const observations = [...running("shanghai-1", 4), ...running("frankfurt-1", 4), ...running("singapore-1", 4)];
    const target = budget({ minAvailable: 8 });
    expect(kept(observations, target)).toEqual([]);
    const removal = facts();
    const clusters = new Map(removal.clusters).set("frankfurt-1", { synced: false });
    expect(kept(observations, target, { removal: { ...removal, clusters } })).toEqual(["singapore-1"]);
  });
});
