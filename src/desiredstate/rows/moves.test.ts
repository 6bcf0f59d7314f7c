import { describe, expect, test } from "vitest";
import { leastAvailable, type Move, serversToKeep } from "./moves.ts";
import { app, copy, facts, frankfurt, placement, shanghai, singapore, targetOf } from "../testing/builders.ts";
import type { Observation, Target } from "../types.ts";

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
const old = [copy("singapore-1", "Deployment", serving), copy("singapore-1", "Service")];

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

  describe("of a kind without replicas", () => {
    const withoutReplicas = (target: Target): Target => ({
      ...target,
      clusters: target.clusters.map(({ replicas: _replicas, ...cluster }) => cluster),
    });
    const target = withoutReplicas(to(["shanghai-1"]));

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
  });
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
      [{ maxUnavailable: "25%" }, 10, 8],
      [{ maxUnavailable: 11 }, 10, 0],
      [{ minAvailable: "25%" }, 10, 3],
      [{ minAvailable: 11 }, 10, 10],
      [{ minAvailable: 3, maxUnavailable: 1 }, 10, 3],
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

    test("are not spared for replicas on a cluster out of contact, and those do not stand in the way", () => {
      const observations = [
        ...["shanghai-1", "frankfurt-1"].flatMap((name) => running(name, 2)),
        ...running("singapore-1", 4),
      ];
      const removal = facts();
      const clusters = new Map(removal.clusters).set("singapore-1", { synced: false });
      expect(names(observations, target({ minAvailable: 4 }), { removal: { ...removal, clusters } })).toEqual([
        "frankfurt-1",
      ]);
    });

    test("go one after the other, by name, as many as the budget allows", () => {
      const observations = [...arrived, ...running("singapore-1", 2), ...running("frankfurt-1", 2)];
      expect(names(observations, target({ minAvailable: 4 }))).toEqual(["singapore-1"]);
      expect(names(observations.toReversed(), target({ minAvailable: 4 }))).toEqual(["singapore-1"]);
      const uneven = [...running("shanghai-1", 1), ...running("singapore-1", 1), ...running("frankfurt-1", 4)];
      expect(names(uneven, target({ minAvailable: 4 }))).toEqual(["frankfurt-1"]);
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
  });
});
