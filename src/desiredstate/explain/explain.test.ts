import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { Snapshot } from "../snapshot.ts";
import { computeTarget } from "../target/target.ts";
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
import { explain } from "./explain.ts";

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

const answer = (more: Partial<Snapshot>) => explain(snapshot({ clusters: [shanghai, singapore], ...more }), NOW);
const inShanghai = { clusterAffinities: [{ name: "home", clusterNames: ["shanghai-1"] }] };

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

  test("names what the status says that a cluster runs, where that is not what is wanted", () => {
    const previous = running(["shanghai-1", "singapore-1"], {}, "Available");
    const runs = { image: "nginx:1", wanted: { image: "nginx:2" } };
    const entries = previous.clusters?.map((entry, index) => (index === 0 ? { ...entry, runs } : entry)) ?? [];
    const { clusters } = answer({ placements: [placement("p")], previous: { ...previous, clusters: entries } });
    expect(clusters.map((one) => one.runs)).toEqual([runs, undefined]);
    expect(clusters[1]).not.toHaveProperty("runs");
  });

  test("says what each override policy that selects the object came to", () => {
    const red = overrides("red", { replicas: 3 });
    const abroad = overrides("abroad", { targetClusters: inRegion("eu-central-1"), replicas: 9 });
    const policies = [abroad, red].map(({ metadata }) => ({
      kind: "OverridePolicy",
      namespace: "default",
      name: metadata.name,
    }));
    expect(answer({ placements: [placement("p")], overrides: [red, abroad] }).overrides).toStrictEqual([
      { policy: policies[0], applies: false, because: "no rule of it takes a cluster of the object" },
      { policy: policies[1], applies: true },
    ]);
    expect(answer({ overrides: [red] }).overrides).toStrictEqual([
      { policy: policies[1], applies: false, because: "the object is on no cluster" },
    ]);
    const suspended = answer({
      placements: [placement("p", { suspend: true })],
      overrides: [red],
      previous: running(["shanghai-1"]),
    });
    expect(suspended.overrides).toStrictEqual([
      { policy: policies[1], applies: false, because: "what is there stays as it is" },
    ]);
  });

  test("says what stays as it is, and why", () => {
    const { clusters } = answer({
      placements: [placement("p", { ...inShanghai, suspend: true })],
      previous: running(["shanghai-1"]),
    });
    expect(clusters[0]).toMatchObject({
      chosen: true,
      frozen: { reason: expect.any(String), message: expect.any(String) },
    });
    expect(answer({ placements: [placement("p")] }).clusters[0]).not.toHaveProperty("frozen");
  });

  test("says which override cannot be applied, and where", () => {
    const wrong = overrides("wrong", { patches: [{ op: "remove", path: "/spec/nothing", kind: "Deployment" }] });
    const { clusters } = answer({ placements: [placement("p", inShanghai)], overrides: [wrong] });
    expect(clusters[0]).toMatchObject({ name: "shanghai-1", chosen: true, problem: { reason: "InvalidPatch" } });
    expect(clusters[1]).not.toHaveProperty("problem");
  });

  test("has the cluster names in order, and a cluster that the policy names and the hub does not know", () => {
    const names = { clusterAffinities: [{ name: "g", clusterNames: ["gone", "shanghai-1"] }] };
    const { clusters } = answer({ clusters: [singapore, shanghai], placements: [placement("p", names)] });
    expect(clusters.map(({ name, chosen, remedies }) => [name, chosen, remedies.length])).toEqual([
      ["gone", false, 1],
      ["shanghai-1", true, 0],
      ["singapore-1", false, 1],
    ]);
  });

  test("says what failover has to say of an object that runs, where the policy asks for it", () => {
    const { failover } = answer({
      placements: [placement("p", { failover: { gracePeriod: "5m" } })],
      previous: running(["shanghai-1"]),
    });
    expect(failover).toEqual({ status: "False", reason: "Settled", message: "" });
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

  test("counts what overrides make of the replicas", () =>
    expect(
      answer({
        placements: [placement("p")],
        overrides: [overrides("o", { replicas: 7 })],
        object: app({ replica: 3 }),
      }).division,
    ).toStrictEqual({ mode: "Duplicated", asked: 3, given: 14 }));
});
