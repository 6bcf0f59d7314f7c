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
      name: "what is being removed is not kept",
      given: { previous: running(["shanghai-1"], placedBy("gone"), "Removing") },
      want: { scheduled: "False NoPlacement", clusters: [], rows: [] },
    },
    {
      name: "no cluster fits: kept where it is",
      given: { placements: [nowhere], previous: running(["shanghai-1"], placedBy("nowhere")) },
      want: { scheduled: "False NoClusterFits", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
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
    {
      name: "nothing to choose from",
      given: { placements: [everywhere], clusters: [] },
      message:
        "no cluster fits: there is none; join one with `meridian join NAME --region REGION --member-kubeconfig FILE`",
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
      name: "suspended",
      given: { placements: [placement("p", { suspend: true })], previous: running(["shanghai-1"]) },
      message: "Placement p is suspended; it is kept as it is on 1 cluster",
    },
  ])("says: $name", ({ given, message }) => {
    const result = targetOf(given);
    expect(conditionMessage(result.scheduled.message)).toBe(message);
    expect(result.suspended).toBe(message.includes("is suspended"));
  });

  describe("is the default's", () => {
    const condition = (type: string, reason: string) => ({
      conditions: [{ type, status: "False" as const, reason, message: "", lastTransitionTime: "" }],
    });
    test.each<[string, Partial<Snapshot>, string]>([
      ["when it runs on local clusters alone", { previous: running(["hub"]) }, "True DefaultPlacement"],
      ["not when it runs elsewhere too", { previous: running(["hub", "shanghai-1"]) }, "False NoPlacement"],
      [
        "whatever other conditions say",
        { previous: running(["hub"], condition("Applied", "NoPlacement")) },
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
