import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import {
  clusterPlacement,
  frankfurt,
  hub,
  placement,
  rows,
  shanghai,
  singapore,
  targetOf,
} from "../testing/builders.ts";

const SELECTOR = { apiVersion: "v1", kind: "ConfigMap" };
const selects = placement("p", { resourceSelectors: [SELECTOR] });

/** As a person wrote it, with what the server allocated. */
const object: KubeObject = {
  ...SELECTOR,
  metadata: {
    name: "c",
    namespace: "default",
    uid: "u",
    managedFields: [{ manager: "kubectl", fieldsV1: { "f:data": { "f:a": {} } } }],
  },
  data: { a: "1", allocated: "2" },
};

describe("an object that is sent as it is", () => {
  test("goes out as a person set it, and not onto itself", () => {
    const result = targetOf({ object, placements: [selects], clusters: [shanghai, hub] });
    expect(rows(result)).toEqual(["Apply shanghai-1 ConfigMap/c"]);
    expect(result.clusters.map(({ name }) => name)).toEqual(["shanghai-1"]);
    expect(result.clusters[0]).not.toHaveProperty("replicas");
    expect(result.clusters[0]?.objects[0]?.object["data"]).toEqual({ a: "1" });
    expect(result.decision.verdicts).toContainEqual(
      expect.objectContaining({ cluster: "hub", reason: "OnHubAlready" }),
    );
  });

  test("of which nobody knows what is a person's is not sent, and says so for each cluster", () => {
    const { managedFields: _, ...metadata } = object.metadata;
    const unknown = targetOf({ object: { ...object, metadata }, placements: [selects], clusters: [shanghai] });
    expect(rows(unknown)).toEqual([]);
    expect(unknown.clusters).toMatchObject([{ problem: { reason: "FieldOwnersUnknown" }, objects: [] }]);
  });

  test("that belongs to the hub itself is placed by its name only; namespaces are chosen by their labels", () => {
    const by = (more: object, setting: object): string | undefined =>
      targetOf({
        object,
        setting,
        placements: [clusterPlacement("p", { resourceSelectors: [{ ...SELECTOR, ...more }] })],
        clusters: [shanghai],
      }).placement?.name;
    expect(by({}, {})).toBe("p");
    expect(by({}, { hubsOwn: "it is" })).toBeUndefined();
    expect(by({ name: "c" }, { hubsOwn: "it is" })).toBe("p");
    const namespaceSelector = { matchLabels: { team: "a" } };
    expect(by({ namespaceSelector }, { namespaceLabels: { team: "a" } })).toBe("p");
    expect(by({ namespaceSelector }, { namespaceLabels: { team: "b" } })).toBeUndefined();
  });
});

describe("a Job", () => {
  const selector = { apiVersion: "batch/v1", kind: "Job" };
  const job = (spec: object): KubeObject => ({
    ...selector,
    metadata: {
      name: "import",
      namespace: "default",
      uid: "u",
      managedFields: [
        {
          manager: "kubectl",
          fieldsV1: { "f:spec": { "f:completions": {}, "f:parallelism": {}, "f:completionMode": {} } },
        },
      ],
    },
    spec: { completions: 10, parallelism: 4, ...spec },
  });
  const target = (spec: object, scheduling: object) =>
    targetOf({
      object: job(spec),
      placements: [
        placement("p", { resourceSelectors: [selector], replicaScheduling: { mode: "Divided", ...scheduling } }),
      ],
      clusters: [shanghai, frankfurt, singapore],
    });
  const specs = (spec: object, scheduling: object): unknown[] =>
    target(spec, scheduling).clusters.map(({ objects }) => objects[0]?.object["spec"]);

  test("has its completions divided where the policy names them, and else none of its numbers", () => {
    const divided = specs({}, { path: "spec.completions" }) as { completions: number; parallelism: number }[];
    expect(divided.map(({ completions }) => completions).toSorted((a, b) => a - b)).toEqual([3, 3, 4]);
    expect(divided.map(({ parallelism }) => parallelism)).toEqual([4, 4, 4]);
    expect(specs({}, {})).toEqual(Array(3).fill({ completions: 10, parallelism: 4 }));
  });

  test("whose pods have an index each is not divided, and says why", () => {
    const indexed = { completionMode: "Indexed" };
    expect(target(indexed, { path: "spec.completions" }).clusters).toMatchObject(
      Array(3).fill({ problem: { reason: "IndexedJob" }, objects: [] }),
    );
    expect(specs(indexed, { mode: "Duplicated", path: "spec.completions" })).toEqual(
      Array(3).fill({ completions: 10, parallelism: 4, ...indexed }),
    );
  });
});
