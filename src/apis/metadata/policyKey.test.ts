import { expect, test } from "vitest";
import { isSamePolicy, type PolicyName, policyKey } from "./policyKey.ts";

test("a policy and what names it have the same key", () => {
  expect(policyKey({ kind: "Placement", metadata: { namespace: "default", name: "shop" } })).toBe(
    "Placement/default/shop",
  );
  expect(policyKey({ kind: "Placement", namespace: "default", name: "shop" })).toBe("Placement/default/shop");
  expect(policyKey({ kind: "ClusterPlacement", name: "all" })).toBe("ClusterPlacement//all");
});

test.each<{ name: string; other: PolicyName; same: boolean }>([
  { name: "by its object", other: { kind: "Placement", metadata: { namespace: "default", name: "shop" } }, same: true },
  { name: "in another namespace", other: { kind: "Placement", namespace: "bank", name: "shop" }, same: false },
  { name: "without a namespace", other: { kind: "Placement", name: "shop" }, same: false },
  { name: "of another name", other: { kind: "Placement", namespace: "default", name: "shops" }, same: false },
  { name: "of another kind", other: { kind: "OverridePolicy", namespace: "default", name: "shop" }, same: false },
])("a policy named $name is the same: $same", ({ other, same }) => {
  const policy = { kind: "Placement", namespace: "default", name: "shop" };
  expect([isSamePolicy(policy, other), isSamePolicy(other, policy)]).toEqual([same, same]);
  expect(policyKey(policy) === policyKey(other)).toBe(same);
});

test("no namespace and an empty one are the same", () => {
  expect(
    isSamePolicy({ kind: "ClusterPlacement", name: "all" }, { kind: "ClusterPlacement", namespace: "", name: "all" }),
  ).toBe(true);
});
