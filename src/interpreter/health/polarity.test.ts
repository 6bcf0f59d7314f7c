import { describe, expect, test } from "vitest";
import type { Health } from "../types.ts";
import { shownConditions } from "./conditions.ts";
import { hasNoStatus, isTelling, polarityOf } from "./generic.ts";
import { condition, judge } from "./testing.ts";

const GOOD = [
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
const BAD = ["Failed", "Stalled", "Degraded"];
const WORKING = ["Reconciling", "Progressing"];
const GOOD_IN_KUBERNETES = ["Initialized", "ContainersReady", "NamesAccepted", "AbleToScale", "ScalingActive"];
const BAD_IN_KUBERNETES = ["ReplicaFailure", "FailureTarget", "Suspended", "LoadBalancerPortsError"];
const OTHER = ["Painted", "ready", ""];

test.each([
  ...[...GOOD, ...GOOD_IN_KUBERNETES].map((type) => ({ type, want: "Good" })),
  ...[...BAD, ...WORKING, ...BAD_IN_KUBERNETES].map((type) => ({ type, want: "Bad" })),
  ...OTHER.map((type) => ({ type, want: undefined })),
])("a condition “$type” that is True is $want", ({ type, want }) => expect(polarityOf(type)).toBe(want));

test.each([
  ...[...GOOD, ...BAD, ...WORKING].map((type) => ({ type, want: true })),
  ...[...GOOD_IN_KUBERNETES, ...BAD_IN_KUBERNETES, ...OTHER].map((type) => ({ type, want: false })),
])("a condition “$type” tells of health by convention: $want", ({ type, want }) => expect(isTelling(type)).toBe(want));

test.each<[group: string, kind: string, want: boolean]>([
  ["", "ConfigMap", true],
  ["", "Secret", true],
  ["", "ServiceAccount", true],
  ["storage.k8s.io", "StorageClass", true],
  ["", "StorageClass", false],
  ["", "Pod", false],
  ["example.com", "Secret", false],
])("a kind “%s/%s” has no status: %s", (group, kind, want) => expect(hasNoStatus(group, kind)).toBe(want));

describe("an object of a kind that nobody knows", () => {
  const widget = (...conditions: object[]): Health => judge("example.com/v1 Widget", { status: { conditions } });
  const READY = condition("Ready", "True");

  test.each(GOOD)("is available by “%s” alone, and on its way while that is not True", (type) => {
    expect(widget(condition(type, "True"))).toStrictEqual({ state: "Available" });
    for (const status of ["False", "Unknown"])
      expect(widget(condition(type, status))).toStrictEqual({
        state: "Progressing",
        reason: `Not${type}`,
        message: `condition ${type} is ${status}`,
      });
  });

  test.each([
    ["Failed", "Failed"],
    ["Stalled", "Failed"],
    ["Degraded", "Degraded"],
    ["Reconciling", "Progressing"],
    ["Progressing", "Progressing"],
  ])("whose “%s” is True is %s, and otherwise is not", (type, state) => {
    const want = { state, reason: type, message: `condition ${type} is True` };
    expect(widget(condition(type, "True"))).toStrictEqual(want);
    expect(widget(READY, condition(type, "True"))).toStrictEqual({ ...want, serves: "Now" });
    for (const status of ["False", "Unknown"])
      expect(widget(READY, condition(type, status))).toStrictEqual({ state: "Available" });
  });

  test("is judged by trouble before work, by work before what is missing, and by that before its phase", () => {
    const [bad, working] = [condition("Degraded", "True"), condition("Reconciling", "True")];
    const missing = condition("Ready", "False");
    const reason = (...conditions: object[]) =>
      judge("example.com/v1 Widget", { status: { phase: "Failed", conditions } }).reason;
    expect(reason(working, missing, bad)).toBe("Degraded");
    expect(reason(missing, working)).toBe("Reconciling");
    expect(reason(missing)).toBe("NotReady");
    expect(reason(READY)).toBeUndefined();
    expect(reason()).toBe("PhaseFailed");
  });

  test.each(["NewReplicaSetAvailable", "Succeeded", "Completed", "Complete"])(
    "is done when it is Progressing with %s, and is not when it is Reconciling with it",
    (reason) => {
      expect(widget(READY, condition("Progressing", "True", reason))).toStrictEqual({ state: "Available" });
      expect(widget(READY, condition("Reconciling", "True", reason))).toMatchObject({ state: "Progressing", reason });
    },
  );

  test("is judged by its phase before its observed generation", () => {
    const status = { observedGeneration: 2, phase: "Pending" };
    expect(judge("example.com/v1 Widget", { status })).toMatchObject({ state: "Progressing", reason: "PhasePending" });
    expect(judge("example.com/v1 Widget", { status: { ...status, phase: "" } })).toStrictEqual({ state: "Available" });
  });
});

describe("the conditions that are shown", () => {
  const shown = (...conditions: object[]) =>
    shownConditions(
      { apiVersion: "v1", kind: "x", metadata: { name: "x" }, status: { conditions } },
      { state: "Failed" },
    );

  test("are there once each, by type, those of one type as they came", () => {
    const [first, second] = [condition("A", "True", "First"), condition("A", "False", "Second")];
    expect(shown(condition("Ready", "True"), condition("B", "True"), first, second)).toStrictEqual([
      { type: "A", status: "True", reason: "First" },
      { type: "A", status: "False", reason: "Second" },
      { type: "B", status: "True" },
      { type: "Ready", status: "True" },
    ]);
  });

  test.each([...BAD, ...WORKING])("hold “%s” before others", (type) => {
    const others = Array.from({ length: 8 }, (_, at) => condition(`A${at}`, "True"));
    expect(shown(...others, condition(type, "False")).map((one) => one.type)).toEqual([
      ...others.slice(0, 7).map((_, at) => `A${at}`),
      type,
    ]);
  });
});
