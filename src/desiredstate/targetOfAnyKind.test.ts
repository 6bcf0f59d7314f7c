import { describe, expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import { clusterPlacement, hub, placement, rows, shanghai, targetOf } from "./testdata/builders.ts";

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

  test("that no policy selects is the hub's own business, also where the hub is a member", () => {
    expect(targetOf({ object, placements: [], clusters: [hub] })).toMatchObject({
      scheduled: { reason: "NoPlacement" },
      clusters: [],
    });
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
