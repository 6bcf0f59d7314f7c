import { describe, expect, test } from "vitest";
import type { HealthRule, KubeObject } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { conditionProblem, declaredHealth } from "./declared.ts";

const AVAILABLE: Health = { state: "Available" };
const NODES: HealthRule = { available: "object.status.nodes > 0" };
const ERROR: HealthRule = { failed: "object.status.error" };

/** What an object of generation 2 with that status is, where the rule of its kind says so much. */
function judged(rule: HealthRule, status: object, byKind: Health = AVAILABLE): Health {
  const object = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", generation: 2 }, status };
  return declaredHealth(object as KubeObject, rule, byKind);
}

const declared = (reason: string, message: string): Health => ({ state: "Progressing", reason, message });
const UNAVAILABLE = declared(
  "DeclaredUnavailable",
  "by spec.health of the placement, not yet: object.status.nodes > 0",
);

describe("what a kind says of an object", () => {
  test.each<[string, Health, Health]>([
    ["Available", AVAILABLE, UNAVAILABLE],
    ["Unknown", { state: "Unknown", reason: "NoReport", message: "m" }, UNAVAILABLE],
    ...(["Progressing", "Degraded", "Failed"] as const).map((state): [string, Health, Health] => {
      const health = { state, reason: "R", message: "m" };
      return [state, health, health];
    }),
  ])("counts where it is not available as declared: %s", (_name, byKind, want) => {
    expect(judged(NODES, { nodes: 0 }, byKind)).toStrictEqual(want);
    expect(judged(NODES, { nodes: 1 }, byKind)).toStrictEqual(AVAILABLE);
  });

  test("counts where nothing but a failure is declared", () => {
    const byKind: Health = { state: "Degraded", reason: "R", message: "m" };
    expect(judged(ERROR, { error: false }, byKind)).toStrictEqual(byKind);
    expect(judged({}, {}, byKind)).toStrictEqual(byKind);
    expect(judged(ERROR, { error: true }, byKind)).toStrictEqual({
      state: "Failed",
      reason: "DeclaredFailed",
      message: "by spec.health of the placement: object.status.error",
    });
  });

  test("tells how many replicas there are, whatever was declared", () => {
    const replicas = { desired: 1, updated: 1, ready: 1, available: 1 };
    const byKind: Health = { ...AVAILABLE, replicas };
    expect(judged(NODES, { nodes: 1 }, byKind)).toStrictEqual({ ...AVAILABLE, replicas });
    expect(judged(NODES, { nodes: 0 }, byKind)).toStrictEqual({ ...UNAVAILABLE, replicas });
  });
});

describe("the status of an object", () => {
  const PENDING = declared("RolloutPending", "its controller has not seen the present generation yet");

  test.each<[string, HealthRule, object, Health]>([
    ["before served", NODES, { observedGeneration: 1, nodes: 1 }, { ...PENDING, serves: "Before" }],
    ["before served nobody", NODES, { observedGeneration: 1, nodes: 0 }, PENDING],
    ["before cannot be read", NODES, { observedGeneration: 1 }, PENDING],
    ["before is not declared to serve", ERROR, { observedGeneration: 1, error: true }, PENDING],
    ["is of this generation", NODES, { observedGeneration: 2, nodes: 1 }, AVAILABLE],
    ["is of a later generation", NODES, { observedGeneration: 3, nodes: 1 }, AVAILABLE],
    ["is of no generation", NODES, { nodes: 1 }, AVAILABLE],
  ])("%s", (_name, rule, status, want) => expect(judged(rule, status)).toStrictEqual(want));
});

describe("an expression that cannot be used", () => {
  test.each<[keyof HealthRule, HealthRule]>([
    ["available", { available: "object.status." }],
    ["failed", { failed: "object.status.", available: "true" }],
  ])("of %s is unknown, with the place of the mistake", (field, rule) => {
    const found = judged(rule, { nodes: 1 });
    const mistake = conditionProblem("object.status.");
    expect(mistake).toMatch(/^column 15: ./);
    expect(found).toStrictEqual({
      state: "Unknown",
      reason: "InvalidHealthRule",
      message: `spec.health ${field}: ${mistake}`,
    });
  });

  test.each<[keyof HealthRule, HealthRule]>([
    ["available", NODES],
    ["failed", { ...ERROR, available: "true" }],
  ])("of %s since a field is missing is unknown, with its name and on one line", (field, rule) => {
    expect(judged(rule, { other: 1 })).toStrictEqual({
      state: "Unknown",
      reason: "HealthNotReadable",
      message: `spec.health ${field}: No such key: ${field === "failed" ? "error" : "nodes"}`,
    });
  });

  test("stays what it is, however many others there are", () => {
    const problems = Array.from({ length: 1_010 }, (_, at) => conditionProblem(`object.status.nodes > ${at}`));
    expect(problems.every((problem) => problem === undefined)).toBe(true);
    expect(conditionProblem("object.status.")).toMatch(/^column 15: ./);
    expect(judged(NODES, { nodes: 1 })).toStrictEqual(AVAILABLE);
  });
});
