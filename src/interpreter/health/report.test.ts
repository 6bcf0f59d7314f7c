import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import {
  available,
  because,
  conditionOf,
  conditionsIn,
  conditionsOf,
  count,
  health,
  isBehind,
  noReport,
  pending,
  type ReportedCondition,
  reportedHealth,
  serving,
  share,
  statusOf,
} from "./report.ts";

const object = (status?: unknown, generation?: number): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "x", ...(generation === undefined ? {} : { generation }) },
  ...(status === undefined ? {} : { status }),
});

describe("a condition that is reported", () => {
  test.each<{ name: string; given: object; want: ReportedCondition }>([
    {
      name: "has all of its fields",
      given: { type: "Ready", status: "True", reason: "R", message: "m", observedGeneration: 3, lastUpdateTime: "t" },
      want: { type: "Ready", status: "True", reason: "R", message: "m", observedGeneration: 3 },
    },
    { name: "has none of them", given: {}, want: { type: "", status: "Unknown", message: "" } },
    {
      name: "has fields of other sorts",
      given: { type: 1, status: true, reason: 2, message: null, observedGeneration: "3" },
      want: { type: "", status: "Unknown", message: "" },
    },
    {
      name: "has empty texts",
      given: { type: "", status: "", reason: "", message: "" },
      want: { type: "", status: "Unknown", message: "" },
    },
    {
      name: "is of generation 0",
      given: { type: "Ready", status: "False", observedGeneration: 0 },
      want: { type: "Ready", status: "False", message: "", observedGeneration: 0 },
    },
  ])("$name", ({ given, want }) => expect(conditionsIn({ conditions: [given] })).toStrictEqual([want]));

  test("is one of a list, and the first of its type", () => {
    const conditions = [{ type: "A" }, "text", { type: "B", message: "1" }, { type: "B", message: "2" }];
    expect(conditionsOf(object({ conditions })).map(({ type }) => type)).toEqual(["A", "B", "B"]);
    expect(conditionOf(object({ conditions }), "B")?.message).toBe("1");
    expect(conditionOf(object({ conditions }), "C")).toBeUndefined();
    expect(conditionsOf(object({ conditions: { type: "A" } }))).toEqual([]);
    expect(conditionsOf(object())).toEqual([]);
  });
});

test.each<[unknown, object]>([
  [undefined, {}],
  ["Ready", {}],
  [[{ phase: "Ready" }], {}],
  [{ phase: "Ready" }, { phase: "Ready" }],
])("the status %j is read as %j", (status, want) => expect(statusOf(object(status))).toEqual(want));

test.each<[object, number]>([
  [{ ready: 2 }, 2],
  [{ ready: 0 }, 0],
  [{}, 0],
  [{ ready: "2" }, 0],
])("%j counts %i that are ready", (status, want) =>
  expect(count(status as Record<string, unknown>, "ready")).toBe(want),
);

test.each<[generation: number | undefined, observed: number | undefined, boolean]>([
  [2, 1, true],
  [2, 2, false],
  [2, 3, false],
  [2, undefined, true],
  [undefined, 0, false],
  [undefined, 1, false],
  [undefined, undefined, true],
])("a status of an object at generation %s that speaks of %s is behind: %s", (generation, observedGeneration, want) => {
  expect(isBehind(object({ observedGeneration }, generation))).toBe(want);
});

describe("the words of a health", () => {
  test("are on one line and within 120 characters", () => {
    expect(health("Failed", "PodFailed", "a\nb")).toStrictEqual({
      state: "Failed",
      reason: "PodFailed",
      message: "a b",
    });
    const { message = "" } = health("Failed", "PodFailed", "word ".repeat(40));
    expect(message).toMatch(/^word word .*…$/);
    expect(message.length).toBeLessThanOrEqual(120);
  });

  test("get to the point of what a controller reports, under a code of its reason", () => {
    expect(reportedHealth("Degraded", "no-disk", 'pods "x" is forbidden: no disk')).toStrictEqual({
      state: "Degraded",
      reason: "Nodisk",
      message: "no disk",
    });
  });

  test("are the same for all kinds that have not been reported on", () => {
    expect(pending()).toStrictEqual({
      state: "Progressing",
      reason: "RolloutPending",
      message: "its controller has not seen the present generation yet",
    });
    expect(pending("wait")).toStrictEqual({ state: "Progressing", reason: "RolloutPending", message: "wait" });
    expect(noReport()).toStrictEqual({
      state: "Progressing",
      reason: "NoReport",
      message: "the cluster has not reported on it yet",
    });
  });

  test("are none of what is available, which nobody can change for everybody else", () => {
    expect(available).toStrictEqual({ state: "Available" });
    expect(Object.isFrozen(available)).toBe(true);
  });
});

test("what serves says so, unless it is available", () => {
  const degraded: Health = { state: "Degraded", reason: "R", message: "m" };
  expect(serving(degraded)).toStrictEqual({ ...degraded, serves: "Now" });
  expect(degraded).not.toHaveProperty("serves");
  expect(serving(available)).toBe(available);
});

test.each<[string, Partial<ReportedCondition>, reason: string, message: string]>([
  ["True", { status: "True" }, "Ready", "condition Ready is True"],
  ["False", { status: "False" }, "NotReady", "condition Ready is False"],
  ["Unknown", { status: "Unknown" }, "NotReady", "condition Ready is Unknown"],
  ["False with a reason", { status: "False", reason: "no disk" }, "Nodisk", "condition Ready is False"],
  ["False with a message", { status: "False", message: "no disk" }, "NotReady", "no disk"],
  ["True with both", { status: "True", reason: "Full", message: "the disk is full" }, "Full", "the disk is full"],
])("a condition that is %s speaks for itself", (_name, more, reason, message) => {
  expect(because("Degraded", { type: "Ready", status: "True", message: "", ...more })).toStrictEqual({
    state: "Degraded",
    reason,
    message,
  });
});

test.each<[number, number, string]>([
  [0, 1, "0 of 1 replica ready"],
  [1, 0, "1 of 0 replicas ready"],
  [1, 2, "1 of 2 replicas ready"],
])("%i of %i are told in words", (some, all, want) => expect(share(some, all, "ready")).toBe(want));
