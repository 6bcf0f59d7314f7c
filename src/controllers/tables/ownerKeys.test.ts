import { describe, expect, test } from "vitest";
import { type ObjectRef, refKey } from "../../apis/index.ts";
import { nameOf, refOfKey } from "./ownerKeys.ts";

const shop: ObjectRef = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "team", name: "shop" };
const settings: ObjectRef = { apiVersion: "v1", kind: "ConfigMap", namespace: "team", name: "settings" };
const role: ObjectRef = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "reader" };

describe("a hub object by its key", () => {
  test.each([shop, settings, role])("is $kind $name again, whose key is the same", (ref) => {
    const { apiVersion: _, ...rest } = ref;
    expect(refOfKey(refKey(ref))).toMatchObject(rest);
    expect(refKey(refOfKey(refKey(ref)))).toBe(refKey(ref));
  });

  test.each([
    { ref: shop, want: "team/shop" },
    { ref: role, want: "reader" },
  ])("is called $want in texts", ({ ref: { apiVersion, kind, ...metadata }, want }) => {
    expect(nameOf({ apiVersion, kind, metadata })).toBe(want);
  });
});
