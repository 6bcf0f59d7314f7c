import { expect, test } from "vitest";
import {
  givesRights,
  type GroupKind,
  isClusterScopedBuiltIn,
  isCustomGroup,
  isDefinition,
  phaseOf,
  whyNeverInBundle,
} from "./kinds.ts";

/** `apps/Deployment`, and `/Pod` of the core group. */
const kindOf = (name: string): GroupKind => {
  const [group = "", kind = ""] = name.split("/");
  return { group, kind };
};
const objectOf = (name: string): { apiVersion: string; kind: string } => {
  const { group, kind } = kindOf(name);
  return { apiVersion: group === "" ? "v1" : `${group}/v1`, kind };
};

/** Those of the kinds, by name, for which this holds. */
const those = (names: string[], holds: (kind: GroupKind) => boolean): string[] =>
  names.filter((name) => holds(kindOf(name)));

test.each([
  ["/List", "put its items into the list one by one"],
  ["/Namespace", "Meridian makes the namespaces that objects need; leave it out"],
  ["authentication.k8s.io/TokenReview", "it is a question to a server"],
  ["coordination.k8s.io/Lease", "the controllers of each cluster keep their own"],
  ["federation.paas.cmft.com/Placement", "Meridian's own objects stay on the hub"],
  ["paas.cmft.com/DemoApplication", "Meridian's own objects stay on the hub"],
  ["/Pod", undefined],
  ["example.com/Event", undefined],
  ["certificates.k8s.io/ClusterTrustBundle", undefined],
  ["toString/x", undefined],
])("why no bundle may hold %s: %s", (name, why) => expect(whyNeverInBundle(kindOf(name))).toBe(why));

test("a kind of Kubernetes is cluster-scoped by its group and its name", () => {
  const scoped = ["/Node", "admissionregistration.k8s.io/x", "rbac.authorization.k8s.io/ClusterRole"];
  const others = ["/Pod", "networking.k8s.io/Ingress", "rbac.authorization.k8s.io/Role", "example.com/Node", "/"];
  expect(those([...scoped, ...others], isClusterScopedBuiltIn)).toEqual(scoped);
});

test("rights in a namespace are given by roles and their bindings alone", () => {
  const giving = ["rbac.authorization.k8s.io/Role", "rbac.authorization.k8s.io/RoleBinding"];
  expect(those([...giving, "rbac.authorization.k8s.io/ClusterRole", "example.com/Role"], givesRights)).toEqual(giving);
});

test("a definition is told by its group and its kind, in whatever version", () => {
  const kind = "CustomResourceDefinition";
  expect(isDefinition({ apiVersion: "apiextensions.k8s.io/v1beta1", kind })).toBe(true);
  expect(isDefinition({ apiVersion: "example.com/v1", kind })).toBe(false);
  expect(isDefinition({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" })).toBe(false);
});

test.each<[number, string[]]>([
  [0, ["apiextensions.k8s.io/CustomResourceDefinition"]],
  [1, ["/ConfigMap", "/PersistentVolumeClaim", "/Secret", "/ServiceAccount", "networking.k8s.io/NetworkPolicy"]],
  [1, ["rbac.authorization.k8s.io/RoleBinding", "storage.k8s.io/StorageClass"]],
  [2, ["apps/Deployment", "/Service", "/Pod", "batch/Job", "networking.k8s.io/Ingress"]],
  [3, ["admissionregistration.k8s.io/ValidatingWebhookConfiguration"]],
  [4, ["example.com/Widget", "apps.example.com/Deployment", "example.com/CustomResourceDefinition"]],
])("an object is applied in phase %i: %j", (phase, names) => {
  expect(names.filter((name) => phaseOf(objectOf(name)) !== phase)).toEqual([]);
});

test("kinds of groups that no server has by itself come with definitions", () => {
  const custom = ["example.com", "gateway.networking.k8s.io", "snapshot.storage.k8s.io", "paas.cmft.com"];
  expect(["", "apps", "policy", "storage.k8s.io", ...custom].filter(isCustomGroup)).toEqual(custom);
});
