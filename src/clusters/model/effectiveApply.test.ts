import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { applyOf, isSameApplyOf, withoutEffect } from "./effectiveApply.ts";
import { row, seen } from "../testing/builders.ts";

const AT = "2026-01-01T10:00:00Z";
const liveOf = (appliedAt?: string): KubeObject => {
  const { live } = seen(appliedAt === undefined ? {} : { appliedAt }).evidence;
  if (live === undefined) throw new Error("no object");
  return live;
};

describe("the apply that an object shows", () => {
  test("is that of its row, to that life of it, at that time", () => {
    expect(applyOf(row(), liveOf(AT))).toEqual({ uid: "member-1", hash: "h1", appliedAt: AT });
  });

  test("is unknown where nobody says when it was, or of which life", () => {
    expect(applyOf(row(), liveOf())).toBeUndefined();
    const live = liveOf(AT);
    const { uid: _, ...metadata } = live.metadata;
    expect(applyOf(row(), { ...live, metadata })).toBeUndefined();
  });

  const apply = { uid: "u", hash: "h", appliedAt: AT };
  test.each([
    { name: "the same", a: apply, b: { ...apply }, want: true },
    { name: "of another life", a: apply, b: { ...apply, uid: "v" }, want: false },
    { name: "of another state", a: apply, b: { ...apply, hash: "i" }, want: false },
    { name: "at another time", a: apply, b: { ...apply, appliedAt: "2026-01-01T10:00:01Z" }, want: false },
    { name: "none before", a: undefined, b: apply, want: false },
    { name: "none now", a: apply, b: undefined, want: false },
    { name: "never one", a: undefined, b: undefined, want: false },
  ])("$name is the same: $want", ({ a, b, want }) => expect(isSameApplyOf(a, b)).toBe(want));
});

test.each([
  { altered: ["spec.replicas"], end: "applied: spec.replicas" },
  { altered: ["spec.replicas", "spec.a"], end: "applied: spec.replicas and 1 more" },
  { altered: ["spec.replicas", "spec.a", "spec.b"], end: "applied: spec.replicas and 2 more" },
])("an apply without effect says what the member made of it: $end", ({ altered, end }) => {
  expect(withoutEffect(altered)).toEqual({
    reason: "AppliedWithoutEffect",
    message: `the member's admission changes or removes what is ${end}`,
    final: false,
  });
});
