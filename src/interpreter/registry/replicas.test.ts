import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { replicaPathsOf } from "./registry.ts";
import { replicaPath, replicasAt, withCounts, withReplicasAt } from "./replicas.ts";

const mysql = (spec: object, status?: object): KubeObject => ({
  apiVersion: "mysql.presslabs.org/v1alpha1",
  kind: "MysqlCluster",
  metadata: { name: "my-db" },
  spec,
  ...(status === undefined ? {} : { status }),
});
const MYSQL = { group: "mysql.presslabs.org", kind: "MysqlCluster" };
const scale = { spec: ["spec", "replicas"], status: ["status", "readyNodes"] };

describe("a path to replicas", () => {
  test.each([
    [".spec.replicas", ["spec", "replicas"]],
    ["spec.node-pool.size_1", ["spec", "node-pool", "size_1"]],
    ["spec", undefined],
    ["spec.pools[0].size", undefined],
    [undefined, undefined],
    [3, undefined],
  ])("%j is %j", (text, names) => expect(replicaPath(text)).toEqual(names));

  test.each([
    [{ replicas: 3 }, 3],
    [{}, undefined],
    [{ replicas: "3" }, undefined],
    [{ replicas: 1.5 }, undefined],
    [{ replicas: -1 }, undefined],
  ])("in %j is read as %j", (spec, replicas) => expect(replicasAt(mysql(spec), scale.spec)).toBe(replicas));

  test("is written with what is missing on the way, and nothing else is changed", () => {
    const object = mysql({ secretName: "my-db-secret" });
    const before = structuredClone(object);
    expect(withReplicasAt(object, ["spec", "pool", "size"], 2)).toEqual({
      ...object,
      spec: { secretName: "my-db-secret", pool: { size: 2 } },
    });
    expect(withReplicasAt(mysql({ pool: "small" }), ["spec", "pool", "size"], 2)["spec"]).toEqual({
      pool: { size: 2 },
    });
    expect(object).toEqual(before);
  });
});

describe("where objects keep their replicas", () => {
  test("is what the CRD says, unless a policy declares it", () => {
    expect(replicaPathsOf(MYSQL, undefined, undefined)).toBeUndefined();
    expect(replicaPathsOf(MYSQL, undefined, scale)).toEqual(scale);
    expect(replicaPathsOf(MYSQL, "spec.size", scale)).toEqual({ spec: ["spec", "size"], status: scale.status });
    expect(replicaPathsOf(MYSQL, "spec.size", undefined)).toEqual({ spec: ["spec", "size"] });
  });

  test.each([
    { group: "paas.cmft.com", kind: "DemoApplication" },
    { group: "apps", kind: "Deployment" },
  ])("of $kind nobody else says", (kind) => {
    expect(replicaPathsOf(kind, "spec.size", scale)).toBeUndefined();
  });
});

describe("the counts of a kind without a rule", () => {
  const counts = (object: KubeObject, paths?: typeof scale | { spec: string[] }) =>
    withCounts({ state: "Available" }, object, paths).replicas;

  test("are those of its scale subresource", () => {
    expect(counts(mysql({ replicas: 5 }, { readyNodes: 3 }), scale)).toEqual({
      desired: 5,
      updated: 3,
      ready: 3,
      available: 3,
    });
    expect(counts(mysql({ replicas: 5 }), scale)).toEqual({ desired: 5, updated: 0, ready: 0, available: 0 });
    expect(counts(mysql({ replicas: 5 }, { readyNodes: 3 }), { spec: scale.spec })).toMatchObject({ available: 0 });
  });

  test("are not made up", () => {
    expect(counts(mysql({ replicas: 5 }))).toBeUndefined();
    expect(counts(mysql({}), scale)).toBeUndefined();
    const known = { desired: 1, updated: 1, ready: 1, available: 1 };
    const judged = { state: "Available" as const, replicas: known };
    expect(withCounts(judged, mysql({ replicas: 5 }), scale)).toBe(judged);
  });
});
