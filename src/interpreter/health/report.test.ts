import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import {
  because,
  codeOf,
  conditionOf,
  conditionsIn,
  conditionsOf,
  health,
  isBehind,
  type ReportedCondition,
  reportedHealth,
} from "./report.ts";

const object = (status?: unknown, generation?: number): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "x", ...(generation === undefined ? {} : { generation }) },
  ...(status === undefined ? {} : { status }),
});

describe("a reported condition", () => {
  test.each<[name: string, given: object, want: ReportedCondition]>([
    [
      "has all of its fields",
      { type: "Ready", status: "True", reason: "R", message: "m", observedGeneration: 0, lastUpdateTime: "t" },
      { type: "Ready", status: "True", reason: "R", message: "m", observedGeneration: 0 },
    ],
    [
      "has empty texts",
      { type: "", status: "", reason: "", message: "" },
      { type: "", status: "Unknown", message: "" },
    ],
  ])("%s", (_name, given, want) => expect(conditionsIn({ conditions: [given] })).toStrictEqual([want]));

  test("is in a list, and found as the first of its type", () => {
    const conditions = [{ type: "A" }, "text", { type: "B", message: "1" }, { type: "B", message: "2" }];
    expect(conditionsOf(object({ conditions })).map(({ type }) => type)).toEqual(["A", "B", "B"]);
    expect(conditionOf(object({ conditions }), "B")?.message).toBe("1");
    expect(conditionOf(object({ conditions }), "C")).toBeUndefined();
    expect(conditionsOf(object({ conditions: { type: "A" } }))).toEqual([]);
  });
});

test.each<[generation: number | undefined, observed: number | undefined, boolean]>([
  [2, 1, true],
  [2, 2, false],
  [2, undefined, true],
  [undefined, 0, false],
])("the status of an object at generation %s with the observed one %s is behind: %s", (generation, observed, want) => {
  expect(isBehind(object({ observedGeneration: observed }, generation))).toBe(want);
});

describe("a health", () => {
  test("has the point of what a controller reports, under a code of its reason", () => {
    expect(reportedHealth("Degraded", "no-disk", 'pods "x" is forbidden: no\ndisk')).toStrictEqual({
      state: "Degraded",
      reason: "Nodisk",
      message: "no disk",
    });
    expect(health("Failed", "PodFailed", `${"word ".repeat(40)}\n`).message?.length).toBeLessThanOrEqual(120);
  });

  test.each<[Partial<ReportedCondition>, reason: string, message: string]>([
    [{ status: "True" }, "Ready", "condition Ready is True"],
    [{ status: "Unknown" }, "NotReady", "condition Ready is Unknown"],
    [{ status: "False", reason: "no disk" }, "Nodisk", "condition Ready is False"],
    [{ status: "False", message: "no disk" }, "NotReady", "no disk"],
  ])("for the condition %j has the reason %s and says: %s", (more, reason, message) => {
    const condition = { type: "Ready", status: "True", message: "", ...more };
    expect(because("Degraded", condition)).toStrictEqual({ state: "Degraded", reason, message });
  });
});

test.each([
  ["a", "A"],
  ["a.b-c_d", "Abcd"],
  ["", "Unhealthy"],
  ["-1x", "Unhealthy"],
  [`${"a".repeat(128)}b`, `A${"a".repeat(127)}`],
])("the reason %j becomes the code %s", (reason, code) => expect(codeOf(reason)).toBe(code));
