import { describe, expect, test } from "vitest";
import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from "../../apis/index.ts";
import { isMeridiansKind, whyHubsOwn } from "./hubsOwn.ts";
import { isWrittenByHub } from "../fields/userFields.ts";

const object = (kind: string, metadata: Partial<ObjectMeta> = {}, more: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "a", namespace: "shop", ...metadata },
  ...more,
});
const controlled = (controller: boolean): Partial<ObjectMeta> => ({
  ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", uid: "u", controller }],
});
const RBAC = { apiVersion: "rbac.authorization.k8s.io/v1" };
const crd = (group: string): KubeObject =>
  object(
    "CustomResourceDefinition",
    { name: `widgets.${group}` },
    { apiVersion: "apiextensions.k8s.io/v1", spec: { group } },
  );

describe("what belongs to the hub itself", () => {
  test.each<[name: string, of: KubeObject, why: string, isProtected?: boolean | undefined]>([
    ["what a controller made", object("Pod", controlled(true)), "ReplicaSet web-1 controls it"],
    [
      "what is in a protected namespace",
      object("ConfigMap", { namespace: "kube-system" }),
      "namespace kube-system is the hub's own",
      true,
    ],
    [
      "a member object of some hub",
      object("Service", { labels: { "federation.paas.cmft.com/managed-by": "hub" } }),
      "it is Meridian's own",
    ],
    [
      "a member object whose label somebody took off",
      object("Service", { annotations: { "federation.paas.cmft.com/owner": "{}" } }),
      "it is Meridian's own",
    ],
    [
      "what `meridian join` made of a hub that is a member of another",
      object("ClusterRole", { labels: { "federation.paas.cmft.com/joined-to": "hub" } }, RBAC),
      "it is Meridian's own",
    ],
    [
      "what `meridian install` made",
      object("ClusterRole", { labels: { "app.kubernetes.io/part-of": "meridian" } }, RBAC),
      "it is Meridian's own",
    ],
    [
      "what the chart made",
      object("ClusterRole", { labels: { "app.kubernetes.io/name": "meridian" } }, RBAC),
      "it is Meridian's own",
    ],
    ["Meridian's kinds", crd("paas.cmft.com"), "it is Meridian's own"],
    ["Meridian's other kinds", crd("federation.paas.cmft.com"), "it is Meridian's own"],
    [
      "a role of every API server",
      object("ClusterRole", { labels: { "kubernetes.io/bootstrapping": "rbac-defaults" } }, RBAC),
      "the hub's API server made it",
    ],
    [
      "a flow schema",
      object("FlowSchema", { name: "probes" }, { apiVersion: "flowcontrol.apiserver.k8s.io/v1" }),
      "it can refuse every write of a cluster",
    ],
    [
      "a name of Kubernetes",
      object("ClusterRole", { name: "system:node" }, RBAC),
      "its name is one of Kubernetes' own",
    ],
    [
      "a priority of Kubernetes",
      object("PriorityClass", { name: "system-node-critical" }, { apiVersion: "scheduling.k8s.io/v1" }),
      "its name is one of Kubernetes' own",
    ],
    ["the default account", object("ServiceAccount", { name: "default" }), "every cluster makes its own"],
    [
      "the hub's range of addresses",
      object("ServiceCIDR", { name: "kubernetes" }, { apiVersion: "networking.k8s.io/v1" }),
      "every cluster makes its own",
    ],
    ["the hub's authority", object("ConfigMap", { name: "kube-root-ca.crt" }), "every cluster makes its own"],
    [
      "the hub's own address",
      object("Service", { name: "kubernetes", namespace: "default" }),
      "every cluster makes its own",
    ],
    [
      "a token of a service account",
      object("Secret", {}, { type: "kubernetes.io/service-account-token" }),
      "it is a token of the hub",
    ],
    [
      "a token of a node that joins",
      object("Secret", {}, { type: "bootstrap.kubernetes.io/token" }),
      "it is a token of the hub",
    ],
    [
      "what the API server keeps up to date",
      object("Widget", { annotations: { "apf.kubernetes.io/autoupdate-spec": "true" } }),
      "the hub's API server made it",
    ],
    [
      "a release of Helm",
      object("Secret", {}, { type: "helm.sh/release.v1" }),
      "Helm keeps its own account of the hub in it",
    ],
    [
      "the election of a leader",
      object("ConfigMap", { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } }),
      "a controller of the hub elects its leader by it",
    ],
    [
      "a volume that the hub's storage made",
      object("PersistentVolume", { annotations: { "pv.kubernetes.io/provisioned-by": "csi" } }),
      "the hub's storage was made for it",
    ],
    [
      "the claim of a StatefulSet, which names no owner",
      object("PersistentVolumeClaim", {
        managedFields: [
          { manager: "kube-controller-manager", fieldsV1: { "f:spec": {} } },
          { manager: "kube-controller-manager", subresource: "status", fieldsV1: { "f:status": {} } },
          { manager: "meridian", fieldsV1: { "f:metadata": {} } },
        ],
      }),
      "a controller of the hub made it",
    ],
    [
      "a webhook configuration",
      object("MutatingWebhookConfiguration", {}, { apiVersion: "admissionregistration.k8s.io/v1" }),
      "it can refuse every write of a cluster",
    ],
  ])("%s", (_name, of, why, isProtected = false) => expect(whyHubsOwn(of, isProtected)).toBe(why));

  test.each([
    ["a ConfigMap", object("ConfigMap")],
    [
      "what a person wrote and a controller of the hub added to",
      object("PersistentVolumeClaim", {
        managedFields: [{ manager: "kubectl" }, { manager: "kube-controller-manager", fieldsV1: { "f:spec": {} } }],
      }),
    ],
    ["what names an owner that does not control it", object("Pod", controlled(false))],
    ["a Secret of a person", object("Secret", {}, { type: "Opaque" })],
    ["a Secret of another group", object("Secret", {}, { apiVersion: "example.com/v1", type: "helm.sh/release.v1" })],
    ["a name with something of Kubernetes at its end", object("ClusterRole", { name: "my-system:node" }, RBAC)],
    ["a Service of another name", object("Service", { name: "kubernetes-dashboard" })],
    ["an account of the name of another kind's object", object("ServiceAccount", { name: "kubernetes" })],
    ["a Secret with a type that every object has", object("Secret", {}, { type: "toString" })],
    ["a part of something else", object("Service", { labels: { "app.kubernetes.io/part-of": "shop" } })],
    ["another kind with the type of a token", object("Widget", {}, { type: "helm.sh/release.v1" })],
    ["a third party's kind", crd("mysql.presslabs.org")],
    ["a kind of that name that is none", object("CustomResourceDefinition", {}, { spec: { group: "paas.cmft.com" } })],
  ])("%s does not", (_name, of) => expect(whyHubsOwn(of, false)).toBeUndefined());
});

test("only definitions of Meridian's own kinds stay on the hub whoever selects them", () => {
  expect([crd("paas.cmft.com"), crd("example.com"), object("ConfigMap")].map(isMeridiansKind)).toEqual([
    true,
    false,
    false,
  ]);
  expect(isMeridiansKind({ ...crd("paas.cmft.com"), spec: undefined })).toBe(false);
  expect(isMeridiansKind({ ...crd("paas.cmft.com"), kind: "ConversionReview" })).toBe(false);
  expect(isMeridiansKind({ ...crd("paas.cmft.com"), apiVersion: "example.com/v1" })).toBe(false);
});

test.each<[string, ManagedFieldsEntry[] | undefined, boolean]>([
  ["a controller", [{ manager: "kube-controller-manager" }], true],
  [
    "a provider's controller, and Meridian",
    [{ manager: "aws-cloud-controller-manager" }, { manager: "meridian" }],
    true,
  ],
  ["a controller and a person", [{ manager: "kubelet" }, { manager: "kubectl" }], false],
  ["a controller whose name only begins so", [{ manager: "cloud-controller-manager-x" }], false],
  ["nobody knows whom", undefined, false],
])("what was written by %s is there for the hub's sake: %#", (_name, managedFields, want) => {
  const metadata = { name: "a", ...(managedFields === undefined ? {} : { managedFields }) };
  expect(isWrittenByHub({ apiVersion: "v1", kind: "ConfigMap", metadata })).toBe(want);
});
