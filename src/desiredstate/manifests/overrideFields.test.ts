import { describe, expect, test } from "vitest";
import type { KubeObject, OverrideRule } from "../../apis/index.ts";
import type { MatchedRule } from "../../override/index.ts";
import { appliedRules } from "./overrideFields.ts";

const object = (kind: string, content: object): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "web", namespace: "default" },
  ...content,
});
const base = [
  object("ConfigMap", { data: { a: "1", b: "2" }, list: [1], nested: { x: { y: 1, z: 2 }, xy: 1 } }),
  object("Secret", { data: { password: "b25l" } }),
];
const policy = (name: string) => ({ kind: "OverridePolicy", namespace: "default", name });
const rule = (name: string, given: OverrideRule, index = 0): MatchedRule => ({
  policy: policy(name),
  index,
  rule: given,
});
const patch = (op: "add" | "replace" | "remove", path: string, value?: unknown, kind = "ConfigMap"): OverrideRule =>
  ({ patches: [{ kind, op, path, ...(value === undefined ? {} : { value }) }] }) as OverrideRule;
const applied = (...rules: MatchedRule[]) => appliedRules(base)(rules);

describe("what each rule sets", () => {
  test("is told field by field, with the value that it has then", () => {
    expect(
      applied(rule("a", patch("replace", "/data/a", "9")), rule("b", patch("add", "/data/c", "3"), 4)),
    ).toStrictEqual([
      { policy: policy("a"), rule: 0, fields: [{ kind: "ConfigMap", path: "data.a", value: "9" }] },
      { policy: policy("b"), rule: 4, fields: [{ kind: "ConfigMap", path: "data.c", value: "3" }] },
    ]);
  });

  test("has no value where it takes the field away, or where that may not be shown", () => {
    expect(
      applied(rule("a", patch("remove", "/data/a")), rule("a", patch("replace", "/data/password", "dHdv", "Secret"))),
    ).toStrictEqual([
      { policy: policy("a"), rule: 0, fields: [{ kind: "ConfigMap", path: "data.a" }] },
      { policy: policy("a"), rule: 0, fields: [{ kind: "Secret", path: "data.password", masked: true }] },
    ]);
  });

  test("ends with the first rule that cannot be applied", () => {
    expect(
      applied(
        rule("a", { replicas: 3 }),
        rule("bad", patch("remove", "/none"), 2),
        rule("c", patch("replace", "/data/a", "9")),
      ),
    ).toEqual([
      { policy: policy("a"), rule: 0, fields: [{ path: "replicas", value: 3 }] },
      { policy: policy("bad"), rule: 2, fields: [], problem: expect.stringMatching(/remove: \/none does not exist$/) },
    ]);
  });
});

describe("the last word", () => {
  const words = (...given: MatchedRule[]) =>
    applied(...given).map(({ fields }) => fields.map(({ path, overriddenBy }) => [path, overriddenBy?.name]));

  test("has whoever sets the whole over its parts, and not the other way round", () => {
    const part = rule("part", patch("replace", "/nested/x/y", 5));
    const whole = rule("whole", patch("replace", "/nested/x", "none"));
    expect(words(part, whole)).toEqual([[["nested.x.y", "whole"]], [["nested.x", undefined]]]);
    const beside = rule("beside", patch("replace", "/nested/xy", 5));
    expect(words(beside, whole)).toEqual([[["nested.xy", undefined]], [["nested.x", undefined]]]);
    expect(
      words(rule("first", patch("replace", "/nested/x/y", 5)), rule("next", patch("replace", "/nested/x/z", 5))),
    ).toEqual([[["nested.x.y", undefined]], [["nested.x.z", undefined]]]);
  });
});
