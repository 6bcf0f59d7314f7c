import { describe, expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import { listRepairs, withoutUpdateEntry } from "./listRepair.ts";

const ports = [{ port: 80, name: "http" }];
const service: KubeObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "shop" },
  spec: { ports, type: "ClusterIP" },
};

describe("listRepairs", () => {
  test("each list that lost something is put back once, whole", () => {
    const drift = [
      { path: "spec.ports[port=80,protocol=TCP].name" },
      { path: "spec.ports[port=80,protocol=TCP]" },
      { path: "spec.type" },
    ];
    expect(listRepairs(drift, service)).toEqual([{ op: "replace", path: "/spec/ports", value: ports }]);
  });

  test("a list of which nothing is ours any more is put back too", () => {
    expect(listRepairs([{ path: "spec.ports" }], service)).toEqual([
      { op: "replace", path: "/spec/ports", value: ports },
    ]);
  });

  test("drift outside of lists needs no repair", () =>
    expect(listRepairs([{ path: "spec.type" }], service)).toEqual([]));
});

describe("withoutUpdateEntry", () => {
  const applied = { manager: "meridian", operation: "Apply" } as const;
  const status = { manager: "meridian", operation: "Update", subresource: "status" } as const;
  const left = { manager: "meridian", operation: "Update" } as const;

  test("takes out what the repair left, and nothing else, from the version that was seen", () => {
    const object = {
      ...service,
      metadata: { name: "shop", resourceVersion: "7", managedFields: [applied, left, status] },
    };
    expect(withoutUpdateEntry(object)).toEqual([
      { op: "test", path: "/metadata/resourceVersion", value: "7" },
      { op: "replace", path: "/metadata/managedFields", value: [applied, status] },
    ]);
  });

  test("does nothing where nothing was left", () => {
    expect(withoutUpdateEntry({ ...service, metadata: { name: "shop", managedFields: [applied] } })).toBeUndefined();
  });
});
