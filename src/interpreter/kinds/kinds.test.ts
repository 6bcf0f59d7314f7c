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
  ["/Binding", "it is a question to a server"],
  ["/ComponentStatus", "it tells of one cluster"],
  ["/Endpoints", "the controllers of each cluster keep their own"],
  ["/Event", "it tells of one cluster"],
  ["/List", "put its items into the list one by one"],
  ["/Namespace", "Meridian makes the namespaces that objects need; leave it out"],
  ["/Node", "it stands for a machine of one cluster"],
  [
    "apiregistration.k8s.io/APIService",
    "one that does not answer keeps every namespace of a member from being deleted",
  ],
  ["apps/ControllerRevision", "the controllers of each cluster keep their own"],
  ["authentication.k8s.io/TokenReview", "it is a question to a server"],
  ["authorization.k8s.io/SubjectAccessReview", "it is a question to a server"],
  ["certificates.k8s.io/CertificateSigningRequest", "it asks the authority of one cluster"],
  ["coordination.k8s.io/Lease", "the controllers of each cluster keep their own"],
  ["discovery.k8s.io/EndpointSlice", "the controllers of each cluster keep their own"],
  ["events.k8s.io/Event", "it tells of one cluster"],
  ["metrics.k8s.io/PodMetrics", "it tells of one cluster"],
  ["federation.paas.cmft.com/Placement", "Meridian's own objects stay on the hub"],
  ["paas.cmft.com/DemoApplication", "Meridian's own objects stay on the hub"],
  ["/Pod", undefined],
  ["example.com/Event", undefined],
  ["certificates.k8s.io/ClusterTrustBundle", undefined],
  ["toString/x", undefined],
])("why no bundle may hold %s: %s", (name, why) => expect(whyNeverInBundle(kindOf(name))).toBe(why));

test("a kind of Kubernetes is cluster-scoped by its group and its name", () => {
  const scoped = [
    ...["/Namespace", "/Node", "/PersistentVolume", "admissionregistration.k8s.io/x"],
    ...["apiextensions.k8s.io/CustomResourceDefinition", "apiregistration.k8s.io/APIService"],
    ...["certificates.k8s.io/ClusterTrustBundle", "flowcontrol.apiserver.k8s.io/FlowSchema"],
    ...["IngressClass", "IPAddress", "ServiceCIDR"].map((kind) => `networking.k8s.io/${kind}`),
    ...["ClusterRole", "ClusterRoleBinding"].map((kind) => `rbac.authorization.k8s.io/${kind}`),
    ...["node.k8s.io/RuntimeClass", "resource.k8s.io/DeviceClass", "scheduling.k8s.io/PriorityClass"],
    ...["CSIDriver", "StorageClass", "VolumeAttributesClass"].map((kind) => `storage.k8s.io/${kind}`),
  ];
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
  [1, ["rbac.authorization.k8s.io/RoleBinding", "storage.k8s.io/StorageClass", "/PersistentVolume", "/LimitRange"]],
  [1, ["/ResourceQuota", "networking.k8s.io/IngressClass", "node.k8s.io/RuntimeClass"]],
  [1, ["scheduling.k8s.io/PriorityClass"]],
  [2, ["apps/Deployment", "/Service", "/Pod", "batch/Job", "networking.k8s.io/Ingress"]],
  [3, ["admissionregistration.k8s.io/ValidatingWebhookConfiguration"]],
  [4, ["example.com/Widget", "apps.example.com/Deployment", "example.com/CustomResourceDefinition"]],
])("an object is applied in phase %i: %j", (phase, names) => {
  expect(names.filter((name) => phaseOf(objectOf(name)) !== phase)).toEqual([]);
});

test("kinds of groups that no server has by itself come with definitions", () => {
  const custom = ["example.com", "gateway.networking.k8s.io", "snapshot.storage.k8s.io", "paas.cmft.com"];
  const ofKubernetes = "admissionregistration apiextensions apiregistration authentication authorization certificates";
  const more = "coordination discovery events flowcontrol.apiserver networking node rbac.authorization resource";
  const named = `${ofKubernetes} ${more} scheduling storage`.split(" ").map((name) => `${name}.k8s.io`);
  const builtIn = ["", "apps", "autoscaling", "batch", "policy", ...named];
  expect([...builtIn, ...custom].filter(isCustomGroup)).toEqual(custom);
});
