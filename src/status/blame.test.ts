import { describe, expect, test } from "vitest";
import type { Failure } from "../desiredstate/types.ts";
import { patchProblem } from "./blame.ts";

const policy = (name = "regional") => ({ kind: "OverridePolicy", namespace: "default", name });
const overriddenBy = (name?: string) => ({
  policies: [policy(name)],
  superseded: [],
  patches: [{ policy: policy(name), rule: 2, patch: 1, kind: "Deployment", path: "/spec/replicas" }],
});
const refusal = (more: Partial<Failure> = {}): Failure => ({
  reason: "Invalid",
  message: "must be a number",
  final: true,
  fields: [".spec.replicas"],
  ...more,
});
const BEFORE = "OverridePolicy regional, rule 2: patch 1 on Deployment: ";

describe("a patch is blamed for what the member refuses", () => {
  test.each(["Invalid", "UnknownField", "BadRequest"])("with %s", (reason) => {
    expect(patchProblem("Deployment", refusal({ reason }), overriddenBy())).toEqual({
      reason: "InvalidPatch",
      message: `${BEFORE}must be a number`,
      policy: policy(),
    });
  });

  test.each([
    { name: "for a refusal that says nothing of a value", failure: { reason: "Forbidden" } },
    { name: "for another field", failure: { fields: [".spec.paused"] } },
    { name: "where the member names no field", failure: { fields: [] } },
    { name: "for an object of another kind", kind: "Service", failure: {} },
  ])("not $name", ({ kind = "Deployment", failure }) => {
    expect(patchProblem(kind, refusal(failure), overriddenBy())).toBeUndefined();
  });

  test("not where nothing overrides, nor where the failure says nothing of fields", () => {
    expect(patchProblem("Deployment", refusal(), undefined)).toBeUndefined();
    const { fields: _, ...silent } = refusal();
    expect(patchProblem("Deployment", silent, overriddenBy())).toBeUndefined();
  });
});

describe("what is said of it", () => {
  test("is all that the member said, where that fits", () => {
    const failure = refusal({ message: "must be…", detail: "must be a number" });
    expect(patchProblem("Deployment", failure, overriddenBy())).toEqual({
      reason: "InvalidPatch",
      message: `${BEFORE}must be a number`,
      policy: policy(),
    });
  });

  test("is the member's words in short where all of them are too long, and the whole stands beside it", () => {
    const failure = refusal({ message: "not a number", detail: "not a number: ".repeat(40) });
    expect(patchProblem("Deployment", failure, overriddenBy())).toEqual({
      reason: "InvalidPatch",
      message: `${BEFORE}not a number`,
      policy: policy(),
      detail: `${BEFORE}${failure.detail}`,
    });
  });

  test("shortens a long name of the policy, but not in the whole", () => {
    const name = "p".repeat(200);
    const problem = patchProblem("Deployment", refusal(), overriddenBy(name));
    expect(problem?.message).toBe(`OverridePolicy ${"p".repeat(23)}…, rule 2: patch 1 on Deployment: must be a number`);
    expect(problem?.detail).toBe(`OverridePolicy ${name}, rule 2: patch 1 on Deployment: must be a number`);
  });
});
