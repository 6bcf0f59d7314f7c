import { describe, expect, test } from "vitest";
import {
  clusterPlacement,
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
} from "./testdata/builders.ts";
import type { Snapshot } from "./types.ts";

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
    expect(result.scheduled.message.length).toBeLessThanOrEqual(120);
    expect(result.clusters.map(({ name }) => name)).toEqual(want.clusters);
    if (want.rows === "apply") expect(verbs(result)).toEqual(["Apply"]);
    else expect(rows(result)).toEqual(want.rows);
    expect(result.clusters.every(({ frozen }) => frozen === (want.rows !== "apply"))).toBe(true);
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
