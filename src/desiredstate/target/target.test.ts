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
} from "../testing/builders.ts";

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
});

describe("a target", () => {
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
