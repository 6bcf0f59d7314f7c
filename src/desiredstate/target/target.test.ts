import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { computeTarget } from "./target.ts";
import {
  app,
  cluster,
  frankfurt,
  hub,
  inRegion,
  NOW,
  overrides,
  placedBy,
  placement,
  rows,
  running,
  shanghai,
  singapore,
  snapshot,
  targetOf,
  at,
} from "../testing/builders.ts";
import type { Target } from "../types.ts";

test("an ingress goes along with its certificate, and each region may have a host of its own", () => {
  const object = app({
    ports: [{ port: 80, protocol: "TCP" }],
    ingress: { host: "shop.example.com", path: "/", pathType: "Prefix", tlsSecretName: "shop-tls" },
  });
  const metadata = { name: "shop-tls", namespace: "default" };
  const certificate: KubeObject = { apiVersion: "v1", kind: "Secret", metadata, type: "kubernetes.io/tls", data: {} };
  const result = targetOf({
    object,
    placements: [placement("everywhere")],
    clusters: [shanghai, singapore],
    dependencies: new Map([["/Secret/default/shop-tls", certificate]]),
    overrides: [
      overrides("hosts", {
        targetClusters: inRegion("cn-shanghai"),
        patches: [{ kind: "Ingress", op: "replace", path: "/spec/rules/0/host", value: "shop.example.cn" }],
      }),
    ],
  });
  expect(rows(result)).toEqual(
    ["shanghai-1", "singapore-1"].flatMap((name) =>
      ["Secret/shop-tls", "Deployment/nginx-demo", "Service/nginx-demo", "Ingress/nginx-demo"].map(
        (one) => `Apply ${name} ${one}`,
      ),
    ),
  );
  const hosts = [shanghai, singapore].map(({ name }) => at(result, name, "Ingress")?.["spec"]);
  expect(hosts).toMatchObject([{ rules: [{ host: "shop.example.cn" }] }, { rules: [{ host: "shop.example.com" }] }]);
});

describe("what goes there", () => {
  const everywhere = placement("everywhere");
  const applied = (name: string): string[] => [
    `Apply ${name} Deployment/nginx-demo`,
    `Apply ${name} Service/nginx-demo`,
  ];
  const frozen = (name: string): string[] => [`Hold ${name} Deployment/nginx-demo`, `Hold ${name} Service/nginx-demo`];

  test("clusters that differ in nothing share their objects", () => {
    const clusters = Array.from({ length: 1000 }, (_, i) =>
      cluster(`c${i}`, i % 2 === 0 ? "cn-shanghai" : "eu-central-1"),
    );
    const result = targetOf({
      placements: [everywhere],
      clusters,
      overrides: [overrides("o", { targetClusters: inRegion("cn-shanghai"), replicas: 5 })],
    });
    expect(result.clusters.flatMap(({ objects }) => objects)).toHaveLength(2000);
    expect(new Set(result.clusters.map(({ objects }) => objects)).size).toBe(2);
    expect(new Set(result.clusters.flatMap(({ objects }) => objects.map(({ object }) => object))).size).toBe(3);
  });

  test("division gives each cluster its share, and an override of replicas wins", () => {
    const divided = placement("p", {
      replicaScheduling: {
        mode: "Divided",
        weights: [
          { targetClusters: { clusterNames: ["shanghai-1"] }, weight: 2 },
          { targetClusters: { clusterNames: ["singapore-1"] }, weight: 1 },
        ],
      },
    });
    const object = app({ replica: 9 });
    const shares = targetOf({ object, placements: [divided] });
    expect(shares.clusters.map(({ name, replicas }) => [name, replicas])).toEqual([
      ["shanghai-1", 6],
      ["singapore-1", 3],
    ]);
    expect(at(shares, "shanghai-1", "Deployment")).toHaveProperty("spec.replicas", 6);
    const won = targetOf({
      object,
      placements: [divided],
      overrides: [overrides("o", { targetClusters: inRegion("cn-shanghai"), replicas: 1 })],
    });
    expect(won.clusters.map(({ replicas }) => replicas)).toEqual([1, 3]);
  });

  test("what healthy means stands beside an object, and changes nothing of what is sent", () => {
    const before = targetOf({ placements: [placement("p", {})] });
    const rule = { kind: "Service", available: "size(object.status.loadBalancer.ingress) > 0" };
    const after = targetOf({ placements: [placement("p", { health: [rule], aggregateStatus: true })] });
    const objects = (target: Target) => target.clusters.flatMap((one) => one.objects);
    expect(objects(after).map(({ hash }) => hash)).toEqual(objects(before).map(({ hash }) => hash));
    expect(objects(before).every(({ reporting }) => reporting === undefined)).toBe(true);
    for (const { ref, reporting } of objects(after))
      expect(reporting).toEqual(ref.kind === "Service" ? { health: { available: rule.available } } : undefined);
  });

  test("an override that cannot be applied concerns its cluster only", () => {
    const given = {
      placements: [everywhere],
      overrides: [
        overrides("bad", {
          targetClusters: inRegion("cn-shanghai"),
          patches: [{ op: "replace", path: "/spec/none", value: 1 }],
        }),
      ],
    };
    const fresh = targetOf(given);
    expect(fresh.clusters.find(({ name }) => name === "shanghai-1")).toMatchObject({
      frozen: false,
      problem: { reason: "InvalidPatch" },
    });
    expect(rows(fresh)).toEqual([...applied("frankfurt-1"), ...applied("singapore-1")]);
    // Its own status has to say so.
    expect(fresh.overrides).toMatchObject([{ name: "bad" }]);
    const there = targetOf({ ...given, previous: running(["shanghai-1"], placedBy("everywhere")) });
    expect(rows(there)).toEqual([...applied("frankfurt-1"), ...frozen("shanghai-1"), ...applied("singapore-1")]);
  });

  test("a problem names its policy, and says in full what its message had to cut", () => {
    const name = `regional-${"x".repeat(200)}`;
    const problemOf = (policy: string) =>
      targetOf({
        placements: [everywhere],
        overrides: [
          overrides(policy, { patches: [{ kind: "Deployment", op: "replace", path: "/spec/none", value: 1 }] }),
        ],
      }).clusters[0]?.problem;
    expect(problemOf("bad")).toMatchObject({
      reason: "InvalidPatch",
      message: {
        subject: "OverridePolicy bad, rule 0: ",
        aside: "patch 0 on Deployment: replace: ",
        what: "/spec/none does not exist",
      },
      policy: { kind: "OverridePolicy", namespace: "default", name: "bad" },
    });
    expect(problemOf(name)).toMatchObject({
      message: expect.objectContaining({ subject: `OverridePolicy ${name}, rule 0: ` }),
    });
  });

  test("overrides that apply on no cluster of the object are named, and why", () => {
    const given = [overrides("east", { targetClusters: inRegion("cn-shanghai"), replicas: 5 })];
    const west = { clusterAffinities: [{ name: "west", clusterNames: ["frankfurt-1"] }] };
    const policy = { kind: "OverridePolicy", namespace: "default", name: "east" };
    const placed = targetOf({ placements: [placement("west", west)], overrides: given });
    expect(placed.idleOverrides).toEqual([{ policy, because: "NoCluster" }]);
    expect(placed.overrides).toEqual([]);
    expect(targetOf({ overrides: given }).idleOverrides).toEqual([{ policy, because: "Unplaced" }]);
    const kept = targetOf({ overrides: given, previous: running(["shanghai-1"], placedBy("everywhere")) });
    expect(kept.idleOverrides).toEqual([{ policy, because: "Frozen" }]);
    expect(kept.clusters[0]).not.toHaveProperty("overrides");
    const used = targetOf({ placements: [everywhere], overrides: given });
    expect(used).not.toHaveProperty("idleOverrides");
    expect(used.clusters.map(({ overrides: effect }) => effect?.policies)).toEqual([undefined, [policy], undefined]);
  });

  test("placements that select the object too are named", () => {
    const target = targetOf({ placements: [placement("everywhere", { priority: 3 }), placement("weaker")] });
    const policy = { kind: "Placement", namespace: "default", name: "weaker" };
    expect(target.passedOver).toEqual([{ policy, because: "priority 3 goes before 0" }]);
    expect(targetOf({ placements: [everywhere] })).not.toHaveProperty("passedOver");
  });
});

describe("a target", () => {
  test("names the state of the hub that it comes from, where that is known", () => {
    expect(targetOf({ object: app({}, { resourceVersion: "12" }) }).hubVersion).toBe("12");
    expect(targetOf({})).not.toHaveProperty("hubVersion");
  });

  test("keeps the deletion policy of before while no policy places the object", () => {
    expect(targetOf({ previous: { deletionPolicy: "Orphan" } }).deletionPolicy).toBe("Orphan");
    expect(targetOf({}).deletionPolicy).toBe("Delete");
    const placed = targetOf({ placements: [placement("p")], previous: { deletionPolicy: "Orphan" } });
    expect(placed.deletionPolicy).toBe("Delete");
  });

  test("holds nothing that is not so: no region, no replicas, no problem, no warning", () => {
    const { region: _region, ...somewhere } = shanghai;
    const object: KubeObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "conf", namespace: "default", uid: "u" },
    };
    const selects = { resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap" }] };
    const { clusters } = targetOf({ object, placements: [placement("p", selects)], clusters: [somewhere] });
    expect(clusters.map(({ objects: _objects, ...rest }) => rest)).toStrictEqual([
      { name: "shanghai-1", frozen: false },
    ]);
  });

  test("names as missing what the object refers to and nobody can bring there", () => {
    const object = app({ envFrom: ["a", "b", "c"].map((name) => ({ secretRef: { name } })) });
    const secret = (name: string): KubeObject => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: "default" },
    });
    const key = (name: string): string => `/Secret/default/${name}`;
    const dependencies = new Map(["a", "b"].map((name) => [key(name), secret(name)]));
    expect([...targetOf({ object, dependencies, unreadable: new Set([key("b")]) }).missing]).toEqual([
      key("b"),
      key("c"),
    ]);
  });
});

test("the given values are never changed", () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === "object" && value !== null && !(value instanceof Map)) {
      for (const member of Object.values(value)) freeze(member);
      Object.freeze(value);
    }
    return value;
  };
  const given = freeze(
    snapshot({
      placements: [placement("p")],
      overrides: [overrides("o", { replicas: 4, labels: { a: "b" } })],
      clusters: [shanghai, singapore, frankfurt, hub],
    }),
  );
  expect(() => computeTarget(given, NOW)).not.toThrow();
});

describe("an object that is nested too deep", () => {
  test("is rendered nowhere, says so for each cluster, and keeps what runs", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 9_000; i++) deep = { a: deep };
    const given = {
      placements: [placement("p")],
      clusters: [shanghai, singapore],
      previous: running(["shanghai-1"], placedBy("p")),
    };
    const target = computeTarget(snapshot({ ...given, object: app({ deep }) }), NOW);
    expect(target.clusters).toMatchObject([
      { name: "shanghai-1", frozen: true, objects: [], problem: { reason: "TooLarge" } },
      { name: "singapore-1", frozen: false, objects: [], problem: { reason: "TooLarge" } },
    ]);
  });
});
