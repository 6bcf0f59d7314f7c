import { expect, test } from "vitest";
import { type KubeObject, refKey, refOf } from "../../apis/index.ts";
import { nameOf, refOfKey } from "./ownerKeys.ts";

const objectOf = (apiVersion: string, kind: string, metadata: KubeObject["metadata"]): KubeObject => ({
  ...{ apiVersion, kind, metadata },
});
const shop = objectOf("paas.cmft.com/v1", "DemoApplication", {
  name: "shop",
  namespace: "team",
  uid: "u",
  generation: 3,
});
const settings = objectOf("v1", "ConfigMap", { name: "settings", namespace: "team" });
const role = objectOf("rbac.authorization.k8s.io/v1", "ClusterRole", { name: "reader" });

test.each([
  { object: shop, apiVersion: "paas.cmft.com/", name: "team/shop" },
  { object: settings, apiVersion: "", name: "team/settings" },
  { object: role, apiVersion: "rbac.authorization.k8s.io/", name: "reader" },
])("a hub object $object.kind is found by its key, and is called $name", ({ object, apiVersion, name }) => {
  const ref = refOfKey(refKey(refOf(object)));
  expect(ref).toStrictEqual({ ...refOf(object), apiVersion });
  expect([refKey(ref), nameOf(object)]).toEqual([refKey(refOf(object)), name]);
});
