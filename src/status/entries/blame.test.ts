import { describe, expect, test } from "vitest";
import type { Failure } from "../../desiredstate/types.ts";
import type { OverrideEffect } from "../../override/index.ts";
import { blamed, patchProblem, refusedPatches } from "./blame.ts";
import { row } from "../testing/builders.ts";

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
const BLAMED = "OverridePolicy regional, rule 2: patch 1 on Deployment";

describe("a patch is blamed for what the member refuses", () => {
  test.each(["Invalid", "UnknownField", "BadRequest", "ImmutableField"])("with %s", (reason) => {
    expect(patchProblem("Deployment", refusal({ reason }), overriddenBy())).toMatchObject({
      reason: "InvalidPatch",
      message: { what: BLAMED, why: "must be a number" },
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

  test("the patches of a policy are where the member names no field, and no other policy patches the object", () => {
    const { fields: _, ...silent } = refusal({ message: "quantities must match the regular expression" });
    const problem = {
      reason: "InvalidPatch",
      message: {
        what: "OverridePolicy regional: one of its patches on Deployment",
        why: "quantities must match the regular expression",
      },
      policy: policy(),
    };
    expect(patchProblem("Deployment", silent, overriddenBy())).toMatchObject(problem);
    expect(patchProblem("Deployment", { ...silent, fields: [] }, overriddenBy())).toMatchObject(problem);
    expect(patchProblem("Service", silent, overriddenBy())).toBeUndefined();
    const both = { ...overriddenBy(), patches: [...overriddenBy().patches, ...overriddenBy("other").patches] };
    expect(patchProblem("Deployment", silent, both)).toBeUndefined();
  });
});

describe("where no patch is known to be at fault, those that changed the object", () => {
  const said = (failure: Partial<Failure>, overrides = overriddenBy(), more: Parameters<typeof row>[0] = {}) =>
    blamed({ ...row(more), failure: refusal({ fields: [], message: "quantities must match", ...failure }) }, overrides);
  const NAMED = {
    what: "refused as patched by",
    where: ["OverridePolicy default/regional"],
    why: "quantities must match",
  };

  test.each(["Invalid", "BadRequest", "ImmutableField", "UnknownField"])("are named for %s", (reason) => {
    const fields = [".spec.paused"];
    expect(said({ reason, fields })).toMatchObject({ reason, message: NAMED, final: true, fields });
  });

  test("are all named, each once, and one of no namespace without it", () => {
    const cluster = { kind: "ClusterOverridePolicy", name: "all" };
    const of = (by: typeof cluster, patch: number) => ({ policy: by, rule: 0, patch, path: "/spec/paused" });
    const overrides = { ...overriddenBy(), patches: [of(cluster, 0), of(cluster, 1), of(policy(), 0)] };
    const where = ["OverridePolicy default/regional", "ClusterOverridePolicy all"];
    expect(said({}, overrides).message).toEqual({ ...NAMED, where });
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
    expect(told("regional", {})).toMatchObject({
      reason: "InvalidPatch",
      message: { what: BLAMED, why: "must be a number" },
    });
    expect(told("other", {})).toBeUndefined();
  });

  test("is that the member refuses another field of what they make", () => {
    const fields = [".spec.paused"];
    const message = {
      what: "refused as patched by",
      where: ["OverridePolicy default/regional"],
      why: "must be a number",
    };
    expect(told("regional", { fields })).toMatchObject({ reason: "NotApplied", message });
    expect(told("other", { fields })).toBeUndefined();
    expect(told("regional", { fields }, "Service")).toBeUndefined();
    expect(told("regional", { fields, reason: "Forbidden" })).toBeUndefined();
    expect(told("regional", { fields, final: false })).toBeUndefined();
  });
});
