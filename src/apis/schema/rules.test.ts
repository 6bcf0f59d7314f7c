import { describe, expect, test } from "vitest";
import { z } from "zod";
import { atLeastOneOf, exactlyOneOf, listMap, listSet, withRules } from "./rules.ts";

const problems = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ code, path, message }) => [code, path.join("."), message]) ?? [];

describe("a rule", () => {
  const even = { rule: "self % 2 == 0", message: "must be even", holds: (value: number) => value % 2 === 0 };

  test("is asked by the parser, and stands in the schema for the server", () => {
    const schema = withRules(z.number(), even);
    expect(problems(schema, 2)).toEqual([]);
    expect(problems(schema, 3)).toEqual([["custom", "", "must be even"]]);
    expect(schema.meta()?.["x-kubernetes-validations"]).toStrictEqual([{ rule: even.rule, message: even.message }]);
  });

  test("names the field that is to blame", () => {
    const schema = withRules(z.object({ a: z.number() }), {
      rule: "self.a > 0",
      message: "a: too small",
      field: "a",
      holds: ({ a }) => a > 0,
    });
    expect(problems(schema, { a: 0 })).toEqual([["custom", "a", "a: too small"]]);
    expect(schema.meta()?.["x-kubernetes-validations"]).toStrictEqual([
      { rule: "self.a > 0", message: "a: too small", fieldPath: ".a" },
    ]);
  });

  test("over a former value is the server's alone, and further rules join those before", () => {
    const schema = withRules(withRules(z.number(), even), { rule: "self == oldSelf", message: "never changes" });
    expect(problems(schema, 2)).toEqual([]);
    expect(problems(schema, 3)).toEqual([["custom", "", "must be even"]]);
    expect(schema.meta()?.["x-kubernetes-validations"]).toEqual([
      { rule: even.rule, message: even.message },
      { rule: "self == oldSelf", message: "never changes" },
    ]);
  });
});

describe("a list", () => {
  test("with keys has each key once", () => {
    const schema = listMap(z.array(z.object({ a: z.string(), b: z.number() })), "a", "b");
    expect(
      problems(schema, [
        { a: "x", b: 1 },
        { a: "x", b: 2 },
      ]),
    ).toEqual([]);
    expect(
      problems(schema, [
        { a: "x", b: 1 },
        { a: "y", b: 1 },
        { a: "x", b: 1 },
      ]),
    ).toEqual([["custom", "2", 'a and b ["x",1] is there twice; each entry must have its own']]);
    expect(schema.meta()).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a", "b"],
    });
  });

  test("without order has each entry once", () => {
    const schema = listSet(z.array(z.string()));
    expect(problems(schema, ["a", "b"])).toEqual([]);
    expect(problems(schema, ["a", "b", "a"])).toEqual([["custom", "2", '"a" is there twice; remove one']]);
    expect(schema.meta()).toMatchObject({ "x-kubernetes-list-type": "set" });
  });
});

test.each<[object, boolean, boolean]>([
  [{}, false, false],
  [{ a: 1 }, true, true],
  [{ c: 0 }, true, true],
  [{ a: 1, b: 2 }, false, true],
  [{ a: undefined, b: 2 }, true, true],
  [{ other: 1 }, false, false],
])("of a, b and c %j gives exactly one: %j, at least one: %j", (value, exactly, atLeast) => {
  expect(exactlyOneOf("a", "b", "c").holds?.(value as Record<string, unknown>)).toBe(exactly);
  expect(atLeastOneOf("a", "b", "c").holds?.(value as Record<string, unknown>)).toBe(atLeast);
});
