import { describe, expect, test } from "vitest";
import type { Failure } from "../../desiredstate/types.ts";
import type { OverrideEffect } from "../../override/index.ts";
import { blamed, patchProblem, refusedPatches } from "./blame.ts";
import { row } from "../testing.ts";

const policy = (name = "regional") => ({ kind: "OverridePolicy", namespace: "default", name });
const overriddenBy = (name?: string): OverrideEffect => ({
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
  test.each(["Invalid", "UnknownField", "BadRequest", "ImmutableField"])("with %s", (reason) => {
    expect(patchProblem("Deployment", refusal({ reason }), overriddenBy())).toMatchObject({
      reason: "InvalidPatch",
      message: `${BEFORE}must be a number`,
      policy: policy(),
    });
  });

  test.each([
    { name: "for a refusal that says nothing of a value", failure: { reason: "Forbidden" } },
    { name: "for another field", failure: { fields: [".spec.paused"] } },
    { name: "for an object of another kind", kind: "Service", failure: {} },
  ])("not $name", ({ kind = "Deployment", failure }) => {
    expect(patchProblem(kind, refusal(failure), overriddenBy())).toBeUndefined();
  });

  test("not where nothing overrides", () => {
    expect(patchProblem("Deployment", refusal(), undefined)).toBeUndefined();
  });

  test("the patches of a policy are where the member names no field, and no other policy patches the object", () => {
    const { fields: _, ...silent } = refusal({ message: "quantities must match the regular expression" });
    const problem = {
      reason: "InvalidPatch",
      message:
        "OverridePolicy regional: one of its patches on Deployment: quantities must match the regular expression",
      policy: policy(),
    };
    expect(patchProblem("Deployment", silent, overriddenBy())).toMatchObject(problem);
    expect(patchProblem("Deployment", { ...silent, fields: [] }, overriddenBy())).toMatchObject(problem);
    expect(patchProblem("Service", silent, overriddenBy())).toBeUndefined();
    const both = { ...overriddenBy(), patches: [...overriddenBy().patches, ...overriddenBy("other").patches] };
    expect(patchProblem("Deployment", silent, both)).toBeUndefined();
  });
});

describe("what is said of it", () => {
  test("is all that the member said, where that fits", () => {
    const failure = refusal({ message: "must be…", detail: "must be a number" });
    expect(patchProblem("Deployment", failure, overriddenBy())).toMatchObject({
      reason: "InvalidPatch",
      message: `${BEFORE}must be a number`,
      policy: policy(),
    });
  });

  test("is the member's words in short where all of them are too long, and the whole stands beside it", () => {
    const failure = refusal({ message: "not a number", detail: "not a number: ".repeat(40) });
    expect(patchProblem("Deployment", failure, overriddenBy())).toMatchObject({
      reason: "InvalidPatch",
      message: `${BEFORE}not a number`,
      policy: policy(),
      detail: `${BEFORE}${failure.detail}`,
    });
  });

  test("begins with the policy however long the member's words are, which are cut at their end", () => {
    const words = `spec.strategy: Unsupported value: ${"x".repeat(40)}: supported values: "Recreate", "RollingUpdate"`;
    const problem = patchProblem("Deployment", refusal({ message: words }), overriddenBy());
    expect(problem?.message).toMatch(/^OverridePolicy regional, rule 2: patch 1 on Deployment: spec.strategy: .*…$/);
    expect(problem?.shorter?.at(-1)).toMatch(/^OverridePolicy regional: spec.strategy: Unsupported value/);
    const fields = [".spec.paused"];
    const other = blamed({ ...row(), failure: refusal({ message: words, fields }) }, overriddenBy());
    expect(other.message).toMatch(/^with what OverridePolicy default\/regional patches: spec.strategy: .*…$/);
  });

  test("shortens a long name of the policy, but not in the whole", () => {
    const name = "p".repeat(200);
    const problem = patchProblem("Deployment", refusal(), overriddenBy(name));
    expect(problem?.message).toBe(`OverridePolicy ${"p".repeat(23)}…, rule 2: patch 1 on Deployment: must be a number`);
    expect(problem?.detail).toBe(`OverridePolicy ${name}, rule 2: patch 1 on Deployment: must be a number`);
  });
});

describe("a field that the member names at length", () => {
  test("is shortened at its front, and what is wrong with it is read", () => {
    const field = '.spec.template.spec.containers[name="w"].image';
    const overrides = {
      ...overriddenBy(),
      patches: [{ policy: policy(), rule: 2, patch: 1, path: "/spec/template/spec/containers/0/image" }],
    };
    const failure = refusal({ message: `${field}: expected string, got 5`, fields: [field] });
    expect(patchProblem("Deployment", failure, overrides)).toMatchObject({
      message: `${BEFORE}…containers[name="w"].image: expected string, got 5`,
      detail: `${BEFORE}${failure.message}`,
    });
  });
});

describe("where no patch is known to be at fault, those that changed the object", () => {
  const said = (failure: Partial<Failure>, overrides = overriddenBy(), more: Parameters<typeof row>[0] = {}) =>
    blamed({ ...row(more), failure: refusal({ fields: [], message: "quantities must match", ...failure }) }, overrides);
  const NAMED = "with what OverridePolicy default/regional patches: quantities must match";

  test.each(["Invalid", "BadRequest", "ImmutableField", "UnknownField"])("are named for %s", (reason) => {
    const fields = [".spec.paused"];
    expect(said({ reason, fields })).toMatchObject({ reason, message: NAMED, final: true, fields });
  });

  test.each(["BadRequest", "ImmutableField", "UnknownField"])("are named for %s without a field", (reason) => {
    expect(said({ reason })).toMatchObject({ reason, message: NAMED, final: true, fields: [] });
  });

  test("are named before a field that none of them sets", () => {
    const fields = ["spec.clusterIPs"];
    const service = { ref: { apiVersion: "v1", kind: "Service", namespace: "default", name: "shop" } };
    const patches = [{ policy: policy(), rule: 0, patch: 0, path: "/spec/externalName" }];
    const overrides = { ...overriddenBy(), patches };
    expect(said({ fields }, overrides, service)).toMatchObject({ ...refusal(), fields, message: NAMED });
  });

  test("are all named, each once, and one of no namespace without it", () => {
    const cluster = { kind: "ClusterOverridePolicy", name: "all" };
    const of = (by: typeof cluster, patch: number) => ({ policy: by, rule: 0, patch, path: "/spec/paused" });
    const overrides = { ...overriddenBy(), patches: [of(cluster, 0), of(cluster, 1), of(policy(), 0)] };
    const names = "ClusterOverridePolicy all, OverridePolicy default/regional";
    expect(said({}, overrides).message).toBe(`with what ${names} patch: quantities must match`);
  });

  test("are counted where they are many or their names are long, and all of them stand in the whole", () => {
    const patches = ["a", "b", "c".repeat(90)].map((name) => ({
      policy: policy(name),
      rule: 0,
      patch: 0,
      path: "/spec",
    }));
    const failure = said({}, { ...overriddenBy(), patches });
    expect(failure.message).toBe(
      `with what OverridePolicy default/${"c".repeat(23)}… and 2 others patch: quantities must match`,
    );
    expect(failure.detail).toContain(`OverridePolicy default/${"c".repeat(90)} patch: quantities must match`);
  });

  test.each([
    { name: "for a refusal that says nothing of a value", failure: { reason: "Forbidden" } },
    { name: "for one that is not final", failure: { final: false } },
    { name: "on an object of another kind", ref: { apiVersion: "v1", kind: "Service", name: "shop" } },
  ])("are not named $name", ({ failure = {}, name: _, ...more }) => {
    expect(said(failure, overriddenBy(), more).message).toBe("quantities must match");
  });

  test("are not named where a patch is blamed, which is final", () => {
    expect(said({ fields: [".spec.replicas"], final: false })).toMatchObject({ reason: "InvalidPatch", final: true });
    expect(blamed({ ...row(), failure: refusal() }, undefined)).toEqual(refusal());
  });
});

describe("what a policy is told of its patches", () => {
  const told = (name: string, failure: Partial<Failure>, kind = "Deployment") =>
    refusedPatches(policy(name), kind, refusal(failure), overriddenBy());

  test("is that one of them is to blame, and is told to nobody else", () => {
    expect(told("regional", {})).toMatchObject({ reason: "InvalidPatch", message: `${BEFORE}must be a number` });
    expect(told("other", {})).toBeUndefined();
  });

  test("is that the member refuses another field of what they make", () => {
    const fields = [".spec.paused"];
    const message = "with what OverridePolicy default/regional patches: must be a number";
    expect(told("regional", { fields })).toMatchObject({ reason: "NotApplied", message });
    expect(told("other", { fields })).toBeUndefined();
    expect(told("regional", { fields }, "Service")).toBeUndefined();
    expect(told("regional", { fields, reason: "Forbidden" })).toBeUndefined();
    expect(told("regional", { fields, final: false })).toBeUndefined();
  });
});
