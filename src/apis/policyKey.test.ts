import { expect, test } from "vitest";
import { policyKey } from "./policyKey.ts";

test("a policy and what names it have the same key", () => {
  expect(policyKey({ kind: "Placement", metadata: { namespace: "default", name: "shop" } })).toBe(
    "Placement/default/shop",
  );
  expect(policyKey({ kind: "Placement", namespace: "default", name: "shop" })).toBe("Placement/default/shop");
  expect(policyKey({ kind: "ClusterPlacement", name: "all" })).toBe("ClusterPlacement//all");
});
