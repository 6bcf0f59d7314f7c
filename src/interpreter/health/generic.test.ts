import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { condition, judge } from "./testing.ts";

const KIND = "example.com/v1 Widget";
const widget = (...conditions: object[]) => judge(KIND, { status: { conditions } });

describe("an object of a kind that nobody knows", () => {
  test("is never called healthy before anybody has said so", () => {
    expect(judge(KIND, {})).toEqual({
      state: "Unknown",
      reason: "NoReport",
      message: "it has no status there yet; spec.health of the placement can say whether it is healthy",
    });
    expect(judge(KIND, { status: {} })).toMatchObject({ state: "Unknown", reason: "NoReport" });
  });

  test("stays unknown while its status speaks of other things, and says what helps", () => {
    expect(judge(KIND, { status: { endpoint: "10.0.0.1", nodes: 3 } })).toEqual({
      state: "Unknown",
      reason: "NoReport",
      message: "its status does not say whether it is healthy; spec.health of the placement can",
    });
    expect(widget(condition("Painted", "True"))).toMatchObject({ state: "Unknown" });
    expect(widget(condition("", "False"))).toMatchObject({ state: "Unknown" });
  });

  test("whose controller has dealt with the present generation and complains of nothing is available", () => {
    expect(judge(KIND, { status: { observedGeneration: 2 } })).toEqual({ state: "Available" });
    expect(judge(KIND, { status: { observedGeneration: 3 } })).toEqual({ state: "Available" });
  });

  test.prop([
    fc.record(
      {
        ready: fc.constantFrom("True", "False", "Unknown", "Perhaps"),
        stalled: fc.boolean(),
        behind: fc.boolean(),
        phase: fc.constantFrom("Ready", "Pending", "Odd"),
      },
      { requiredKeys: [] },
    ),
  ])("is available only if something said so of the present generation and nothing spoke against it", (said) => {
    const conditions = [
      ...(said.ready === undefined ? [] : [condition("Ready", said.ready)]),
      ...(said.stalled === undefined ? [] : [condition("Stalled", said.stalled ? "True" : "False")]),
    ];
    const status = {
      conditions,
      ...(said.behind === undefined ? {} : { observedGeneration: said.behind ? 1 : 2 }),
      ...(said.phase === undefined ? {} : { phase: said.phase }),
    };
    if (judge(KIND, { status }).state !== "Available") return;
    expect(said.behind).not.toBe(true);
    expect(said.stalled).not.toBe(true);
    expect(said.ready === undefined || said.ready === "True").toBe(true);
    expect(said.ready === "True" || said.phase === "Ready" || (said.behind === false && said.phase === undefined)).toBe(
      true,
    );
  });
});

describe("conditions", () => {
  test("Ready is what operators say, and Kubernetes' own words for it count as well", () => {
    for (const type of ["Ready", "Available", "Healthy", "Synced", "Established", "Complete", "Accepted", "Programmed"])
      expect(widget(condition(type, "True")), type).toEqual({ state: "Available" });
  });

  test("one that is not True yet keeps the object on its way, in the controller's words", () => {
    expect(widget(condition("Ready", "False", "WaitingForVolume", "no volume yet"))).toEqual({
      state: "Progressing",
      reason: "WaitingForVolume",
      message: "no volume yet",
    });
    expect(widget(condition("Synced", "True"), condition("Ready", "Unknown"))).toEqual({
      state: "Progressing",
      reason: "NotReady",
      message: "condition Ready is Unknown",
    });
    expect(widget({ type: "Ready" })).toMatchObject({ state: "Progressing", message: "condition Ready is Unknown" });
  });

  test("a controller that has given up is believed, whatever else it says", () => {
    const ready = condition("Ready", "True");
    expect(widget(ready, condition("Stalled", "True", "ImageMissing", "no such chart"))).toEqual({
      state: "Failed",
      reason: "ImageMissing",
      message: "no such chart",
      serves: "Now",
    });
    expect(widget(condition("Failed", "True"))).toEqual({
      state: "Failed",
      reason: "Failed",
      message: "condition Failed is True",
    });
    expect(widget(ready, condition("Degraded", "True"))).toMatchObject({ state: "Degraded", serves: "Now" });
    expect(widget(ready, condition("Stalled", "False"), condition("Degraded", "False"))).toEqual({
      state: "Available",
    });
  });

  test("what is being reconciled is not there yet, though what was there may serve", () => {
    const ready = condition("Ready", "True");
    expect(widget(ready, condition("Reconciling", "True", "NewVersion"))).toEqual({
      state: "Progressing",
      reason: "NewVersion",
      message: "condition Reconciling is True",
      serves: "Now",
    });
    expect(widget(condition("Ready", "False"), condition("Progressing", "True", "Upgrading"))).toEqual({
      state: "Progressing",
      reason: "Upgrading",
      message: "condition Progressing is True",
    });
    expect(widget(ready, condition("Reconciling", "False"))).toEqual({ state: "Available" });
  });

  test.each(["NewReplicaSetAvailable", "Succeeded", "Completed"])(
    "Progressing stays True with %s after all is done, as that of a Deployment",
    (reason) => {
      expect(widget(condition("Available", "True"), condition("Progressing", "True", reason))).toEqual({
        state: "Available",
      });
    },
  );

  test("of an older generation are no answer for the present one, and tell what served before", () => {
    const old = { observedGeneration: 1 };
    expect(widget(condition("Ready", "True", "", "", old))).toMatchObject({
      state: "Progressing",
      reason: "RolloutPending",
      serves: "Before",
    });
    expect(widget(condition("Ready", "False", "", "", old))).not.toHaveProperty("serves");
    expect(judge(KIND, { status: { observedGeneration: 1, conditions: [condition("Ready", "True")] } })).toMatchObject({
      state: "Progressing",
      reason: "RolloutPending",
      serves: "Before",
    });
  });

  test("a complaint about an older generation is forgotten with it", () => {
    const stalled = condition("Stalled", "True", "", "", { observedGeneration: 1 });
    expect(widget(condition("Ready", "True", "", "", { observedGeneration: 2 }), stalled)).toEqual({
      state: "Available",
    });
  });

  test.each([
    ["no-disk left", "Nodiskleft"],
    ["lower", "Lower"],
    ["4th", "Unhealthy"],
    ["--", "Unhealthy"],
  ])("the reason %j becomes the code %s", (reason, code) => {
    expect(widget(condition("Ready", "False", reason))).toMatchObject({ reason: code });
  });
});

describe("phases", () => {
  const phase = (text: string, message?: string) => judge(KIND, { status: { phase: text, message } });

  test.each([
    ["Available", ["Active", "Available", "Bound", "Ready", "Running", "Succeeded"]],
    ["Failed", ["Failed", "Error", "Lost"]],
    ["Degraded", ["Degraded"]],
    ["Progressing", ["Pending", "Creating", "Initializing", "Provisioning", "Progressing", "Reconciling"]],
    ["Progressing", ["Updating", "Upgrading", "Scaling", "Deleting", "Terminating"]],
  ])("are %s by convention: %j", (state, phases) => {
    for (const text of phases) expect(phase(text), text).toMatchObject({ state });
  });

  test.each(["Active", "Available", "Bound", "Ready", "Running", "Succeeded"])(
    "need no words where all is well: %s",
    (text) => {
      expect(phase(text, "for 3 days")).toStrictEqual({ state: "Available" });
    },
  );

  test("say why in the controller's words, or in their own", () => {
    expect(phase("Failed", "no disk")).toEqual({ state: "Failed", reason: "PhaseFailed", message: "no disk" });
    expect(phase("Pending")).toEqual({ state: "Progressing", reason: "PhasePending", message: "phase Pending" });
  });

  test("in words of their own tell nothing", () => {
    expect(phase("Simmering")).toEqual({ state: "Unknown", reason: "PhaseSimmering", message: "phase Simmering" });
  });

  test("matter less than conditions", () => {
    const status = { phase: "Running", conditions: [condition("Ready", "False")] };
    expect(judge(KIND, { status })).toMatchObject({ state: "Progressing" });
  });
});

describe("an object of a kind of Kubernetes that has no status", () => {
  test.each([
    [
      "v1",
      ["ConfigMap", "Secret", "ServiceAccount", "Endpoints", "Event", "LimitRange", "PodTemplate", "ResourceQuota"],
    ],
    ["apps/v1", ["ControllerRevision"]],
    [
      "admissionregistration.k8s.io/v1",
      [
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
        "ValidatingAdmissionPolicyBinding",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
      ],
    ],
    ["coordination.k8s.io/v1", ["Lease"]],
    ["discovery.k8s.io/v1", ["EndpointSlice"]],
    ["networking.k8s.io/v1", ["IngressClass", "NetworkPolicy"]],
    ["node.k8s.io/v1", ["RuntimeClass"]],
    ["rbac.authorization.k8s.io/v1", ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]],
    ["scheduling.k8s.io/v1", ["PriorityClass"]],
    ["storage.k8s.io/v1", ["CSIDriver", "StorageClass"]],
  ])("is available as soon as it is there: %s %j", (apiVersion, kinds) => {
    for (const kind of kinds) expect(judge(`${apiVersion} ${kind}`, {}), kind).toEqual({ state: "Available" });
  });

  test("is another one where only the name of the kind is the same", () => {
    expect(judge("example.com/v1 ConfigMap", {})).toMatchObject({ state: "Unknown", reason: "NoReport" });
  });
});
