import { describe, expect, test } from "vitest";
import type { Score } from "../score/staticWeight.ts";
import { cluster } from "../testing.ts";
import type { PlacementRules } from "../types.ts";
import type { TieBreak } from "./divide.ts";
import { type Shares, shareReplicas } from "./shareReplicas.ts";

const scoreOf = (weight: number): Score => ({
  weight,
  step: { stage: "score", name: "StaticWeight", fits: true, reason: "Weighted", message: "m", score: weight },
});

interface Setting {
  total: number;
  weights: Record<string, number>;
  scheduling?: Partial<PlacementRules["replicaScheduling"]>;
  ties?: TieBreak;
}

function share({ total, weights, scheduling = {}, ties = {} }: Setting): Shares & { notes: string[] } {
  const notes: string[] = [];
  const clusters = Object.keys(weights).map((name) => cluster(name));
  const scores = Object.values(weights).map(scoreOf);
  return { ...shareReplicas(total, clusters, scores, { mode: "Divided", ...scheduling }, ties, notes), notes };
}

describe("what clusters get and are told", () => {
  interface Case extends Setting {
    name: string;
    /** Replicas and words of each cluster. */
    want: [replicas: number, message: string][];
    notes?: string[];
  }
  const TOO_FEW = (replicas: string): string => `${replicas} too few for minReplicasPerCluster on each cluster`;
  test.each<Case>([
    {
      name: "shares by weight",
      total: 3,
      weights: { b: 2, a: 1 },
      want: [
        [2, "gets 2 of 3 replicas"],
        [1, "gets 1 of 3 replicas"],
      ],
    },
    {
      name: "a cluster without a weight gets none",
      total: 1,
      weights: { a: 1, b: 0 },
      want: [
        [1, "gets 1 of 1 replica"],
        [0, "no weight is given for it"],
      ],
    },
    {
      name: "a light one may get none of several",
      total: 2,
      weights: { a: 5, b: 1 },
      want: [
        [2, "gets 2 of 2 replicas"],
        [0, "2 replicas divided by weight leave none for it"],
      ],
    },
    {
      name: "none are shared by all",
      total: 0,
      weights: { a: 1, b: 0 },
      scheduling: { minReplicasPerCluster: 2, maxReplicasPerCluster: 3 },
      want: [
        [0, "gets 0 of 0 replicas"],
        [0, "gets 0 of 0 replicas"],
      ],
    },
    {
      name: "one has no place",
      total: 5,
      weights: { a: 3, b: 1, c: 0 },
      scheduling: { maxReplicasPerCluster: 2 },
      want: [
        [2, "gets 2 of 5 replicas, its most; 1 has no place"],
        [2, "gets 2 of 5 replicas, its most; 1 has no place"],
        [0, "no weight is given for it"],
      ],
      notes: ["maxReplicasPerCluster leaves 1 of 5 replicas without a place"],
    },
    {
      name: "several have no place",
      total: 4,
      weights: { a: 1 },
      scheduling: { maxReplicasPerCluster: 1 },
      want: [[1, "gets 1 of 4 replicas, its most; 3 have no place"]],
      notes: ["maxReplicasPerCluster leaves 3 of 4 replicas without a place"],
    },
    {
      name: "some have no place, though there are too few for the least of each",
      total: 5,
      weights: { a: 1, b: 1 },
      scheduling: { minReplicasPerCluster: 3, maxReplicasPerCluster: 3 },
      want: [
        [3, "gets 3 of 5 replicas, its most; 2 have no place"],
        [0, TOO_FEW("5 replicas are")],
      ],
      notes: ["maxReplicasPerCluster leaves 2 of 5 replicas without a place", TOO_FEW("5 replicas are")],
    },
    {
      name: "as many as the most of each all have a place",
      total: 4,
      weights: { a: 3, b: 1 },
      scheduling: { maxReplicasPerCluster: 2 },
      want: [
        [2, "gets 2 of 4 replicas"],
        [2, "gets 2 of 4 replicas"],
      ],
    },
    {
      name: "one is too few for the least of each",
      total: 1,
      weights: { a: 1, b: 1 },
      scheduling: { minReplicasPerCluster: 2 },
      want: [
        [1, "gets 1 of 1 replica"],
        [0, TOO_FEW("1 replica is")],
      ],
      notes: [TOO_FEW("1 replica is")],
    },
    {
      name: "fewer than the least are too few for one cluster",
      total: 2,
      weights: { a: 1 },
      scheduling: { minReplicasPerCluster: 3 },
      want: [[2, "gets 2 of 2 replicas"]],
      notes: [TOO_FEW("2 replicas are")],
    },
    {
      name: "the least exactly is enough for one cluster",
      total: 3,
      weights: { a: 1 },
      scheduling: { minReplicasPerCluster: 3 },
      want: [[3, "gets 3 of 3 replicas"]],
    },
    {
      name: "a step is kept",
      total: 6,
      weights: { a: 1, b: 1 },
      scheduling: { replicaStep: 4 },
      want: [
        [4, "gets 4 of 6 replicas"],
        [2, "gets 2 of 6 replicas"],
      ],
    },
    {
      name: "who holds one keeps it",
      total: 3,
      weights: { a: 1, b: 1 },
      ties: { holds: new Map([["b", 2]]) },
      want: [
        [1, "gets 1 of 3 replicas"],
        [2, "gets 2 of 3 replicas"],
      ],
    },
    { name: "nobody is told anything where there is no cluster", total: 3, weights: {}, want: [] },
  ])("$name", ({ want, notes = [], ...setting }) => {
    const got = share(setting);
    expect(got.shares.map(({ replicas, step }) => [replicas, step.message])).toEqual(want);
    expect(got.notes).toEqual(notes);
    for (const { replicas, step } of got.shares)
      expect([step.fits, step.reason]).toEqual(
        replicas > 0 || setting.total === 0 ? [true, "Selected"] : [false, "NoReplicas"],
      );
  });
});

test("a share is a step of the division", () => {
  const { shares } = share({ total: 1, weights: { a: 1, b: 0 } });
  const of = { stage: "divide", name: "LargestRemainder" };
  expect(shares).toStrictEqual([
    { replicas: 1, step: { ...of, fits: true, reason: "Selected", message: "gets 1 of 1 replica" } },
    { replicas: 0, step: { ...of, fits: false, reason: "NoReplicas", message: "no weight is given for it" } },
  ]);
});

test("a cluster without a score weighs nothing", () => {
  const clusters = [cluster("a"), cluster("b")];
  const { shares } = shareReplicas(2, clusters, [scoreOf(1)], { mode: "Divided" }, {}, []);
  expect(shares.map(({ replicas }) => replicas)).toEqual([2, 0]);
});
