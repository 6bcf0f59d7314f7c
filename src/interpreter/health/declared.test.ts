import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { HealthRule, KubeObject } from "../../apis/index.ts";
import { memberReport } from "../registry/memberReport.ts";
import type { Health } from "../types.ts";
import { condition, failed, pending, progressing, unknown } from "../testing/workloadHealth.ts";
import { conditionProblem, declaredHealth } from "./declared.ts";

const AVAILABLE: Health = { state: "Available" };
const NODES: HealthRule = { available: "object.status.nodes > 0" };
const ERROR: HealthRule = { failed: "object.status.error" };
const MISTAKE = "object.status.";

const object = (status: object | undefined, metadata: object = {}): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "w", generation: 2, ...metadata },
  status,
});
const judged = (rule: HealthRule, status: object, byKind: Health = AVAILABLE): Health =>
  declaredHealth(object(status), rule, byKind);
const byKind = (state: Health["state"]): Health => ({ state, reason: "R", message: "m" });

const UNAVAILABLE = progressing(
  "DeclaredUnavailable",
  "by spec.health of the placement, not yet: object.status.nodes > 0",
);
const UNREADABLE = "HealthNotReadable";

describe("health as a placement declares it", () => {
  test.each<{ name: string; rule: HealthRule; status: object; kind?: Health; want: Partial<Health> }>([
    { name: "available", rule: NODES, status: { nodes: 1 }, want: AVAILABLE },
    {
      name: "available, whatever the kind says",
      rule: NODES,
      status: { nodes: 1 },
      kind: byKind("Failed"),
      want: AVAILABLE,
    },
    { name: "not available", rule: NODES, status: { nodes: 0 }, want: UNAVAILABLE },
    ...(["Progressing", "Degraded", "Failed"] as const).map((state) => ({
      name: `not available, and ${state} by kind`,
      rule: NODES,
      status: { nodes: 0 },
      kind: byKind(state),
      want: byKind(state),
    })),
    {
      name: "failed, though it is available",
      rule: { ...NODES, ...ERROR },
      status: { nodes: 1, error: true },
      want: failed("DeclaredFailed", "by spec.health of the placement: object.status.error"),
    },
    {
      name: "not failed, and nothing else is declared",
      rule: ERROR,
      status: { error: false },
      kind: byKind("Degraded"),
      want: byKind("Degraded"),
    },
    {
      name: "the generation before served",
      rule: NODES,
      status: { observedGeneration: 1, nodes: 1 },
      want: { ...pending, serves: "Before" },
    },
    { name: "the generation before is unreadable", rule: NODES, status: { observedGeneration: 1 }, want: pending },
    { name: "the present generation", rule: NODES, status: { observedGeneration: 2, nodes: 1 }, want: AVAILABLE },
    {
      name: "a missing field",
      rule: NODES,
      status: { other: 1 },
      want: unknown(UNREADABLE, "spec.health available: No such key: nodes"),
    },
    {
      name: "a value that is neither true nor false",
      rule: { available: "object.status.nodes" },
      status: { nodes: 1 },
      want: unknown(UNREADABLE, "spec.health available: it is neither true nor false"),
    },
    {
      name: "an expression that admission did not see",
      rule: { available: MISTAKE },
      status: { nodes: 1 },
      want: unknown("InvalidHealthRule", `spec.health available: ${conditionProblem(MISTAKE)}`),
    },
  ])("$name", ({ rule, status, kind, want }) => expect(judged(rule, status, kind)).toStrictEqual(want));

  test("keeps the number of replicas", () => {
    const replicas = { desired: 1, updated: 1, ready: 1, available: 1 };
    for (const [nodes, want] of [AVAILABLE, UNAVAILABLE].map((health, at) => [1 - at, health] as const))
      expect(judged(NODES, { nodes }, { ...AVAILABLE, replicas })).toStrictEqual({ ...want, replicas });
  });

  test("is asked before the conditions of the object, and after its deletion", () => {
    const report = (nodes: number, metadata = {}): Health =>
      memberReport(object({ nodes, conditions: [condition("Ready", "False", "NoVolume", "why")] }, metadata), NODES)
        .health;
    expect(report(1)).toEqual(AVAILABLE);
    expect(report(0)).toEqual(progressing("NoVolume", "why"));
    expect(report(1, { deletionTimestamp: "2026-11-22T10:00:00Z" })).toMatchObject(progressing("Terminating"));
    expect(memberReport(object(undefined), { available: "true" }).health).toEqual(AVAILABLE);
  });

  test.prop([fc.nat(50), fc.option(fc.integer({ min: -5, max: 50 })), fc.boolean()])(
    "is available exactly where it is said to be",
    (replicas, nodes, error) => {
      const rule = { available: "object.status.nodes >= object.spec.replicas", failed: "has(object.status.error)" };
      const status = { ...(nodes === null ? {} : { nodes }), ...(error ? { error: "x" } : {}) };
      const { state } = declaredHealth({ ...object(status), spec: { replicas } }, rule, AVAILABLE);
      const answer = nodes === null ? "Unknown" : nodes >= replicas ? "Available" : "Progressing";
      expect(state).toBe(error ? "Failed" : answer);
    },
  );
});

test("an expression stays what it is, however many others there are", () => {
  const problems = Array.from({ length: 1_010 }, (_, at) => conditionProblem(`object.status.nodes > ${at}`));
  expect(problems.every((problem) => problem === undefined)).toBe(true);
  expect(conditionProblem(MISTAKE)).toMatch(/^column 15: ./);
  expect(judged(NODES, { nodes: 1 })).toStrictEqual(AVAILABLE);
});

test.each([
  ["lists of lists", "object.list.all(a, object.list.all(b, object.list.all(c, c == 1)))"],
  [
    "lists that are made",
    "[1,2,3,4,5,6,7,8].map(a, [1,2,3,4,5,6,7,8].map(b, [1,2,3,4,5,6,7,8].map(c, [1,2,3,4,5,6,7,8].map(d, [1,2,3,4,5,6,7,8].map(e, 1))))) == []",
  ],
  ["texts that grow", `[object.text]${".map(a, a + a)".repeat(12)} == []`],
  ["comparisons of large values", "object.list.all(a, object.list == object.copy)"],
  ["errors without end", "object.list.all(a, object.list.all(b, b.missing))"],
  ["one list that is too long", "object.long.all(a, a == 1)"],
])("an expression with %s ends soon, and is unknown", (_name, expression) => {
  const ones = (length: number): number[] => Array.from({ length }, () => 1);
  const large = {
    list: ones(500),
    copy: ones(500),
    long: ones(300_000),
    text: "x".repeat(100_000),
    map: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index])),
  };
  expect(conditionProblem(expression)).toBeUndefined();
  const before = process.threadCpuUsage();
  const found = declaredHealth({ ...object({}), ...large }, { available: expression }, AVAILABLE);
  // Some 30 ms; without bounds it takes minutes. The limit is for a machine a hundred times as slow.
  expect(process.threadCpuUsage(before).user).toBeLessThan(3_000_000);
  expect(found).toMatchObject({ state: "Unknown", reason: UNREADABLE });
});
