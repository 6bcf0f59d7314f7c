import { describe, expect, test } from "vitest";
import { kindKey, kindKeyOf, type KubeObject, parseApiVersion, refKey, refOf } from "./meta.ts";

test.each([
  ["apps/v1", { group: "apps", version: "v1" }],
  ["v1", { group: "", version: "v1" }],
  ["federation.paas.cmft.com/v1alpha1", { group: "federation.paas.cmft.com", version: "v1alpha1" }],
  ["/v1", { group: "", version: "v1" }],
])("%s is %j", (apiVersion, want) => expect(parseApiVersion(apiVersion)).toEqual(want));

describe("what names an object", () => {
  const object: KubeObject = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", uid: "u" },
    spec: {},
  };
  const role: KubeObject = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "r" } };

  test("is its kind, its namespace where it has one, and its name", () => {
    expect(refOf(object)).toStrictEqual({ apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" });
    expect(refOf(role)).toStrictEqual({ apiVersion: role.apiVersion, kind: "ClusterRole", name: "r" });
  });

  test("is one key in whatever version the object is read", () => {
    expect(refKey(refOf(object))).toBe("apps/Deployment/shop/web");
    expect(refKey({ ...refOf(object), apiVersion: "apps/v1beta2" })).toBe("apps/Deployment/shop/web");
    expect(refKey(refOf(role))).toBe("rbac.authorization.k8s.io/ClusterRole//r");
    expect(refKey({ apiVersion: "v1", kind: "Secret", namespace: "n", name: "s" })).toBe("/Secret/n/s");
  });

  test("has one key of its kind", () => {
    expect(kindKeyOf({ apiVersion: "v1", kind: "Secret" })).toBe("/Secret");
    expect(kindKey({ group: "apps", kind: "Deployment" })).toBe(kindKeyOf(object));
  });
});
