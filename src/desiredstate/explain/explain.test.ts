import { describe, expect, test } from "vitest";
import { explain } from "./explain.ts";
import {
  app,
  cluster,
  clusterPlacement,
  inRegion,
  NOW,
  overrides,
  placement,
  running,
  shanghai,
  singapore,
  snapshot,
} from "../testing/builders.ts";
import { computeTarget } from "../target/target.ts";

const asia = placement("asia", { clusterAffinities: [{ name: "asia", clusterNames: ["shanghai-1", "singapore-1"] }] });
const tainted = cluster("frankfurt-1", "eu-central-1", { taints: [{ key: "maintenance", effect: "NoSchedule" }] });

describe("explain", () => {
  test("answers for every cluster, with every step", () => {
    const { clusters } = explain(snapshot({ placements: [asia], clusters: [shanghai, singapore, tainted] }), NOW);
    expect(clusters.map(({ name, chosen, reason }) => [name, chosen, reason])).toEqual([
      ["frankfurt-1", false, "NotInAffinity"],
      ["shanghai-1", true, "Selected"],
      ["singapore-1", true, "Selected"],
    ]);
    for (const { steps } of clusters) expect(steps.length).toBeGreaterThan(2);
  });

  test("tells all that would have to change for a cluster, and nothing for a chosen one", () => {
    const { clusters } = explain(snapshot({ placements: [asia], clusters: [shanghai, singapore, tainted] }), NOW);
    const [frankfurt, ...chosen] = clusters;
    expect(frankfurt?.remedies).toHaveLength(2);
    expect(frankfurt?.remedies.join()).toMatch(/asia.*toleration/s);
    expect(chosen.flatMap(({ remedies }) => remedies)).toEqual([]);
  });

  test("names the policies that another one goes before, and why", () => {
    const { placement: chosen, passedOver } = explain(
      snapshot({ placements: [clusterPlacement("all", { priority: 5 }), asia] }),
      NOW,
    );
    expect(chosen).toEqual({ kind: "ClusterPlacement", name: "all", priority: 5 });
    expect(passedOver).toEqual([
      { policy: { kind: "Placement", namespace: "default", name: "asia" }, because: "priority 5 goes before 0" },
    ]);
  });

  test("tells which override sets which field, in order, and who has the last word", () => {
    const first = overrides("a", { labels: { team: "web" }, image: { registry: "a.example.com" }, replicas: 3 });
    const second = overrides("b", {
      targetClusters: inRegion("cn-shanghai"),
      replicas: 5,
      patches: [{ kind: "Service", op: "replace", path: "/spec/type", value: "LoadBalancer" }],
    });
    const idle = overrides("c", { targetClusters: inRegion("nowhere"), replicas: 9 });
    const { overrides: order, clusters } = explain(
      snapshot({ placements: [asia], overrides: [second, idle, first] }),
      NOW,
    );
    expect(order.map(({ policy, applies }) => [policy.name, applies])).toEqual([
      ["a", true],
      ["b", true],
      ["c", false],
    ]);
    const there = clusters.find(({ name }) => name === "shanghai-1");
    expect(there?.replicas).toBe(5);
    const fields = there?.overrides.flatMap(({ policy, fields: set }) =>
      set.map(({ kind = "", path, overriddenBy }) =>
        `${policy.name} ${kind} ${path} ${overriddenBy?.name ?? ""}`.trim(),
      ),
    );
    expect(fields).toEqual([
      "a  replicas b",
      "a Deployment metadata.labels.team",
      "a Deployment spec.template.spec.containers[name=nginx-demo].image",
      "a Service metadata.labels.team",
      "b  replicas",
      "b Service spec.type",
    ]);
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

  test("says how the replicas are given out", () => {
    const divided = placement("divided", {
      replicaScheduling: { mode: "Divided", strategy: "Weighted" },
    });
    const { division, clusters } = explain(
      snapshot({ object: app({ replica: 7 }), placements: [divided], clusters: [shanghai, singapore] }),
      NOW,
    );
    expect(division).toEqual({ mode: "Divided", strategy: "Weighted", asked: 7, given: 7 });
    expect(clusters.map(({ replicas }) => replicas)).toEqual([3, 4]);
  });

  test("says where an object that no policy places is kept, and what to do", () => {
    const { scheduled, clusters } = explain(snapshot({ previous: running(["shanghai-1"]) }), NOW);
    expect(scheduled).toMatchObject({ status: "False", reason: "NoPlacement" });
    const there = clusters.find(({ name }) => name === "shanghai-1");
    expect(there).toMatchObject({ chosen: true, frozen: { reason: "NoPlacement" }, state: "Available" });
    expect(there?.remedies).toEqual(["create a Placement that selects the object"]);
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

  test("agrees with the target that the controller computes", () => {
    const values = snapshot({ placements: [asia], overrides: [overrides("a", { replicas: 3 })] });
    const target = computeTarget(values, NOW);
    const chosen = explain(values, NOW).clusters.filter((one) => one.chosen);
    expect(chosen.map(({ name, replicas }) => ({ name, replicas }))).toEqual(
      target.clusters.map(({ name, replicas }) => ({ name, replicas })),
    );
  });
});
