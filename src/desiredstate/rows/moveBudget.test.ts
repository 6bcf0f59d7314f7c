import { describe, expect, test } from "vitest";
import { leastAvailable, type Move, serversToKeep } from "./moves.ts";
import { app, copy, facts, frankfurt, placement, shanghai, singapore, targetOf } from "../testing/builders.ts";
import type { Observation, Target } from "../types.ts";

/** How many have to stay available while copies move. */

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

  test("count for nothing while they are on their way out, or not there", () => {
    const { present: _, ...gone } = deployment("frankfurt-1", 9);
    const dying = deployment("frankfurt-1", 9, { deleting: true });
    for (const other of [gone, dying])
      expect(names([...arrived, ...running("singapore-1", 4), other], target({ minAvailable: 4 }))).toEqual([
        "singapore-1",
      ]);
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

describe("what has arrived", () => {
  const old = running("singapore-1", 4);
  const to = target(undefined);

  test("is everything, each on that cluster", () => {
    expect(names([...old, deployment("shanghai-1", 1), copy("frankfurt-1", "Service")], to)).toEqual(["singapore-1"]);
    expect(names([...old, ...running("shanghai-1", 1)], to)).toEqual([]);
  });

  test("need not say how many of it are available", () => {
    const there = copy("shanghai-1", "Deployment", { health: { state: "Available" } });
    expect(names([...old, there, copy("shanghai-1", "Service")], to)).toEqual([]);
  });

  test("of an unknown health is there where it was not known before, either", () => {
    const unknown = (cluster: string) => copy(cluster, "Service", { health: { state: "Unknown" } });
    expect(
      names(
        [deployment("singapore-1", 4), unknown("singapore-1"), deployment("shanghai-1", 1), unknown("shanghai-1")],
        to,
      ),
    ).toEqual([]);
    expect(names([...old, deployment("shanghai-1", 1), unknown("shanghai-1")], to)).toEqual(["singapore-1"]);
  });

  test("is waited for in the order of names", () => {
    const several = target(undefined, ["frankfurt-1", "shanghai-1"]);
    const reversed = { ...several, clusters: several.clusters.toReversed() };
    expect([...kept(old, reversed).values()].map(({ message }) => message)).toEqual([
      "it serves until the object is available on frankfurt-1, shanghai-1",
    ]);
  });
});
