import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { extentOf, type KubeObject, OBJECT_BOUNDS, type OverrideRule, type PatchOperation } from "../apis/index.ts";
import { applyRules } from "./apply.ts";
import { deployment, from, service } from "./testing.ts";
import type { OverrideResult } from "./types.ts";

function apply(policies: readonly (readonly OverrideRule[])[]): OverrideResult {
  const rules = policies.flatMap((own, at) => from(`p${at}`, ...own));
  return applyRules([deployment(), service], rules);
}

const patches = (...operations: PatchOperation[]): OverrideRule => ({ patches: operations });
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = { a: value };
  return value;
}

const wide = Object.fromEntries(times(20_000, (n) => [`k${n}`, n]));

describe("what overrides may bring and copy", () => {
  test.each<{ what: string; rules: OverrideRule[][] }>([
    {
      what: "a template that is copied into itself 30 times",
      rules: [[patches(...times(30, (n) => copy("/spec/template", `/spec/template/copy${n}`)))]],
    },
    {
      what: "the same in as many policies",
      rules: times(30, (n) => [patches(copy("/spec/template", `/spec/template/copy${n}`))]),
    },
    { what: "a value of 9,000 levels", rules: [[patches(add("/spec/deep", nested(9_000)))]] },
    {
      what: "a value that is too deep only where it comes to stand",
      rules: [[patches(add("/spec/x", 1), add("/spec/x", nested(99)))]],
    },
    {
      what: "a test against a value of 9,000 levels",
      rules: [[patches({ kind: "Deployment", op: "test", path: "/spec", value: nested(9_000) })]],
    },
    { what: "a value of 2 MB", rules: [[patches(add("/spec/text", "x".repeat(2_000_000)))]] },
    {
      what: "variables of 2 MB in all",
      rules: times(8, (at) => [{ env: times(8, (n) => ({ name: `V${at}_${n}`, value: "x".repeat(32_768) })) }]),
    },
    {
      what: "a wide map of which one field after the other changes",
      rules: [[patches(add("/spec/wide", wide), ...times(31, (n) => add("/spec/wide/k1", n)))]],
    },
    { what: "more policies than anybody needs", rules: times(20_000, (n) => [{ labels: { team: `t${n}` } }]) },
  ])("end $what with TooLarge, and leave what was right before", ({ rules }) => {
    const { objects, problem } = apply(rules);
    expect(problem).toMatchObject({ reason: "TooLarge", message: expect.stringMatching(/levels|bytes|fields/) });
    expect(extentOf(objects, { bytes: 2 * OBJECT_BOUNDS.bytes, levels: 110 }).exceeds).toBeUndefined();
  });

  test("are enough for 64 rules of 32 patches each, in 4 policies", () => {
    const rule = (at: number): OverrideRule =>
      patches(...times(32, (n) => add(`/metadata/annotations/a${n}`, `${at}`)));
    const first = patches(add("/metadata/annotations", {}));
    expect(apply([[first], ...times(4, () => times(16, rule))]).problem).toBeUndefined();
  });

  test("fail the policy that asks for too much, whole, and no other", () => {
    const bomb = times(30, (n) => patches(copy("/spec/template", `/spec/template/copy${n}`)));
    const { objects, problem } = apply([[{ labels: { tier: "front" } }], [{ labels: { late: "yes" } }, ...bomb]]);
    expect(problem?.policy.name).toBe("p1");
    expect(objects[0]?.metadata.labels).toEqual({ app: "shop", tier: "front" });
  });

  const path = fc.constantFrom(
    "/spec/template",
    "/spec",
    "/spec/a",
    "/spec/a/b",
    "/spec/template/spec",
    "/spec/list/-",
    "/spec/list/0",
    "/spec/template/x",
  );
  const operation = fc.record({
    kind: fc.constantFrom("Deployment", "Service"),
    op: fc.constantFrom("add" as const, "copy" as const, "copy" as const, "move" as const, "replace" as const),
    path,
    from: path,
    value: fc.constantFrom<unknown>(
      {},
      [],
      { a: {} },
      nested(40),
      "x".repeat(10_000),
      times(500, () => ({ a: 1 })),
    ),
  });
  const policy = fc.array(
    fc.array(operation, { minLength: 1, maxLength: 32 }).map((all) => patches(...all)),
    { maxLength: 20 },
  );

  test.prop([fc.array(policy, { maxLength: 6 })])("hold for whatever policies there are", (policies) => {
    // One after the other, as if each had gone through, so that growth is not ended by a path that is missing.
    let objects: readonly KubeObject[] = [deployment(), service];
    for (const rule of policies.flat()) {
      const whole = from("p", ...(rule.patches ?? []).map((one) => patches(one)));
      const before = extentOf(objects, { bytes: Infinity, levels: 110 });
      const result = applyRules(objects, whole);
      const after = extentOf(result.objects, { bytes: before.bytes + OBJECT_BOUNDS.bytes + 1_000, levels: 110 });
      expect(after.exceeds).toBeUndefined();
      if (after.bytes < OBJECT_BOUNDS.bytes) objects = result.objects;
    }
  });
});

function copy(from: string, path: string): PatchOperation {
  return { kind: "Deployment", op: "copy", from, path };
}

function add(path: string, value: unknown): PatchOperation {
  return { kind: "Deployment", op: "add", path, value };
}
