import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { applyOf, type EffectiveApply, isSameApplyOf, withoutEffect } from "./effectiveApply.ts";
import { row, seen } from "../testing/builders.ts";

const AT = "2026-01-01T10:00:00Z";
const liveAt = (appliedAt?: string) =>
  seen(appliedAt === undefined ? {} : { appliedAt }).evidence.live as unknown as KubeObject;

describe("the apply that an object shows", () => {
  test("has the UID, the row's hash and the time, and is unknown when the UID or the time is missing", () => {
    expect(applyOf(row(), liveAt(AT))).toEqual({ uid: "member-1", hash: "h1", appliedAt: AT });
    expect(applyOf(row(), liveAt())).toBeUndefined();
    const { uid: _, ...metadata } = liveAt(AT).metadata;
    expect(applyOf(row(), { ...liveAt(AT), metadata })).toBeUndefined();
  });

  const apply = { uid: "u", hash: "h", appliedAt: AT };
  test.each<[EffectiveApply | undefined, EffectiveApply | undefined, boolean]>([
    [apply, { ...apply }, true],
    [apply, { ...apply, uid: "v" }, false],
    [apply, { ...apply, hash: "i" }, false],
    [apply, { ...apply, appliedAt: "2026-01-01T10:00:01Z" }, false],
    [undefined, apply, false],
    [apply, undefined, false],
    [undefined, undefined, false],
  ])("%j and %j are the same apply: %s", (a, b, want) => expect(isSameApplyOf(a, b)).toBe(want));
});

test.each([
  { altered: ["spec.replicas"], end: "applied: spec.replicas" },
  { altered: ["spec.replicas", "spec.a", "spec.b"], end: "applied: spec.replicas and 2 more" },
])("the failure of an apply without effect names the changed fields: $end", ({ altered, end }) => {
  const message = `the member's admission changes or removes what is ${end}`;
  expect(withoutEffect(altered)).toEqual({ reason: "AppliedWithoutEffect", message, final: false });
});
