import { describe, expect, test } from "vitest";
import { type KubeObject, type OverridePolicy, type Placement, type PlacementSpec } from "../apis/index.ts";
import { at, frankfurt, inRegion, overrides, placement, shanghai, singapore, targetOf } from "./testing/builders.ts";

const SELECTS = { apiVersion: "mysql.presslabs.org/v1alpha1", kind: "MysqlCluster" };
const scale = { spec: ["spec", "replicas"], status: ["status", "readyNodes"] };

/** As kubectl would have applied it, with nothing that the server added. */
function mysql(spec: Record<string, unknown>, kind = SELECTS): KubeObject {
  const fields = Object.fromEntries(Object.keys(spec).map((field) => [`f:${field}`, {}]));
  return {
    ...kind,
    metadata: {
      name: "my-db",
      namespace: "default",
      uid: "6d0c",
      managedFields: [
        {
          manager: "kubectl",
          operation: "Apply",
          apiVersion: kind.apiVersion,
          fieldsType: "FieldsV1",
          fieldsV1: { "f:spec": fields },
        },
      ],
    },
    spec,
  };
}

function placing(spec: Partial<PlacementSpec> = {}, kind = SELECTS): Placement {
  return placement("mysql", { resourceSelectors: [kind], ...spec });
}

function overriding(replicas: number, kind = SELECTS): OverridePolicy {
  const policy = overrides("mysql-shanghai", { targetClusters: inRegion("cn-shanghai"), replicas });
  return { ...policy, spec: { ...policy.spec, resourceSelectors: [kind] } };
}

const divided = { mode: "Divided" as const };
const counts = ({ clusters }: ReturnType<typeof targetOf>) => clusters.map(({ name, replicas }) => [name, replicas]);
const specs = (target: ReturnType<typeof targetOf>, kind = "MysqlCluster") =>
  [frankfurt, shanghai, singapore].map(({ name }) => at(target, name, kind)?.["spec"]);

describe("replicas of a custom kind", () => {
  const object = mysql({ replicas: 4, secretName: "my-db-secret" });

  test("are divided, and what is divided may be overridden", () => {
    const placements = [placing({ replicaScheduling: divided })];
    const target = targetOf({ object, scale, placements, overrides: [overriding(7)] });
    expect(counts(target)).toEqual([
      ["frankfurt-1", 1],
      ["shanghai-1", 7],
      ["singapore-1", 1],
    ]);
    expect(specs(target)).toEqual([1, 7, 1].map((replicas) => ({ replicas, secretName: "my-db-secret" })));
  });

  test("are where the Placement says, also without a scale subresource", () => {
    const pooled = mysql({ pool: { size: 3 } });
    const replicaScheduling = { ...divided, path: "spec.pool.size" };
    const target = targetOf({ object: pooled, placements: [placing({ replicaScheduling })] });
    expect(specs(target)).toEqual([1, 1, 1].map((size) => ({ pool: { size } })));
    expect(counts(target).map(([, replicas]) => replicas)).toEqual([1, 1, 1]);
  });

  test("are set by an override where the object leaves them out", () => {
    const target = targetOf({ object: mysql({ a: 1 }), scale, placements: [placing()], overrides: [overriding(5)] });
    expect(counts(target)).toEqual([
      ["frankfurt-1", undefined],
      ["shanghai-1", 5],
      ["singapore-1", undefined],
    ]);
    expect(specs(target)).toEqual([{ a: 1 }, { a: 1, replicas: 5 }, { a: 1 }]);
  });

  test.each([
    { name: "the object leaves them out", object: mysql({ a: 1 }), scale },
    { name: "nobody knows a field for them", object, scale: undefined },
    { name: "they are no number", object: mysql({ replicas: "4" }), scale },
  ])("that are to be divided are named where $name", ({ object: given, scale: known }) => {
    const placements = [placing({ replicaScheduling: divided })];
    const target = targetOf({ object: given, placements, ...(known === undefined ? {} : { scale: known }) });
    expect(target.scheduled).toEqual({
      status: "True",
      reason: "ClustersSelected",
      message: "3 of 3 clusters selected; it has no replicas to divide: each gets the whole",
    });
    expect(specs(target)).toEqual([given, given, given].map((one) => one["spec"]));
  });
});

test.each([
  { apiVersion: "apps/v1", kind: "ReplicaSet" },
  { apiVersion: "v1", kind: "ReplicationController" },
])("replicas of a $kind are divided and overridden", (kind) => {
  const object = mysql({ replicas: 3, selector: { app: "a" } }, kind);
  const placements = [placing({ replicaScheduling: divided }, kind)];
  const target = targetOf({ object, placements, overrides: [overriding(6, kind)] });
  expect(counts(target)).toEqual([
    ["frankfurt-1", 1],
    ["shanghai-1", 6],
    ["singapore-1", 1],
  ]);
  expect(specs(target, kind.kind).map((spec) => (spec as { replicas: number }).replicas)).toEqual([1, 6, 1]);
});
