import { describe, expect, test } from "vitest";
import type { FieldSelector } from "../apis/index.ts";
import { schedule } from "./schedule.ts";
import { chosen, cluster, divided, fleet, NOW, placement, reasons, subject } from "./testing.ts";
import type { Decision, PlacementRules } from "./types.ts";

const inRegionX: FieldSelector = { matchExpressions: [{ key: "region", operator: "In", values: ["x"] }] };

describe("affinity", () => {
  interface Case {
    name: string;
    group: Omit<NonNullable<PlacementRules["clusterAffinities"]>[number], "name">;
    labels?: Record<string, string>;
    want: string[];
    reason?: [cluster: string, reason: string, message: string];
  }
  test.each<Case>([
    {
      name: "an empty group takes every cluster",
      group: {},
      want: ["frankfurt-1", "shanghai-1", "shanghai-2", "singapore-1"],
    },
    {
      name: "labels",
      group: { labelSelector: { matchLabels: { "topology.kubernetes.io/region": "cn-shanghai" } } },
      want: ["shanghai-1", "shanghai-2"],
      reason: ["frankfurt-1", "NotInAffinity", "its labels do not match group g"],
    },
    {
      name: "the field provider",
      group: { fieldSelector: { matchExpressions: [{ key: "provider", operator: "In", values: ["aliyun"] }] } },
      want: ["shanghai-1", "shanghai-2"],
      reason: ["frankfurt-1", "NotInAffinity", "its fields do not match group g"],
    },
    {
      name: "the field zone",
      group: { fieldSelector: { matchExpressions: [{ key: "zone", operator: "Exists" }] } },
      want: ["shanghai-1", "shanghai-2"],
    },
    {
      name: "the field region, negated",
      group: { fieldSelector: { matchExpressions: [{ key: "region", operator: "NotIn", values: ["cn-shanghai"] }] } },
      want: ["frankfurt-1", "singapore-1"],
    },
    {
      name: "the field name",
      group: { fieldSelector: { matchExpressions: [{ key: "name", operator: "In", values: ["frankfurt-1"] }] } },
      want: ["frankfurt-1"],
    },
    {
      name: "names",
      group: { clusterNames: ["frankfurt-1"] },
      want: ["frankfurt-1"],
      reason: ["shanghai-1", "NotInAffinity", "not among the clusterNames of group g"],
    },
    {
      name: "exclude wins over names",
      group: { clusterNames: ["frankfurt-1", "singapore-1"], exclude: ["singapore-1"] },
      want: ["frankfurt-1"],
      reason: ["singapore-1", "Excluded", "excluded by group g"],
    },
    {
      name: "every part must hold",
      group: {
        labelSelector: { matchLabels: { "topology.kubernetes.io/region": "cn-shanghai" } },
        fieldSelector: { matchExpressions: [{ key: "zone", operator: "In", values: ["cn-shanghai-b"] }] },
      },
      want: ["shanghai-1"],
    },
    {
      name: "the object's own region",
      group: { matchLabelKeys: ["topology.kubernetes.io/region"] },
      labels: { "topology.kubernetes.io/region": "ap-southeast-1" },
      want: ["singapore-1"],
      reason: [
        "frankfurt-1",
        "NotInAffinity",
        "label topology.kubernetes.io/region differs from the object's ap-southeast-1",
      ],
    },
    {
      name: "an object without the label goes nowhere",
      group: { matchLabelKeys: ["topology.kubernetes.io/region"] },
      want: [],
      reason: ["shanghai-1", "LabelKeyMissing", "the object has no label topology.kubernetes.io/region to match"],
    },
  ])("$name", ({ group, labels = {}, want, reason }) => {
    const decision = schedule(
      subject({ labels }),
      placement({ clusterAffinities: [{ name: "g", ...group }] }),
      fleet,
      NOW,
    );
    expect(chosen(decision)).toEqual(want);
    expect(decision.group).toBe(want.length === 0 ? undefined : "g");
    if (reason === undefined) return;
    expect(decision.verdicts).toContainEqual({
      cluster: reason[0],
      fits: false,
      reason: reason[1],
      message: reason[2],
      steps: expect.anything(),
    });
  });

  test("no group at all takes every cluster and says so", () => {
    const decision = schedule(subject(), placement(), fleet, NOW);
    expect(decision).not.toHaveProperty("group");
    expect(decision.clusters).toHaveLength(4);
    expect(decision.verdicts[0]).toMatchObject({
      cluster: "frankfurt-1",
      fits: true,
      reason: "Selected",
      message: "every cluster is allowed",
    });
  });

  test("the first group with a fitting cluster is used, and only that one", () => {
    const tainted = cluster("a", { taints: [{ key: "k", effect: "NoSchedule" }] });
    const groups = [
      { name: "primary", clusterNames: ["a"] },
      { name: "backup", clusterNames: ["b", "c"] },
      { name: "last", clusterNames: ["d"] },
    ];
    const decision = schedule(
      subject(),
      placement({ clusterAffinities: groups }),
      [tainted, cluster("b"), cluster("c"), cluster("d")],
      NOW,
    );
    expect(decision.group).toBe("backup");
    expect(chosen(decision)).toEqual(["b", "c"]);
  });

  test("when no group fits, a cluster that a group selects says why it could not take it", () => {
    const tainted = cluster("b", { taints: [{ key: "k", effect: "NoSchedule" }] });
    const groups = [
      { name: "primary", clusterNames: ["a"] },
      { name: "backup", clusterNames: ["b"] },
    ];
    const decision = schedule(subject(), placement({ clusterAffinities: groups }), [tainted, cluster("c")], NOW);
    expect(decision.clusters).toEqual([]);
    expect(reasons(decision)).toEqual({ a: "UnknownCluster", b: "TaintNotTolerated", c: "NotInAffinity" });
  });

  test("names that no cluster has get a verdict, wherever the placement gives them", () => {
    const decision = schedule(
      subject({ replicas: 2 }),
      placement({
        clusterAffinities: [{ name: "g", clusterNames: ["shanghai-1", "shangai-2"], exclude: ["tokyo"] }],
        ...divided({ weights: [{ targetClusters: { clusterNames: ["shanghai-1", "osaka"] }, weight: 1 }] }),
      }),
      fleet,
      NOW,
    );
    expect(reasons(decision)).toMatchObject({
      "shangai-2": "UnknownCluster",
      tokyo: "UnknownCluster",
      osaka: "UnknownCluster",
    });
    expect(chosen(decision)).toEqual(["shanghai-1"]);
    const names = decision.verdicts.map((verdict) => verdict.cluster);
    expect(names).toEqual(names.toSorted());
    expect(decision.verdicts.find((verdict) => verdict.cluster === "tokyo")).toStrictEqual({
      cluster: "tokyo",
      fits: false,
      reason: "UnknownCluster",
      message: "the placement names it, and no such cluster is known",
      steps: [],
    });
  });

  test("a cluster that is being deleted takes nothing and keeps nothing", () => {
    const decision = schedule(
      subject({ current: new Map([["a", 1]]) }),
      placement(),
      [cluster("a", { deleting: true }), cluster("b")],
      NOW,
    );
    expect(reasons(decision)).toEqual({ a: "ClusterDeleting", b: "Selected" });
    expect(chosen(decision)).toEqual(["b"]);
  });

  test("a cluster of which nobody has said yet how it is to leave takes nothing new and keeps what it has", () => {
    const clusters = [cluster("a", { undecided: true }), cluster("b")];
    const there = schedule(subject({ current: new Map([["a", 1]]) }), placement(), clusters, NOW);
    expect(chosen(there)).toEqual(["a", "b"]);
    const elsewhere = schedule(subject({ current: new Map([["b", 1]]) }), placement(), clusters, NOW);
    expect(reasons(elsewhere)).toEqual({ a: "ClusterDeleting", b: "Selected" });
  });

  test("no clusters at all is a decision without clusters", () => {
    expect(schedule(subject({ replicas: 3 }), placement(divided()), [], NOW)).toEqual({ clusters: [], verdicts: [] });
  });
});

describe("the steps of a verdict", () => {
  const steps = (decision: Decision, name: string): string[] =>
    decision.verdicts
      .find((verdict) => verdict.cluster === name)
      ?.steps.map(({ stage, name: asked, fits, reason }) => `${stage} ${asked} ${fits ? "yes" : "no"} ${reason}`) ?? [];

  test("hold every filter's answer, also after the first refusal", () => {
    const clusters = [
      cluster("a", { deleting: true, taints: [{ key: "k", effect: "NoSchedule" }] }),
      cluster("b", { taints: [{ key: "k", effect: "NoExecute" }] }),
      cluster("c"),
    ];
    const rules = placement({ clusterAffinities: [{ name: "g", exclude: ["a"] }] });
    const decision = schedule(subject(), rules, clusters, NOW);
    expect(steps(decision, "a")).toEqual([
      "filter Affinity no Excluded",
      "filter ClusterLifecycle no ClusterDeleting",
      "filter TaintToleration no TaintNotTolerated",
    ]);
    expect(steps(decision, "b")).toEqual([
      "filter Affinity yes InAffinity",
      "filter ClusterLifecycle yes ClusterStays",
      "filter TaintToleration no TaintNotTolerated",
    ]);
    expect(steps(decision, "c")).toEqual([
      "filter Affinity yes InAffinity",
      "filter ClusterLifecycle yes ClusterStays",
      "filter TaintToleration yes TaintsTolerated",
      "select FirstFittingGroup yes Selected",
    ]);
    expect(reasons(decision)).toEqual({ a: "Excluded", b: "TaintNotTolerated", c: "Selected" });
  });

  test("hold the weight and the share where replicas are divided", () => {
    const weights = [
      { targetClusters: { clusterNames: ["a"] }, weight: 3 },
      { targetClusters: { clusterNames: ["b"] }, weight: 1 },
    ];
    const rules = placement(divided({ weights }));
    const { verdicts } = schedule(subject({ replicas: 4 }), rules, [cluster("a"), cluster("b"), cluster("c")], NOW);
    const later = verdicts.map((verdict) => verdict.steps.filter(({ stage }) => stage !== "filter"));
    expect(later.map((list) => list.map(({ stage }) => stage))).toEqual(Array(3).fill(["score", "select", "divide"]));
    expect(later.map((list) => list[0]?.score)).toEqual([3, 1, 0]);
    expect(later.map((list) => list[2]?.message)).toEqual([
      "gets 3 of 4 replicas",
      "gets 1 of 4 replicas",
      "no weight is given for it",
    ]);
    expect(verdicts[2]).toMatchObject({ fits: false, reason: "NoReplicas", message: "no weight is given for it" });
  });

  test("are those of the group that decided", () => {
    const groups = [
      { name: "primary", clusterNames: ["a"] },
      { name: "backup", clusterNames: ["b"] },
    ];
    const tainted = cluster("a", { taints: [{ key: "k", effect: "NoSchedule" }] });
    const decision = schedule(subject(), placement({ clusterAffinities: groups }), [tainted, cluster("b")], NOW);
    const affinity = decision.verdicts.map((verdict) => verdict.steps[0]?.message);
    expect(affinity).toEqual(["not among the clusterNames of group backup", "group backup selects it"]);
  });

  test("are one value for clusters that were answered alike", () => {
    const many = Array.from({ length: 100 }, (_, i) => cluster(`c${i}`, { region: i % 2 === 0 ? "x" : "y" }));
    const group = { name: "g", fieldSelector: inRegionX };
    const { verdicts } = schedule(subject(), placement({ clusterAffinities: [group] }), many, NOW);
    expect(new Set(verdicts.map((verdict) => verdict.steps)).size).toBe(2);
  });
});
