import { describe, expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import {
  hubKindOf,
  isPropagated,
  memberKindOf,
  memberKinds,
  placeableKindOf,
  renderedHubKinds,
  renderedMemberKinds,
} from "./registry.ts";

const DEPLOYMENT = { group: "apps", version: "v1", kind: "Deployment", plural: "deployments", namespaced: true };
const SERVICE = { group: "", version: "v1", kind: "Service", plural: "services", namespaced: true };
const CONFIG_MAP = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };
const SECRET = { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true };

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

  test("no other kind becomes anything else", () => {
    expect(hubKindOf("apps", "DemoApplication")).toBeUndefined();
    expect(hubKindOf("apps", "Deployment")).toBeUndefined();
    expect(isPropagated({ group: "apps", kind: "Deployment" })).toBe(true);
  });
});

describe("the kinds of the members", () => {
  test("are what is rendered, and what that needs beside it", () => {
    expect(memberKinds()).toEqual([DEPLOYMENT, SERVICE, CONFIG_MAP, SECRET]);
  });

  test.each(["Deployment", "StatefulSet"])("a %s has replicas, and a template of pods", (kind) => {
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

  test("a kind is known by its group too, and each has one rule", () => {
    expect(memberKindOf("example.com", "Deployment")).not.toHaveProperty("replicas");
    expect(memberKindOf("example.com", "Widget")).toBe(memberKindOf("example.com", "Widget"));
    expect(memberKindOf("example.com", "Widget")).not.toBe(memberKindOf("example.com", "Gadget"));
  });

  test.each(["ConfigMap", "Secret"])("a %s is as it should be as soon as it is there, until it goes", (kind) => {
    const object: KubeObject = { apiVersion: "v1", kind, metadata: { name: "x" }, status: { phase: "Failed" } };
    expect(memberKindOf("", kind).health(object)).toEqual({ state: "Available" });
    const going = { ...object, metadata: { name: "x", deletionTimestamp: "2026-11-21T13:00:00Z" } };
    expect(memberKindOf("", kind).health(going)).toStrictEqual({
      state: "Progressing",
      reason: "Terminating",
      message: "it is being deleted",
    });
  });
});

describe("a kind that is sent as it is", () => {
  test("is rendered as what a person set in it", () => {
    const object: KubeObject = { ...workload("Deployment", { replicas: 3 }), status: { replicas: 3 } };
    const rule = placeableKindOf("apps", "Deployment");
    expect(rule).toMatchObject({ group: "apps", kind: "Deployment" });
    expect(rule.render(object)).toEqual([workload("Deployment", { replicas: 3 })]);
    expect(placeableKindOf("apps", "Deployment")).toBe(rule);
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
    expect(refusal({ ...crd, spec: { group: "paas.cmft.com" } })).toMatchObject({ reason: "StaysOnHub" });
  });

  test("has the replicas of its rule on members, if there are any, and no selector of its own", () => {
    expect(placeableKindOf("apps", "Deployment").replicas(workload("Deployment", { replicas: 3 }))).toBe(3);
    const widget = { ...workload("Widget", { replicas: 3 }), apiVersion: "example.com/v1" };
    expect(placeableKindOf("example.com", "Widget").replicas(widget)).toBeUndefined();
    expect(placeableKindOf("apps", "Deployment").podSelector(workload("Deployment", {}))).toBeUndefined();
  });
});
