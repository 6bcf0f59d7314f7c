import { describe, expect, test } from "vitest";
import { cluster, subject } from "../testing.ts";
import type { PlacementRules } from "../types.ts";
import { type Score, staticWeight } from "./staticWeight.ts";

type Scheduling = PlacementRules["replicaScheduling"];

const said = (weight: number, message: string): Score => ({
  weight,
  step: { stage: "score", name: "StaticWeight", fits: true, reason: "Weighted", message, score: weight },
});
const weighing = (weights?: Scheduling["weights"], labels = {}) =>
  staticWeight({ mode: "Divided", ...(weights === undefined ? {} : { weights }) }, subject({ labels }));
const gives = (weight: number, ...clusterNames: string[]) => ({ targetClusters: { clusterNames }, weight });

describe("the weight of a cluster", () => {
  const even = said(1, "no weights count: every cluster weighs the same");
  test.each<[string, Scheduling["weights"], Score]>([
    ["is that of every other where none is given", undefined, even],
    ["is that of every other where the list is empty", [], even],
    ["is what the entry says that takes it", [gives(9, "b"), gives(7, "a", "b")], said(7, "weight 7")],
    ["is what the first of two entries says", [gives(3, "a"), gives(7, "a")], said(3, "weight 3")],
    ["is none where an entry says so", [gives(0, "a"), gives(7, "a")], said(0, "weight 0")],
    ["is none where no entry takes it", [gives(9, "b")], said(0, "no weight is given for it")],
  ])("%s", (_what, weights, want) => expect(weighing(weights)(cluster("a"))).toStrictEqual(want));

  test("may depend on the labels of the object", () => {
    const weights = [{ targetClusters: { matchLabelKeys: ["tier"] }, weight: 7 }];
    const web = cluster("a", { labels: { tier: "web" } });
    expect(weighing(weights, { tier: "web" })(web).weight).toBe(7);
    expect(weighing(weights, { tier: "db" })(web).weight).toBe(0);
  });

  test("is one value for clusters that weigh the same", () => {
    const alike = weighing();
    expect(alike(cluster("a"))).toBe(alike(cluster("b")));
    const of = weighing([gives(3, "a", "b")]);
    expect(of(cluster("a"))).toBe(of(cluster("b")));
    expect(of(cluster("x"))).toBe(of(cluster("y")));
  });
});
