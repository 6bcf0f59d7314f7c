import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { genericHealth, hasNoStatus } from "./generic.ts";

const widget = (status: object, generation = 2): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "x", generation },
  status,
});
const judge = (...conditions: object[]) => genericHealth(widget({ conditions }));
const phase = (text: string, message?: string) => genericHealth(widget({ phase: text, message }));

describe("the conventions of conditions", () => {
  const good = [
    "Ready",
    "Available",
    "Healthy",
    "Synced",
    "Established",
    "Complete",
    "Succeeded",
    "Accepted",
    "Programmed",
  ];

  test.each(good)("%s sums up the health of an object", (type) => {
    expect(judge({ type, status: "True" })).toEqual({ state: "Available" });
    expect(judge({ type, status: "False", reason: "Waiting", message: "wait" })).toEqual({
      state: "Progressing",
      reason: "Waiting",
      message: "wait",
    });
    expect(judge({ type: "Ready", status: "True" }, { type, status: "True", observedGeneration: 1 })).toMatchObject({
      reason: "RolloutPending",
    });
  });

  test.each([
    ["Failed", "Failed"],
    ["Stalled", "Failed"],
    ["Degraded", "Degraded"],
  ])("%s is bad when it is True, and only then", (type, state) => {
    expect(judge({ type: "Ready", status: "True" }, { type, status: "True", message: "no disk" })).toEqual({
      state,
      reason: type,
      message: "no disk",
    });
    expect(judge({ type: "Ready", status: "True" }, { type, status: "False" })).toEqual({ state: "Available" });
  });

  test("an object that is being reconciled is not there yet", () => {
    const ready = { type: "Ready", status: "True" };
    expect(judge(ready, { type: "Reconciling", status: "True" })).toEqual({
      state: "Progressing",
      reason: "Reconciling",
      message: "condition Reconciling is True",
    });
    expect(judge(ready, { type: "Reconciling", status: "False" })).toEqual({ state: "Available" });
  });

  test("a condition of the present generation counts, one of an older generation is no answer", () => {
    expect(judge({ type: "Ready", status: "True", observedGeneration: 2 })).toEqual({ state: "Available" });
    expect(judge({ type: "Other", status: "True", observedGeneration: 1 })).toMatchObject({ reason: "NoReport" });
  });

  test("a condition that nobody knows says nothing of health", () => {
    expect(judge({ type: "Painted", status: "False" })).toEqual({
      state: "Progressing",
      reason: "NoReport",
      message: "its status does not say whether it is healthy",
    });
  });

  test("without a status the condition is unknown, and without a type it is nobody's", () => {
    expect(judge({ type: "Ready" })).toEqual({
      state: "Progressing",
      reason: "NotReady",
      message: "condition Ready is Unknown",
    });
    expect(judge({ status: "False" })).toMatchObject({ reason: "NoReport" });
  });

  test.each([
    ["no-disk", "Nodisk"],
    ["no--disk left", "Nodiskleft"],
    ["lower", "Lower"],
    ["4th", "Unhealthy"],
    ["--", "Unhealthy"],
  ])("the reason %j becomes the code %s", (reason, code) => {
    expect(judge({ type: "Ready", status: "False", reason })).toMatchObject({ reason: code });
  });
});

describe("the conventions of phases", () => {
  test.each(["Active", "Available", "Bound", "Ready", "Running", "Succeeded"])("%s is as it should be", (text) => {
    expect(phase(text)).toEqual({ state: "Available" });
  });

  test.each([
    ["Failed", "Failed"],
    ["Error", "Failed"],
    ["Lost", "Failed"],
    ["Degraded", "Degraded"],
    ["Pending", "Progressing"],
  ])("%s is %s", (text, state) => {
    expect(phase(text)).toEqual({ state, reason: `Phase${text}`, message: `phase ${text}` });
    expect(phase(text, "why")).toEqual({ state, reason: `Phase${text}`, message: "why" });
  });
});

describe("a report", () => {
  test("is wanted at all", () => {
    expect(genericHealth(widget({}))).toEqual({
      state: "Progressing",
      reason: "NoReport",
      message: "the cluster has not reported on it yet",
    });
  });

  test("of the present generation without complaint is good, and of an older one is none", () => {
    expect(genericHealth(widget({ observedGeneration: 2 }))).toEqual({ state: "Available" });
    expect(genericHealth(widget({ observedGeneration: 1 }))).toEqual({
      state: "Progressing",
      reason: "RolloutPending",
      message: "its controller has not seen the present generation yet",
    });
  });
});

test.each([
  "/ConfigMap",
  "/Secret",
  "/ServiceAccount",
  "/Endpoints",
  "/Event",
  "/LimitRange",
  "/PodTemplate",
  "/ResourceQuota",
  "apps/ControllerRevision",
  "admissionregistration.k8s.io/MutatingWebhookConfiguration",
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding",
  "batch/CronJob",
  "coordination.k8s.io/Lease",
  "discovery.k8s.io/EndpointSlice",
  "networking.k8s.io/Ingress",
  "networking.k8s.io/IngressClass",
  "networking.k8s.io/NetworkPolicy",
  "node.k8s.io/RuntimeClass",
  "rbac.authorization.k8s.io/ClusterRole",
  "rbac.authorization.k8s.io/ClusterRoleBinding",
  "rbac.authorization.k8s.io/Role",
  "rbac.authorization.k8s.io/RoleBinding",
  "scheduling.k8s.io/PriorityClass",
  "storage.k8s.io/CSIDriver",
  "storage.k8s.io/StorageClass",
])("%s is healthy as soon as it is there", (name) => {
  const [group = "", kind = ""] = name.split("/");
  expect(hasNoStatus(group, kind)).toBe(true);
  expect(hasNoStatus("example.com", kind)).toBe(false);
});
