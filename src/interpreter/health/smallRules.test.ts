import { describe, expect, test } from "vitest";
import type { Health } from "../types.ts";
import { shownConditions } from "./conditions.ts";
import { balancer, condition, judge } from "./testing.ts";
import { codeOf, servingIf } from "./report.ts";

interface Case {
  name: string;
  metadata?: object;
  spec?: object;
  status?: object;
  want: Health;
}

/** Each with the whole answer. */
function whole(kind: string, list: readonly Case[]): void {
  describe(kind, () => {
    test.each(list)("$name", ({ name: _, want, ...parts }) => expect(judge(kind, parts)).toStrictEqual(want));
  });
}
const available: Health = { state: "Available" };
const NO_REPORT: Health = {
  state: "Progressing",
  reason: "NoReport",
  message: "the cluster has not reported on it yet",
};
const BEHIND: Health = {
  state: "Progressing",
  reason: "RolloutPending",
  message: "its controller has not seen the present generation yet",
};

whole("v1 PersistentVolumeClaim", [
  { name: "says nothing", status: { phase: "Odd" }, want: NO_REPORT },
  {
    name: "has lost its volume",
    status: { phase: "Lost" },
    want: {
      state: "Failed",
      reason: "VolumeLost",
      message: "the volume that it was bound to is not there any more",
    },
  },
  ...["ControllerResizeError", "NodeResizeError", "ModifyVolumeError"].map((type) => ({
    name: `could not be changed: ${type}`,
    status: { phase: "Bound", conditions: [condition(type, "False"), condition(type, "True", "", "no")] },
    want: { state: "Degraded", reason: type, message: "no", serves: "Now" } as const,
  })),
  ...["Resizing", "FileSystemResizePending", "ModifyingVolume"].map((type) => ({
    name: `is being changed: ${type}`,
    status: { phase: "Bound", conditions: [condition(type, "True", "", "soon")] },
    want: { state: "Progressing", reason: type, message: "soon", serves: "Now" } as const,
  })),
  {
    name: "was changed, and could be",
    status: { phase: "Bound", conditions: [condition("Resizing", "False"), condition("NodeResizeError", "False")] },
    want: available,
  },
  {
    name: "of a size that nobody can read",
    spec: { resources: { requests: { storage: "much" } } },
    status: { phase: "Bound", capacity: { storage: "1Gi" } },
    want: available,
  },
  {
    name: "has a size that nobody can read",
    spec: { resources: { requests: { storage: "1Gi" } } },
    status: { phase: "Bound", capacity: { storage: 5 } },
    want: available,
  },
]);

whole("v1 PersistentVolume", [
  { name: "says nothing", status: { phase: "Odd" }, want: NO_REPORT },
  {
    name: "is not ready",
    status: { phase: "Pending" },
    want: { state: "Progressing", reason: "VolumePending", message: "the volume is not available yet" },
  },
  {
    name: "is not ready, and says why",
    status: { phase: "Pending", message: "no disk yet" },
    want: { state: "Progressing", reason: "VolumePending", message: "no disk yet" },
  },
  {
    name: "was released, and says why",
    status: { phase: "Released", message: "the claim went" },
    want: { state: "Degraded", reason: "VolumeReleased", message: "the claim went" },
  },
  {
    name: "was released by a claim that nobody names",
    status: { phase: "Released" },
    want: {
      state: "Degraded",
      reason: "VolumeReleased",
      message: "its claim is gone, and until the volume is reclaimed it serves nobody",
    },
  },
  {
    name: "could not be reclaimed, without a word",
    status: { phase: "Failed" },
    want: { state: "Failed", reason: "VolumeLost", message: "its reclamation failed" },
  },
]);

whole("v1 Service", [
  {
    name: "is a load balancer, and its address is no list",
    spec: { type: "LoadBalancer" },
    status: { loadBalancer: { ingress: "1.2.3.4" } },
    want: {
      state: "Progressing",
      reason: "LoadBalancerPending",
      message: "the cluster has not given it an address yet",
    },
  },
  {
    name: "is a load balancer of whose points the second has a port in error",
    spec: { type: "LoadBalancer" },
    status: balancer({ ip: "1.1.1.1", ports: [{ port: 80, error: "" }] }, { ports: [{ port: 81, error: "Busy" }] }),
    want: { state: "Degraded", reason: "Busy", message: "port 81: Busy", serves: "Now" },
  },
  {
    name: "had ports that were refused",
    spec: { type: "LoadBalancer" },
    status: { ...balancer({ ip: "1.1.1.1" }), conditions: [condition("LoadBalancerPortsError", "False")] },
    want: available,
  },
]);

whole("batch/v1 CronJob", [
  {
    name: "succeeded at a time that nobody can read",
    status: { lastScheduleTime: "2026-11-22T10:10:00Z", lastSuccessfulTime: "soon", active: "none" },
    want: {
      state: "Degraded",
      reason: "LastRunFailed",
      message: "the run of 2026-11-22T10:10:00Z failed; none has succeeded yet",
      serves: "Now",
    },
  },
]);

whole("batch/v1 Job", [
  {
    name: "failed without a word",
    status: { conditions: [condition("Failed", "True")] },
    want: { state: "Failed", reason: "JobFailed", message: "" },
  },
  {
    name: "is not held back by anything but a yes",
    spec: { suspend: "true" },
    status: { startTime: "x" },
    want: { state: "Progressing", reason: "JobRunning", message: "0 active, 0 succeeded" },
  },
]);

whole("v1 Pod", [
  {
    name: "runs on without saying so, and has ended",
    status: { phase: "Succeeded" },
    want: { state: "Failed", reason: "PodFailed", message: "the pod has ended, and was to run on" },
  },
  {
    name: "is to end, and runs",
    spec: { restartPolicy: "Never" },
    status: { phase: "Running" },
    want: { state: "Progressing", reason: "PodRunning", message: "the pod has not come to its end yet" },
  },
  {
    name: "is on a node that nobody reaches",
    status: { phase: "Unknown" },
    want: { state: "Unknown", reason: "NodeLost", message: "the node of the pod does not answer" },
  },
  {
    name: "has failed, and a container says how",
    status: { phase: "Failed", containerStatuses: [{ name: "web", state: { waiting: { reason: "Odd" } } }] },
    want: { state: "Failed", reason: "PodFailed", message: "container web: Odd" },
  },
]);

whole("policy/v1 PodDisruptionBudget", [
  {
    name: "cannot be counted, it was said once",
    status: { observedGeneration: 2, conditions: [condition("DisruptionAllowed", "True", "SyncFailed")] },
    want: available,
  },
]);

whole("autoscaling/v2 HorizontalPodAutoscaler", [
  { name: "has said nothing", status: {}, want: NO_REPORT },
  {
    name: "is of this generation, and finds its workload",
    status: { observedGeneration: 2, conditions: [condition("AbleToScale", "True")] },
    want: available,
  },
  {
    name: "does not know whether it finds its workload",
    status: { conditions: [condition("AbleToScale", "Unknown", "", "asking"), condition("ScalingActive", "True")] },
    want: { state: "Progressing", reason: "NotAbleToScale", message: "asking" },
  },
  {
    name: "was switched off, and cannot be reached",
    status: { conditions: [condition("ScalingActive", "Unknown", "ScalingDisabled", "asking")] },
    want: { state: "Progressing", reason: "ScalingDisabled", message: "asking" },
  },
]);

whole("autoscaling/v1 HorizontalPodAutoscaler", [
  {
    name: "shows no conditions",
    want: {
      state: "Unknown",
      reason: "NoReport",
      message: "autoscaling/v1 does not show whether it can scale; name autoscaling/v2 in the placement",
    },
  },
  { name: "is of an older generation", status: { observedGeneration: 1 }, want: BEHIND },
]);

const [accepted, established] = [condition("NamesAccepted", "True"), condition("Established", "True")];
whole("apiextensions.k8s.io/v1 CustomResourceDefinition", [
  { name: "is not known to have its names", status: { conditions: [established] }, want: NO_REPORT },
  {
    name: "does not know about its names",
    status: { conditions: [condition("NamesAccepted", "Unknown"), established] },
    want: { state: "Progressing", reason: "RollingOut", message: "condition NamesAccepted is Unknown" },
  },
  {
    name: "is served in full",
    status: {
      conditions: [accepted, established, condition("Terminating", "False"), condition("NonStructuralSchema", "False")],
    },
    want: available,
  },
]);

describe("the conditions that are shown", () => {
  const shown = (conditions: object[], state: Health["state"] = "Degraded") =>
    shownConditions({ apiVersion: "v1", kind: "x", metadata: { name: "x" }, status: { conditions } }, { state });

  test("have a type of at most 63 characters, and a reason too", () => {
    const [longest, longer] = ["T".repeat(63), "T".repeat(64)];
    expect(shown([{ status: "True" }, condition(longer, "True"), condition(longest, "True", "R".repeat(64))])).toEqual([
      { type: longest, status: "True", reason: expect.stringMatching(/^R.{0,62}$/) as unknown },
    ]);
  });

  test("are eight, those that tell of health before others, by name", () => {
    const others = ["B8", "B7", "B6", "B5", "B4", "B3", "B2", "B1"].map((type) => condition(type, "False"));
    expect(shown([...others, condition("Ready", "True")]).map(({ type }) => type)).toEqual([
      "B2",
      "B3",
      "B4",
      "B5",
      "B6",
      "B7",
      "B8",
      "Ready",
    ]);
  });

  test("have their words only where not all is well, and no word where nothing was said", () => {
    const given = [condition("A", "False", "R", "why"), condition("B", "Odd")];
    expect(shown(given)).toStrictEqual([
      { type: "A", status: "False", reason: "R", message: "why" },
      { type: "B", status: "Unknown" },
    ]);
    expect(shown(given, "Available")).toStrictEqual([
      { type: "A", status: "False", reason: "R" },
      { type: "B", status: "Unknown" },
    ]);
  });
});

test.each([
  ["a", "A"],
  ["a.b-c_d", "Abcd"],
  ["A1", "A1"],
  ["", "Unhealthy"],
  ["-1x", "Unhealthy"],
])("the reason %j becomes the code %s", (reason, code) => expect(codeOf(reason)).toBe(code));

test("what is available serves, and need not say so", () => {
  expect(servingIf(true, "Now", available)).toBe(available);
  const behind: Health = { state: "Progressing" };
  expect(servingIf(false, "Now", behind)).toBe(behind);
  expect(servingIf(true, "Before", behind)).toEqual({ state: "Progressing", serves: "Before" });
});
