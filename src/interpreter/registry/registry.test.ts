import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import {
  DEPENDENCY_KINDS,
  dependencyKindOf,
  hubKindOf,
  memberKindOf,
  memberKinds,
  occasionalKindOf,
  placeableKindOf,
  renderedHubKinds,
  renderedMemberKinds,
  replicaPathsOf,
  requiredHubKinds,
} from "./registry.ts";

const DEPLOYMENT = { group: "apps", version: "v1", kind: "Deployment", plural: "deployments", namespaced: true };
const SERVICE = { group: "", version: "v1", kind: "Service", plural: "services", namespaced: true };
const CONFIG_MAP = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };
const SECRET = { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true };
const CLAIM = {
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  namespaced: true,
};
const ACCOUNT = { group: "", version: "v1", kind: "ServiceAccount", plural: "serviceaccounts", namespaced: true };

function workload(kind: string, spec: object): KubeObject {
  return { apiVersion: "apps/v1", kind, metadata: { name: "web", namespace: "shop" }, spec };
}

describe("the kinds of the hub", () => {
  test("a DemoApplication becomes a Deployment and a Service", () => {
    expect(renderedHubKinds()).toEqual([
      { group: "paas.cmft.com", version: "v1", kind: "DemoApplication", plural: "demoapplications", namespaced: true },
      {
        group: "federation.paas.cmft.com",
        version: "v1alpha1",
        kind: "ManifestBundle",
        plural: "manifestbundles",
        namespaced: true,
      },
    ]);
    expect(renderedMemberKinds()).toEqual([DEPLOYMENT, SERVICE]);
    expect(hubKindOf("paas.cmft.com", "DemoApplication")).toMatchObject({ kind: "DemoApplication" });
    expect(placeableKindOf("paas.cmft.com", "DemoApplication")).toBe(hubKindOf("paas.cmft.com", "DemoApplication"));
  });

  test("a hub without bundles is of use, and one without applications is not", () => {
    expect(requiredHubKinds().map(({ kind }) => kind)).toEqual(["DemoApplication"]);
  });
});

describe("the kinds of the members", () => {
  test("are what is rendered, and what that needs beside it", () => {
    expect(memberKinds()).toEqual([DEPLOYMENT, SERVICE, CONFIG_MAP, SECRET]);
  });

  test("of those that may go along with an object, some come with the first object that needs one", () => {
    expect(DEPENDENCY_KINDS).toEqual([CONFIG_MAP, CLAIM, SECRET, ACCOUNT]);
    const along = DEPENDENCY_KINDS.map(({ kind }) => ({ apiVersion: "v1", kind }));
    expect(along.map(dependencyKindOf)).toEqual([CONFIG_MAP, CLAIM, SECRET, ACCOUNT]);
    expect(along.map(occasionalKindOf)).toEqual([undefined, CLAIM, undefined, ACCOUNT]);
  });

  test.each([
    { apiVersion: "example.com/v1", kind: "Secret" },
    { apiVersion: "v1", kind: "Service" },
    { apiVersion: "v1", kind: "toString" },
  ])("a $kind of $apiVersion goes along with nothing", (ref) => {
    expect([dependencyKindOf(ref), occasionalKindOf(ref)]).toEqual([undefined, undefined]);
  });

  test.each(["Deployment", "StatefulSet", "ReplicaSet"])("a %s has replicas, and a template of pods", (kind) => {
    const rule = memberKindOf("apps", kind);
    const object = workload(kind, { replicas: 2, paused: true });
    expect(rule.withReplicas?.(object, 5)).toEqual(workload(kind, { replicas: 5, paused: true }));
    expect(object["spec"]).toEqual({ replicas: 2, paused: true });
    expect(rule.replicas?.(object)).toBe(2);
    expect(rule.replicas?.(workload(kind, {}))).toBe(1);
    expect(rule.podTemplatePath).toEqual(["spec", "template"]);
  });

  test("a DaemonSet has a template and no replicas; a Job's template cannot be changed", () => {
    const daemonSet = memberKindOf("apps", "DaemonSet");
    expect(daemonSet).toMatchObject({ group: "apps", kind: "DaemonSet", podTemplatePath: ["spec", "template"] });
    expect(daemonSet).not.toHaveProperty("replicas");
    expect(daemonSet).not.toHaveProperty("withReplicas");
    expect(memberKindOf("batch", "Job")).not.toHaveProperty("podTemplatePath");
  });

  test.each([
    ["batch", "Job", ["end"]],
    ["", "Pod", ["end"]],
    ["", "Service", ["addresses"]],
    ["networking.k8s.io", "Ingress", ["addresses"]],
    ["", "PersistentVolumeClaim", []],
    ["", "ConfigMap", []],
  ])("%s/%s has a rule of its own, and nothing to count", (group, kind, more) => {
    const rule = memberKindOf(group, kind);
    expect(rule).toMatchObject({ group, kind });
    expect(Object.keys(rule).toSorted()).toEqual([...more, "group", "health", "kind"]);
  });

  test("a kind without a rule is read by convention, unless Kubernetes gives it no status", () => {
    const silent: KubeObject = { apiVersion: "v1", kind: "x", metadata: { name: "x" } };
    const widget = memberKindOf("example.com", "Widget");
    expect(widget).toStrictEqual({
      group: "example.com",
      kind: "Widget",
      isGeneric: true,
      end: expect.any(Function) as unknown,
      health: expect.any(Function) as unknown,
    });
    expect(widget.health(silent)).toMatchObject({ state: "Unknown", reason: "NoReport" });
    const policy = memberKindOf("networking.k8s.io", "NetworkPolicy");
    expect(policy).not.toHaveProperty("isGeneric");
    expect(policy.health(silent)).toEqual({ state: "Available" });
  });

  test("a kind is known by its group too, and each has one rule", () => {
    expect(memberKindOf("example.com", "Deployment")).not.toHaveProperty("replicas");
    expect(memberKindOf("example.com", "Widget")).toBe(memberKindOf("example.com", "Widget"));
    expect(memberKindOf("example.com", "Widget")).not.toBe(memberKindOf("example.com", "Gadget"));
  });
});

describe("a kind that is sent as it is", () => {
  test("is rendered as what a person set in it", () => {
    const object: KubeObject = { ...workload("Deployment", { replicas: 3 }), status: { replicas: 3 } };
    const rule = placeableKindOf("apps", "Deployment");
    expect(rule).toMatchObject({ group: "apps", kind: "Deployment" });
    expect(rule.render(object)).toEqual([workload("Deployment", { replicas: 3 })]);
    expect(placeableKindOf("apps", "Deployment")).toBe(rule);
    expect(placeableKindOf("apps", "StatefulSet")).toMatchObject({ group: "apps", kind: "StatefulSet" });
  });

  test("is refused while nobody knows what a person set in it, and where it is part of Meridian", () => {
    const refusal = (object: KubeObject) => placeableKindOf("apps", "Deployment").refusal?.(object);
    expect(refusal(workload("Deployment", { replicas: 3 }))).toEqual({
      reason: "FieldOwnersUnknown",
      message: "metadata.managedFields are missing, so nobody knows what to send of the object",
    });
    const owned = workload("Deployment", { replicas: 3 });
    owned.metadata.managedFields = [{ manager: "kubectl", fieldsV1: { "f:spec": { "f:replicas": {} } } }];
    expect(refusal(owned)).toBeUndefined();
    const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: "x" } };
    expect(refusal({ ...crd, spec: { group: "paas.cmft.com" } })).toEqual({
      reason: "StaysOnHub",
      message: "Meridian's own kinds stay on the hub",
    });
  });

  test("keeps its replicas where its policy says, for its CRD says nothing that can be used", () => {
    const widget = { group: "example.com", kind: "Widget" };
    const found = { spec: ["spec", "replicas"], status: ["status", "replicas"] };
    expect(replicaPathsOf(widget, "no path", found)).toBe(found);
    expect(replicaPathsOf(widget, "no path", undefined)).toBeUndefined();
    expect(replicaPathsOf(widget, "spec.size", { spec: found.spec })).toStrictEqual({ spec: ["spec", "size"] });
  });
});
