import { describe, expect, test } from "vitest";
import type { Taint, Toleration } from "../../apis/index.ts";
import { cluster, placement, subject } from "../testing.ts";
import type { PlacementRules, Step, Subject } from "../types.ts";
import { preferences } from "./preferences.ts";

type Entry = NonNullable<PlacementRules["clusterPreferences"]>[number];

const prefers = (weight: number, ...clusterNames: string[]): Entry => ({ targetClusters: { clusterNames }, weight });
const avoided = (key: string, effect: Taint["effect"] = "PreferNoSchedule"): Taint => ({ key, effect });
const said = (score: number, reason: string, message: string): { score: number; step: Step } => ({
  score,
  step: { stage: "score", name: "ClusterPreferences", fits: true, reason, message, score },
});

describe("how much a cluster is preferred", () => {
  interface Case {
    name: string;
    entries?: Entry[];
    taints?: Taint[];
    tolerations?: Toleration[];
    want: ReturnType<typeof said> | { score: number };
  }
  test.each<Case>([
    { name: "nothing is said where nothing is preferred", want: { score: 0 } },
    {
      name: "nothing is said of taints that keep objects away",
      taints: [avoided("k", "NoSchedule"), avoided("k", "NoExecute")],
      want: { score: 0 },
    },
    {
      name: "nothing is said of a taint that is tolerated",
      taints: [avoided("k")],
      tolerations: [{ key: "k", operator: "Exists" }],
      want: { score: 0 },
    },
    {
      name: "no preference takes it",
      entries: [prefers(7, "b")],
      want: said(0, "NotPreferred", "no preference takes it"),
    },
    { name: "one takes it", entries: [prefers(7, "a", "b")], want: said(7, "Preferred", "a preference takes it") },
    {
      name: "several take it, and their weights are added",
      entries: [prefers(7, "a"), prefers(90, "b"), prefers(-3, "a")],
      want: said(4, "Preferred", "2 preferences take it"),
    },
    {
      name: "several take it, and come to nothing",
      entries: [prefers(5, "a"), prefers(-5, "a")],
      want: said(0, "Preferred", "2 preferences take it"),
    },
    {
      name: "a taint takes off as much as the largest weight adds",
      taints: [avoided("k")],
      want: said(-100, "NotPreferred", "no preference takes it; a taint prefers other clusters"),
    },
    {
      name: "each taint that nobody tolerates does",
      taints: [avoided("k"), avoided("l"), avoided("m")],
      tolerations: [
        { key: "x", operator: "Exists" },
        { key: "l", operator: "Exists" },
      ],
      want: said(-200, "NotPreferred", "no preference takes it; a taint prefers other clusters"),
    },
    {
      name: "preferences and taints are added up",
      entries: [prefers(30, "a")],
      taints: [avoided("k")],
      want: said(-70, "Preferred", "a preference takes it; a taint prefers other clusters"),
    },
  ])("$name", ({ entries, taints = [], tolerations, want }) => {
    const rules = placement({
      ...(entries === undefined ? {} : { clusterPreferences: entries }),
      ...(tolerations === undefined ? {} : { tolerations }),
    });
    expect(preferences(rules, subject())(cluster("a", { taints }))).toStrictEqual(want);
  });

  test("may depend on the labels of the object", () => {
    const rules = placement({ clusterPreferences: [{ targetClusters: { matchLabelKeys: ["tier"] }, weight: 7 }] });
    const scoreFor = (who: Partial<Subject>): number =>
      preferences(rules, subject(who))(cluster("a", { labels: { tier: "web" } })).score;
    expect(scoreFor({ labels: { tier: "web" } })).toBe(7);
    expect(scoreFor({ labels: { tier: "db" } })).toBe(0);
    expect(scoreFor({})).toBe(0);
  });
});

test("clusters of which the same is said share it, and others do not", () => {
  const entries = [prefers(10, "a", "b"), prefers(4, "c", "d"), prefers(6, "c", "d"), prefers(110, "e")];
  const of = preferences(placement({ clusterPreferences: entries }), subject());
  const at = (name: string, ...keys: string[]) => of(cluster(name, { taints: keys.map((key) => avoided(key)) }));
  expect(at("a")).toBe(at("b"));
  expect(at("c")).toBe(at("d"));
  expect(at("x")).toBe(at("y"));
  expect(at("x", "k")).toBe(at("y", "l"));
  // All of these come to ten, or to none, each by another way.
  expect([at("a"), at("c"), at("e", "k")].map(({ score, step }) => [score, step?.message])).toEqual([
    [10, "a preference takes it"],
    [10, "2 preferences take it"],
    [10, "a preference takes it; a taint prefers other clusters"],
  ]);
  expect([at("x"), at("x", "k"), at("x", "k", "l")].map(({ score }) => score)).toEqual([0, -100, -200]);
});
