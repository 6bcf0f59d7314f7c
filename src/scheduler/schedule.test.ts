import { describe, expect, test } from "vitest";
import type { FieldSelector } from "../apis/index.ts";
import { schedule } from "./schedule.ts";
import { chosen, cluster, divided, NOW, placement, reasons, subject } from "./testing.ts";
import type { Decision, PlacementRules } from "./types.ts";

const inRegionX: FieldSelector = { matchExpressions: [{ key: "region", operator: "In", values: ["x"] }] };

const fleet = [
  cluster("shanghai-1", { region: "cn-shanghai", zone: "cn-shanghai-b", provider: "aliyun" }),
  cluster("shanghai-2", { region: "cn-shanghai", zone: "cn-shanghai-c", provider: "aliyun" }),
  cluster("singapore-1", { region: "ap-southeast-1", provider: "aws" }),
  cluster("frankfurt-1", { region: "eu-central-1" }),
];

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

describe("replicas", () => {
  interface Case {
    name: string;
    replicas: number;
    scheduling: Partial<PlacementRules["replicaScheduling"]>;
    want: Record<string, number>;
    none?: string[];
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
      notes: ["maxReplicasPerCluster leaves 1 of 10 replicas without a place"],
    },
  ])("$name", ({ replicas, scheduling, want, none = [], notes }) => {
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
