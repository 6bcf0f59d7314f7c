import { conditionMessage } from "../../apis/index.ts";
import { describe, expect, test } from "vitest";
import {
  app,
  clusterPlacement,
  frankfurt,
  hub,
  NOW,
  overrides,
  placedBy,
  placement,
  rows,
  running,
  scheduled,
  shanghai,
  singapore,
  targetOf,
  verbs,
} from "../testing/builders.ts";
import type { Snapshot } from "../snapshot.ts";

describe("where it goes", () => {
  const everywhere = placement("everywhere");
  const nowhere = placement("nowhere", { clusterAffinities: [{ name: "g", clusterNames: ["atlantis"] }] });
  const taken = (...names: string[]): string[] =>
    names.flatMap((name) => [`Hold ${name} Deployment/nginx-demo`, `Hold ${name} Service/nginx-demo`]);

  test.each<{
    name: string;
    given: Partial<Snapshot>;
    want: { scheduled: string; clusters: string[]; rows: string[] | "apply" };
  }>([
    {
      name: "no policy, no local cluster: nowhere",
      given: {},
      want: { scheduled: "False NoPlacement", clusters: [], rows: [] },
    },
    {
      name: "no policy: the local cluster",
      given: { clusters: [shanghai, hub] },
      want: { scheduled: "True DefaultPlacement", clusters: ["hub"], rows: "apply" },
    },
    {
      name: "still under the default",
      given: { clusters: [shanghai, hub], previous: running(["hub"]) },
      want: { scheduled: "True DefaultPlacement", clusters: ["hub"], rows: "apply" },
    },
    {
      name: "the policy is gone: kept where it is",
      given: { clusters: [shanghai, singapore, hub], previous: running(["shanghai-1"], placedBy("gone")) },
      want: { scheduled: "False NoPlacement", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
    },
    {
      name: "the policy is gone and so is its name from the status: still kept",
      given: { clusters: [shanghai, hub], previous: running(["shanghai-1"], {}, "Held") },
      want: { scheduled: "False NoPlacement", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
    },
    {
      name: "a policy had placed it on the hub: kept, and not the default's",
      given: { clusters: [hub], previous: running(["hub"], placedBy("gone")) },
      want: { scheduled: "False NoPlacement", clusters: ["hub"], rows: taken("hub") },
    },
    {
      name: "and it stays so after the status has said it",
      given: {
        clusters: [hub],
        previous: running(
          ["hub"],
          {
            conditions: [
              { type: "Scheduled", status: "False", reason: "NoPlacement", message: "", lastTransitionTime: "" },
            ],
          },
          "Held",
        ),
      },
      want: { scheduled: "False NoPlacement", clusters: ["hub"], rows: taken("hub") },
    },
    {
      name: "what is being removed is not kept",
      given: { previous: running(["shanghai-1"], placedBy("gone"), "Removing") },
      want: { scheduled: "False NoPlacement", clusters: [], rows: [] },
    },
    {
      name: "seen on a cluster that the status does not name: kept",
      given: { previous: undefined, running: new Set(["shanghai-1"]) },
      want: { scheduled: "False NoPlacement", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
    },
    {
      name: "clusters that the status only counts are kept",
      given: {
        previous: {
          summary: [
            { region: "cn-shanghai", clusters: 1, replicas: { desired: 1, updated: 1, ready: 1, available: 1 } },
          ],
        },
      },
      want: { scheduled: "False NoPlacement", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
    },
    {
      name: "no cluster fits: kept where it is",
      given: { placements: [nowhere], previous: running(["shanghai-1"], placedBy("nowhere")) },
      want: { scheduled: "False NoClusterFits", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
    },
    {
      name: "no cluster fits and it runs nowhere",
      given: { placements: [nowhere] },
      want: { scheduled: "False NoClusterFits", clusters: [], rows: [] },
    },
    {
      name: "there are no clusters",
      given: { placements: [everywhere], clusters: [] },
      want: { scheduled: "False NoClusterFits", clusters: [], rows: [] },
    },
    {
      name: "a cluster that is being deleted is not kept",
      given: { placements: [nowhere], clusters: [{ ...shanghai, deleting: true }], previous: running(["shanghai-1"]) },
      want: { scheduled: "False NoClusterFits", clusters: [], rows: [] },
    },
    {
      name: "a cluster that is being deleted gets nothing",
      given: { placements: [everywhere], clusters: [{ ...shanghai, deleting: true }, singapore] },
      want: { scheduled: "True ClustersSelected", clusters: ["singapore-1"], rows: "apply" },
    },
    {
      name: "suspended: what runs is frozen, new clusters get nothing",
      given: { placements: [placement("p", { suspend: true })], previous: running(["shanghai-1"], placedBy("p")) },
      want: { scheduled: "True Suspended", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
    },
    {
      name: "suspended before it ran anywhere",
      given: { placements: [placement("p", { suspend: true })] },
      want: { scheduled: "False Suspended", clusters: [], rows: [] },
    },
  ])("$name", ({ given, want }) => {
    const result = targetOf(given);
    expect(scheduled(result)).toBe(want.scheduled);
    expect(result.clusters.map(({ name }) => name)).toEqual(want.clusters);
    if (want.rows === "apply") expect(verbs(result)).toEqual(["Apply"]);
    else expect(rows(result)).toEqual(want.rows);
    expect(result.clusters.every(({ frozen }) => frozen === (want.rows !== "apply"))).toBe(true);
  });

  const taint = { key: "m", effect: "NoSchedule" as const };
  const tainted = (one: typeof shanghai) => ({ ...one, taints: [taint] });
  test.each<{ name: string; given: Partial<Snapshot>; message: string }>([
    { name: "no policy", given: {}, message: "no placement selects it; create a Placement that does" },
    {
      name: "no policy any more",
      given: { previous: running(["shanghai-1", "singapore-1"], placedBy("gone")) },
      message: "no placement selects it; it is kept as it is on 2 clusters: create a Placement that does, or delete it",
    },
    {
      name: "the default",
      given: { clusters: [shanghai, hub, { ...hub, name: "second" }] },
      message: "no placement selects it; it runs on the local cluster hub, second",
    },
    { name: "all chosen", given: { placements: [everywhere] }, message: "3 of 3 clusters selected" },
    {
      name: "the only one chosen",
      given: { placements: [everywhere], clusters: [shanghai] },
      message: "1 of 1 cluster selected",
    },
    {
      name: "nothing to choose from",
      given: { placements: [everywhere], clusters: [] },
      message:
        "no cluster fits: there is none; join one with `meridian join NAME --region REGION --member-kubeconfig FILE`",
    },
    {
      name: "nothing but unknown clusters",
      given: { placements: [nowhere], clusters: [] },
      message: "no cluster fits: unknown cluster atlantis",
    },
    {
      name: "nothing but several unknown clusters",
      given: {
        placements: [placement("p", { clusterAffinities: [{ name: "g", clusterNames: ["atlantis", "lemuria"] }] })],
        clusters: [],
      },
      message: "no cluster fits: unknown clusters atlantis, lemuria",
    },
    {
      name: "an unknown cluster beside others",
      given: { placements: [nowhere] },
      message: "no cluster fits (unknown cluster atlantis): not among the clusterNames of group g (3 of 3 clusters)",
    },
    {
      name: "a cluster that is named and cannot be had, beside others that are not named",
      given: {
        placements: [placement("p", { clusterAffinities: [{ name: "g", clusterNames: ["shanghai-1"] }] })],
        clusters: [tainted(shanghai), singapore, frankfurt],
      },
      message: "no cluster fits: taint m:NoSchedule is not tolerated (1 of 3 clusters)",
    },
    {
      name: "a reason that is so long that how many clusters have it gives way",
      given: {
        placements: [placement("p", { clusterAffinities: [{ name: "g".repeat(40), clusterNames: ["atlantis"] }] })],
        previous: running(["shanghai-1"]),
      },
      message: `not among the clusterNames of group ${"g".repeat(23)}… (3 of 3 clusters); it is kept as it is on 1 cluster`,
    },
    {
      name: "chosen since it runs there",
      given: { placements: [everywhere], clusters: [tainted(shanghai)], previous: running(["shanghai-1"]) },
      message: "1 of 1 cluster selected",
    },
    {
      name: "no cluster fits any more",
      given: {
        placements: [placement("p", { clusterAffinities: [{ name: "g", exclude: ["shanghai-1"] }] })],
        clusters: [shanghai],
        previous: running(["shanghai-1"]),
      },
      message: "no cluster fits: excluded by group g (1 of 1 cluster); it is kept as it is on 1 cluster",
    },
    {
      name: "the reason of most clusters",
      given: {
        placements: [placement("p", { clusterAffinities: [{ name: "g", exclude: ["shanghai-1"] }] })],
        clusters: [shanghai, tainted(singapore), tainted(frankfurt)],
      },
      message: "no cluster fits: taint m:NoSchedule is not tolerated (2 of 3 clusters)",
    },
    {
      name: "what keeps it from a cluster before what the author excluded",
      given: {
        placements: [placement("p", { clusterAffinities: [{ name: "g", exclude: ["singapore-1"] }] })],
        clusters: [tainted(shanghai), singapore],
      },
      message: "no cluster fits: taint m:NoSchedule is not tolerated (1 of 2 clusters)",
    },
    {
      name: "suspended by a placement of a long name",
      given: { placements: [placement("p".repeat(253), { suspend: true })], previous: running(["shanghai-1"]) },
      message: `Placement ${"p".repeat(23)}… is suspended; it is kept as it is on 1 cluster`,
    },
    {
      name: "suspended before it ran",
      given: { placements: [placement("p", { suspend: true })] },
      message: "Placement p is suspended, and it runs nowhere yet",
    },
    {
      name: "suspended",
      given: { placements: [placement("p", { suspend: true })], previous: running(["shanghai-1"]) },
      message: "Placement p is suspended; it is kept as it is on 1 cluster",
    },
  ])("says: $name", ({ given, message }) => {
    const result = targetOf(given);
    expect(conditionMessage(result.scheduled.message)).toBe(message);
    expect(result.suspended).toBe(message.includes("is suspended"));
  });

  test("without a policy every cluster says so", () => {
    const { decision } = targetOf({ clusters: [shanghai, singapore] });
    expect(decision).toStrictEqual({
      clusters: [],
      verdicts: ["shanghai-1", "singapore-1"].map((name) => ({
        cluster: name,
        fits: false,
        reason: "NoPlacement",
        message: "no placement selects it",
        steps: [],
      })),
    });
  });

  const keptOn = (given: Partial<Snapshot>): string[] => targetOf(given).clusters.map(({ name }) => name);

  test("what is seen there is kept, but for what is being removed", () => {
    const seen = new Set(["shanghai-1", "singapore-1"]);
    expect(keptOn({ previous: running(["shanghai-1"], {}, "Removing"), running: seen })).toEqual(["singapore-1"]);
    expect(keptOn({ previous: running(["frankfurt-1"]), running: seen })).toEqual([
      "frankfurt-1",
      "shanghai-1",
      "singapore-1",
    ]);
  });

  test("a copy that goes only once the object has arrived elsewhere is kept", () => {
    const [entry] = running(["shanghai-1"], {}, "Removing").clusters ?? [];
    if (entry === undefined) throw new Error("the status names no cluster");
    const previous = { ...placedBy("gone"), clusters: [{ ...entry, reason: "AwaitingReplacement" }] };
    expect(keptOn({ previous })).toEqual(["shanghai-1"]);
    expect(keptOn({ previous: { ...previous, clusters: [{ ...entry, reason: "ClusterNotSynced" }] } })).toEqual([]);
  });

  test("clusters of a region that the status only counts are kept, but for those that it is being removed from", () => {
    const counts = { desired: 1, updated: 1, ready: 1, available: 1 };
    const { region: _region, ...somewhere } = shanghai;
    const summary = [{ region: "", clusters: 1, replicas: counts }];
    expect(keptOn({ previous: { summary }, clusters: [somewhere, singapore] })).toEqual(["shanghai-1"]);
    expect(
      keptOn({ previous: { ...running(["shanghai-1"], {}, "Removing"), summary }, clusters: [somewhere, singapore] }),
    ).toEqual([]);
  });

  describe("is the default's", () => {
    const condition = (type: string, reason: string) => ({
      conditions: [{ type, status: "False" as const, reason, message: "", lastTransitionTime: "" }],
    });
    test.each<[string, Partial<Snapshot>, string]>([
      ["when it runs on local clusters alone", { previous: running(["hub"]) }, "True DefaultPlacement"],
      ["also before a status says so", { running: new Set(["hub"]) }, "True DefaultPlacement"],
      ["not when it runs elsewhere too", { previous: running(["hub", "shanghai-1"]) }, "False NoPlacement"],
      [
        "whatever other conditions say",
        { previous: running(["hub"], condition("Applied", "NoPlacement")) },
        "True DefaultPlacement",
      ],
      [
        "whatever else was the reason",
        { previous: running(["hub"], condition("Scheduled", "NoClusterFits")) },
        "True DefaultPlacement",
      ],
    ])("%s", (_when, given, want) => {
      expect(scheduled(targetOf({ clusters: [shanghai, hub], ...given }))).toBe(want);
    });
  });

  test("says which named cluster is unknown while the others go on", () => {
    const result = targetOf({
      placements: [placement("p", { clusterAffinities: [{ name: "g", clusterNames: ["shanghai-1", "atlantis"] }] })],
    });
    expect(result.scheduled).toEqual({
      status: "True",
      reason: "ClustersSelected",
      message: "1 of 3 clusters selected; unknown cluster atlantis",
    });
    expect(result.decision.verdicts.find((v) => v.cluster === "atlantis")?.reason).toBe("UnknownCluster");
  });

  test("says to whoever owns the object which replicas have no place", () => {
    const replicaScheduling = { mode: "Divided" as const, maxReplicasPerCluster: 1 };
    const { scheduled: said } = targetOf({
      object: app({ replica: 5 }),
      placements: [placement("p", { replicaScheduling })],
    });
    expect(said.message).toBe("3 of 3 clusters selected; maxReplicasPerCluster leaves 2 of 5 replicas without a place");
  });

  test("a frozen cluster keeps the replicas it was asked for, whatever overrides say", () => {
    const result = targetOf({
      placements: [placement("p", { suspend: true })],
      overrides: [overrides("o", { replicas: 99 })],
      previous: running(["shanghai-1"], placedBy("p")),
    });
    expect(result.clusters).toMatchObject([{ name: "shanghai-1", replicas: 7, frozen: true }]);
    expect(result.overrides).toEqual([]);
  });

  test("names the policy and hands on when to plan again", () => {
    const timeAdded = new Date(NOW - 1000).toISOString();
    const tolerations = [
      { key: "m", operator: "Exists" as const, effect: "NoExecute" as const, tolerationSeconds: 60 },
    ];
    const result = targetOf({
      placements: [clusterPlacement("c", { tolerations })],
      clusters: [{ ...shanghai, taints: [{ key: "m", effect: "NoExecute", timeAdded }] }],
    });
    expect(result.placement).toEqual({ kind: "ClusterPlacement", name: "c" });
    expect(result.recheckAt).toBe(NOW + 59_000);
  });
});
