import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { expiryOf, runHash } from "./ends.ts";
import { memberReport } from "../registry/memberReport.ts";

const condition = (type: string, status = "True", more: object = {}) => ({ type, status, ...more });
const object = (apiVersion: string, kind: string, status?: object, spec: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "x", namespace: "default", generation: 2 },
  spec,
  ...(status === undefined ? {} : { status }),
});
const job = (...conditions: object[]) => object("batch/v1", "Job", { conditions });
const pod = (phase: string, restartPolicy?: string) =>
  object("v1", "Pod", { phase }, restartPolicy === undefined ? {} : { restartPolicy });
const custom = (status: object, spec?: object) => object("example.com/v1", "Training", status, spec);

describe("the end of a member object", () => {
  test.each<[string, KubeObject, "Complete" | "Failed" | undefined]>([
    ["a Job that has just been made", job(), undefined],
    [
      "a Job whose pods are still being ended",
      job(condition("SuccessCriteriaMet"), condition("FailureTarget")),
      undefined,
    ],
    ["a complete Job", job(condition("SuccessCriteriaMet"), condition("Complete")), "Complete"],
    ["a failed Job", job(condition("FailureTarget"), condition("Failed")), "Failed"],
    ["a pod that has succeeded", pod("Succeeded", "Never"), "Complete"],
    ["a pod that has failed", pod("Failed", "OnFailure"), "Failed"],
    ["a pod that was to run on by default", pod("Succeeded"), undefined],
    ["a Deployment", object("apps/v1", "Deployment", { conditions: [condition("Complete")] }), undefined],
    [
      "a workflow that is over and has failed",
      custom({ phase: "Failed", conditions: [condition("Completed")] }),
      "Failed",
    ],
    [
      "a pipeline that has not succeeded",
      custom({ completionTime: "2026-11-22T10:00:00Z", conditions: [condition("Succeeded", "False")] }),
      "Failed",
    ],
    ["a phase that says little", custom({ phase: "Succeeded" }), undefined],
    ["a failure that may pass", custom({ conditions: [condition("Failed")] }), undefined],
    [
      "a failure at the end",
      custom({ finishedAt: "2026-11-22T10:00:00Z", conditions: [condition("Failed")] }),
      "Failed",
    ],
    [
      "a condition of an earlier generation",
      custom({ conditions: [condition("Complete", "True", { observedGeneration: 1 })] }),
      undefined,
    ],
    [
      "a status of an earlier generation",
      custom({ observedGeneration: 1, conditions: [condition("Complete")] }),
      undefined,
    ],
    ["what serves and is rolled out", custom({ conditions: [condition("Completed")] }, { replicas: 3 }), undefined],
    ["what serves by its status", custom({ replicas: 3, conditions: [condition("Completed")] }), undefined],
  ])("%s", (_, live, want) => expect(memberReport(live).ended).toBe(want));

  test("is seen of what is being deleted as well", () => {
    const live = job(condition("Complete"));
    const deleting = { ...live, metadata: { ...live.metadata, deletionTimestamp: "2026-11-22T10:00:00Z" } };
    expect(memberReport(deleting)).toMatchObject({ ended: "Complete", health: { reason: "Terminating" } });
  });
});

describe("the work that an object asks for", () => {
  const work = object("batch/v1", "Job", undefined, { parallelism: 2, template: { spec: { restartPolicy: "Never" } } });
  const with_ = (change: object, rest: object = {}): KubeObject => ({
    ...work,
    ...rest,
    spec: { ...(work["spec"] as object), ...change },
  });

  test.each<[string, KubeObject]>([
    ["a label", { ...work, metadata: { ...work.metadata, labels: { a: "b" } } }],
    ["the status", { ...work, status: { active: 1 } }],
    ["another version", { ...work, apiVersion: "batch/v2" }],
    ["when it is tidied up", with_({ ttlSecondsAfterFinished: 0 })],
  ])("is the same whatever %s says", (_, other) => expect(runHash(other)).toBe(runHash(work)));

  test.each<[string, KubeObject]>([
    ["the template", with_({ template: { spec: { restartPolicy: "OnFailure" } } })],
    ["the parallelism", with_({ parallelism: 3 })],
    ["what stands beside the spec", with_({}, { data: { a: "b" } })],
  ])("is another one with a change of %s", (_, other) => expect(runHash(other)).not.toBe(runHash(work)));

  test("of a pod does not depend on where the hub would run it", () => {
    const spec = { containers: [{ name: "a", image: "b" }] };
    const scheduled = object("v1", "Pod", {}, { ...spec, nodeName: "n1", tolerations: [{ key: "a" }] });
    expect(runHash(scheduled)).toBe(runHash(object("v1", "Pod", undefined, spec)));
  });
});

describe("when the TTL of a Job is over", () => {
  const at = "2026-11-22T10:00:00Z";
  const ended = (conditions: object[], spec: object = { ttlSecondsAfterFinished: 5 }) =>
    object("batch/v1", "Job", { conditions }, spec);
  const complete = condition("Complete", "True", { lastTransitionTime: at });

  test.each<[string, KubeObject, number | undefined]>([
    ["after its end", ended([complete]), Date.parse(at) + 5_000],
    ["never without a TTL", ended([complete], {}), undefined],
    ["never while it runs", ended([]), undefined],
    ["never of another kind", { ...ended([complete]), kind: "Task" }, undefined],
    ["never without a time", ended([condition("Failed")]), undefined],
  ])("%s", (_, live, want) => expect(expiryOf(live)).toBe(want));
});
