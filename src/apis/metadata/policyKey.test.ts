import { expect, test } from "vitest";
import { isSamePolicy, type PolicyName, policyKey } from "./policyKey.ts";

test.each<{ name: string; other: PolicyName; same: boolean }>([
  { name: "by its object", other: { kind: "Placement", metadata: { namespace: "default", name: "shop" } }, same: true },
  { name: "with an empty namespace", other: { kind: "Placement", namespace: "", name: "shop" }, same: false },
  { name: "in another namespace", other: { kind: "Placement", namespace: "bank", name: "shop" }, same: false },
  { name: "without a namespace", other: { kind: "Placement", name: "shop" }, same: false },
  { name: "of another name", other: { kind: "Placement", namespace: "default", name: "shops" }, same: false },
  { name: "of another kind", other: { kind: "OverridePolicy", namespace: "default", name: "shop" }, same: false },
])("a policy named $name is the same: $same", ({ other, same }) => {
  const policy = { kind: "Placement", namespace: "default", name: "shop" };
  expect([isSamePolicy(policy, other), isSamePolicy(other, policy)]).toEqual([same, same]);
  expect(policyKey(policy) === policyKey(other)).toBe(same);
});

test("the key of a policy, whatever names it, has an empty namespace where there is none", () => {
  const cluster = { kind: "ClusterPlacement", name: "all" };
  expect(policyKey(cluster)).toBe("ClusterPlacement//all");
  expect(isSamePolicy(cluster, { ...cluster, namespace: "" })).toBe(true);
});
