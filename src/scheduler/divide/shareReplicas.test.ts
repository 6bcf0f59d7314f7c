import { expect, test } from "vitest";
import type { Score } from "../score/staticWeight.ts";
import { cluster } from "../testing.ts";
import type { PlacementRules } from "../types.ts";
import type { TieBreak } from "./divide.ts";
import { shareReplicas } from "./shareReplicas.ts";
import { numbersIn } from "./testing.ts";

const scoreOf = (weight: number): Score => ({
  weight,
  step: { stage: "score", name: "StaticWeight", fits: true, reason: "Weighted", message: "m", score: weight },
});

type Scheduling = PlacementRules["replicaScheduling"];
/** Shares of the clusters, and the notes. */
function share(total: number, weights: string, scheduling: Partial<Scheduling> = {}, ties: TieBreak = {}) {
  const notes: string[] = [];
  const byName = numbersIn(weights);
  const clusters = Object.keys(byName).map((name) => cluster(name));
  const scores = Object.values(byName).map(scoreOf);
  const { shares } = shareReplicas(total, clusters, scores, { mode: "Divided", ...scheduling }, ties, notes);
  return { shares, notes };
}

const min = (minReplicasPerCluster: number) => ({ minReplicasPerCluster });
const max = (maxReplicasPerCluster: number) => ({ maxReplicasPerCluster });
const tooFew = (replicas: string): string => `${replicas} too few for minReplicasPerCluster on each cluster`;
const unplaced = (replicas: string): string => `maxReplicasPerCluster leaves ${replicas} replicas without a place`;

type Row = [total: number, weights: string, terms: Partial<Scheduling>, messages: string[], notes?: string[]];
test.each<Row>([
  [2, "a5 b1", {}, ["gets 2 of 2 replicas", "2 replicas divided by weight leave none for it"]],
  [1, "a1 b1", {}, ["gets 1 of 1 replica", "1 replica divided by weight leaves none for it"]],
  [0, "a1 b0", { ...min(2), ...max(3) }, ["gets 0 of 0 replicas", "gets 0 of 0 replicas"]],
  [
    3,
    "a3 b0",
    max(2),
    ["gets 2 of 3 replicas, its most; 1 has no place", "no weight is given for it"],
    [unplaced("1 of 3")],
  ],
  [4, "a1", max(1), ["gets 1 of 4 replicas, its most; 3 have no place"], [unplaced("3 of 4")]],
  [4, "a3 b1", max(2), ["gets 2 of 4 replicas", "gets 2 of 4 replicas"]],
  [1, "a1 b1", min(2), ["gets 1 of 1 replica", tooFew("1 replica is")], [tooFew("1 replica is")]],
  [2, "a1", min(3), ["gets 2 of 2 replicas"], [tooFew("2 replicas are")]],
  [3, "a1", min(3), ["gets 3 of 3 replicas"]],
  [6, "a1 b1", { replicaStep: 4 }, ["gets 4 of 6 replicas", "gets 2 of 6 replicas"]],
  [3, "", {}, []],
])("%i replicas by %s within %j", (total, weights, terms, messages, notes = []) => {
  const got = share(total, weights, terms);
  expect(got.shares.map(({ step }) => step.message)).toEqual(messages);
  expect(got.notes).toEqual(notes);
  for (const { replicas, step } of got.shares)
    expect(step).toMatchObject({
      stage: "divide",
      name: "LargestRemainder",
      ...(replicas > 0 || total === 0 ? { fits: true, reason: "Selected" } : { fits: false, reason: "NoReplicas" }),
    });
});

test("too few for the minimum and too many for the maximum are both noted", () => {
  const { notes } = share(5, "a1 b1", { ...min(3), ...max(3) });
  expect(notes).toEqual([unplaced("2 of 5"), tooFew("5 replicas are")]);
});

test("a holder keeps its replica, and a cluster without a score gets none", () => {
  const held = share(3, "a1 b1", {}, { holds: new Map([["b", 2]]) });
  expect(held.shares.map(({ replicas }) => replicas)).toEqual([1, 2]);
  const { shares } = shareReplicas(2, [cluster("a"), cluster("b")], [scoreOf(1)], { mode: "Divided" }, {}, []);
  expect(shares.map(({ replicas }) => replicas)).toEqual([2, 0]);
});
