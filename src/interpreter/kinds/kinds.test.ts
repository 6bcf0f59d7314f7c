import { describe, expect, test } from "vitest";
import {
  givesRights,
  type GroupKind,
  groupKindOf,
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

describe("a kind that no bundle may hold", () => {
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
  ])("%s: %s", (name, why) => expect(whyNeverInBundle(kindOf(name))).toBe(why));

  test.each(["/Pod", "apps/Deployment", "example.com/Event", "certificates.k8s.io/ClusterTrustBundle", "toString/x"])(
    "%s is none of them",
    (name) => expect(whyNeverInBundle(kindOf(name))).toBeUndefined(),
  );
});

describe("a kind of Kubernetes is cluster-scoped", () => {
  test.each([
    "/Namespace",
    "/Node",
    "/PersistentVolume",
    "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
    "apiextensions.k8s.io/CustomResourceDefinition",
    "apiregistration.k8s.io/APIService",
    "certificates.k8s.io/ClusterTrustBundle",
    "flowcontrol.apiserver.k8s.io/FlowSchema",
    "networking.k8s.io/IngressClass",
    "networking.k8s.io/IPAddress",
    "networking.k8s.io/ServiceCIDR",
    "node.k8s.io/RuntimeClass",
    "rbac.authorization.k8s.io/ClusterRole",
    "rbac.authorization.k8s.io/ClusterRoleBinding",
    "resource.k8s.io/DeviceClass",
    "scheduling.k8s.io/PriorityClass",
    "storage.k8s.io/CSIDriver",
    "storage.k8s.io/StorageClass",
    "storage.k8s.io/VolumeAttributesClass",
  ])("%s", (name) => expect(isClusterScopedBuiltIn(kindOf(name))).toBe(true));

  test.each(["/Pod", "networking.k8s.io/Ingress", "rbac.authorization.k8s.io/Role", "example.com/Node", "/"])(
    "unless it is another, as %s",
    (name) => expect(isClusterScopedBuiltIn(kindOf(name))).toBe(false),
  );
});

test("rights in a namespace are given by roles and their bindings alone", () => {
  const names = ["Role", "RoleBinding", "ClusterRole"].map((kind) => `rbac.authorization.k8s.io/${kind}`);
  expect([...names, "example.com/Role"].map((name) => givesRights(kindOf(name)))).toEqual([true, true, false, false]);
});

test("the group of an object is that of its version", () => {
  expect(groupKindOf({ apiVersion: "apps/v1", kind: "Deployment" })).toEqual({ group: "apps", kind: "Deployment" });
  expect(groupKindOf({ apiVersion: "v1", kind: "Pod" })).toEqual({ group: "", kind: "Pod" });
});

test("a definition is told by its group and its kind, in whatever version", () => {
  const kind = "CustomResourceDefinition";
  expect(isDefinition({ apiVersion: "apiextensions.k8s.io/v1beta1", kind })).toBe(true);
  expect(isDefinition({ apiVersion: "example.com/v1", kind })).toBe(false);
  expect(isDefinition({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" })).toBe(false);
});

describe("the order of application", () => {
  test.each<[number, string[]]>([
    [0, ["apiextensions.k8s.io/CustomResourceDefinition"]],
    [
      1,
      [
        "/ConfigMap",
        "/LimitRange",
        "/PersistentVolume",
        "/PersistentVolumeClaim",
        "/ResourceQuota",
        "/Secret",
        "/ServiceAccount",
        "networking.k8s.io/IngressClass",
        "networking.k8s.io/NetworkPolicy",
        "node.k8s.io/RuntimeClass",
        "rbac.authorization.k8s.io/RoleBinding",
        "scheduling.k8s.io/PriorityClass",
        "storage.k8s.io/StorageClass",
      ],
    ],
    [2, ["apps/Deployment", "/Service", "/Pod", "batch/Job", "networking.k8s.io/Ingress"]],
    [3, ["admissionregistration.k8s.io/ValidatingWebhookConfiguration"]],
    [4, ["example.com/Widget", "apps.example.com/Deployment", "example.com/CustomResourceDefinition"]],
  ])("phase %i", (phase, names) => {
    expect(names.filter((name) => phaseOf(objectOf(name)) !== phase)).toEqual([]);
  });

  test.each([
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
  ])("every server serves the group “%s” by itself", (group) => expect(isCustomGroup(group)).toBe(false));

  test.each(["example.com", "gateway.networking.k8s.io", "snapshot.storage.k8s.io", "paas.cmft.com"])(
    "%s comes with definitions",
    (group) => expect(isCustomGroup(group)).toBe(true),
  );
});
