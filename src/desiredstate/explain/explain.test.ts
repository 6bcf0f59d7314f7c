import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { Snapshot } from "../snapshot.ts";
import {
  cluster,
  inRegion,
  NOW,
  overrides,
  placement,
  running,
  shanghai,
  singapore,
  snapshot,
} from "../testing/builders.ts";
import { explain } from "./explain.ts";

const asia = placement("asia", { clusterAffinities: [{ name: "asia", clusterNames: ["shanghai-1", "singapore-1"] }] });
const tainted = cluster("frankfurt-1", "eu-central-1", { taints: [{ key: "maintenance", effect: "NoSchedule" }] });

describe("explain", () => {
  test("tells all that would have to change for a cluster, and nothing for a chosen one", () => {
    const { clusters } = explain(snapshot({ placements: [asia], clusters: [shanghai, singapore, tainted] }), NOW);
    const [frankfurt, ...chosen] = clusters;
    expect(frankfurt?.remedies).toHaveLength(2);
    expect(frankfurt?.remedies.join()).toMatch(/asia.*toleration/s);
    expect(chosen.flatMap(({ remedies }) => remedies)).toEqual([]);
  });

  test("says of an override that others set anew wherever it applies which they are", () => {
    const lost = overrides("a", { replicas: 9 });
    const wins = overrides("b", { replicas: 2 });
    const last = overrides("c", { targetClusters: inRegion("cn-shanghai"), replicas: 4 });
    const { overrides: order } = explain(
      snapshot({ placements: [asia], overrides: [lost, wins, last], clusters: [shanghai, singapore] }),
      NOW,
    );
    expect(order.map(({ policy, applies, because }) => [policy.name, applies, because])).toEqual([
      ["a", false, "OverridePolicy b (on shanghai-1 c) applies later and sets all of it anew"],
      ["b", true, undefined],
      ["c", true, undefined],
    ]);
  });

  test("tells the stages of a rollout, and clusters that none takes", () => {
    const staged = placement("asia", {
      rollout: { stages: [{ name: "canary", targetClusters: { clusterNames: ["singapore-1"] } }] },
    });
    const { stages, stageProblems, clusters } = explain(
      snapshot({ placements: [staged], clusters: [shanghai, singapore] }),
      NOW,
    );
    expect({ stages, stageProblems }).toEqual({
      stages: ["canary"],
      stageProblems: ["no stage takes shanghai-1: its turn comes last"],
    });
    expect(clusters.map(({ name, stage }) => [name, stage])).toEqual([
      ["shanghai-1", undefined],
      ["singapore-1", "canary"],
    ]);
  });
});

const answer = (more: Partial<Snapshot>) => explain(snapshot({ clusters: [shanghai, singapore], ...more }), NOW);

describe("an explanation", () => {
  test("holds what there is to say, and no more", () => {
    const plain = answer({ placements: [placement("p", { clusterAffinities: [{ name: "g" }] })] });
    expect({ ...plain, clusters: plain.clusters.map(({ steps: _, ...one }) => one) }).toStrictEqual({
      object: { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "nginx-demo" },
      placement: { kind: "Placement", namespace: "default", name: "p", priority: 0 },
      passedOver: [],
      scheduled: { status: "True", reason: "ClustersSelected", message: "2 of 2 clusters selected" },
      group: "g",
      division: { mode: "Duplicated", asked: 2, given: 4 },
      notes: [],
      overrides: [],
      clusters: ["shanghai-1", "singapore-1"].map((name) => ({
        name,
        region: name === "shanghai-1" ? "cn-shanghai" : "ap-southeast-1",
        chosen: true,
        reason: "Selected",
        message: "in group g",
        replicas: 2,
        remedies: [],
        overrides: [],
      })),
    });
  });

  test("names the state that the status has, and no region where the cluster has none", () => {
    const nowhere = cluster("nowhere", "");
    delete (nowhere as Partial<typeof nowhere>).region;
    const { clusters } = answer({
      clusters: [nowhere, shanghai],
      placements: [placement("p")],
      previous: running(["shanghai-1"], {}, "Degraded"),
    });
    expect(clusters.map(({ name, region, state }) => [name, region, state])).toEqual([
      ["nowhere", undefined, undefined],
      ["shanghai-1", "cn-shanghai", "Degraded"],
    ]);
    expect(clusters[0]).not.toHaveProperty("region");
    expect(clusters[0]).not.toHaveProperty("state");
  });

  test("says when a group that comes first is returned to", () => {
    const clusterAffinities = ["shanghai-1", "singapore-1"].map((name) => ({
      name: `on ${name}`,
      clusterNames: [name],
    }));
    const back = { ...shanghai, ready: { status: "True" as const, since: Date.parse("2026-11-22T08:00:00Z") } };
    const { group, returning } = explain(
      snapshot({
        clusters: [back, singapore],
        placements: [placement("p", { clusterAffinities, failover: { returnAfter: "10m" } })],
        previous: running(["singapore-1"]),
      }),
      Date.parse("2026-11-22T08:01:00Z"),
    );
    expect([group, returning]).toEqual(["on singapore-1", { group: "on shanghai-1", at: "2026-11-22T08:10:00Z" }]);
  });

  test("gives the strategy only of replicas that are divided, and nothing of what has no replicas", () => {
    const divided = (mode: "Divided" | "Duplicated") =>
      answer({ placements: [placement("p", { replicaScheduling: { mode, strategy: "Weighted" } } as object)] })
        .division;
    expect(divided("Divided")).toStrictEqual({ mode: "Divided", strategy: "Weighted", asked: 2, given: 2 });
    expect(divided("Duplicated")).toStrictEqual({ mode: "Duplicated", asked: 2, given: 4 });
    const configMap: KubeObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", namespace: "default", uid: "u", managedFields: [] },
      data: {},
    };
    const policy = placement("p", { resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap" }] });
    expect(answer({ object: configMap, placements: [policy] })).not.toHaveProperty("division");
  });
});
