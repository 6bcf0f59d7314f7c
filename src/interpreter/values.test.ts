import { describe, expect, test } from "vitest";
import { fieldsOf, isFields, listOf, numberOf, prune, textOf } from "./values.ts";

describe("reading what nobody has checked", () => {
  test.each<[unknown, boolean]>([
    [{ a: 1 }, true],
    [[], false],
    [null, false],
    ["text", false],
  ])("%j has fields: %j", (value, want) => {
    expect(isFields(value)).toBe(want);
    expect(fieldsOf(value)).toEqual(want ? value : {});
  });

  test("entries of a list that are no objects are left out", () => {
    expect(listOf([{ a: 1 }, null, "x", [1], { b: 2 }])).toEqual([{ a: 1 }, { b: 2 }]);
    expect(listOf({ 0: { a: 1 } })).toEqual([]);
  });

  test("numbers and texts are what they are, or nothing", () => {
    expect([0, -1.5, Number.NaN, Infinity, "1", null].map(numberOf)).toEqual([
      0,
      -1.5,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(["a", "", 1, null].map(textOf)).toEqual(["a", undefined, undefined, undefined]);
  });
});

test.each<[unknown, unknown]>([
  [
    { a: null, b: [], c: { d: null }, e: {} },
    { c: {}, e: {} },
  ],
  [
    [null, [], 1, { a: undefined }],
    [null, [], 1, {}],
  ],
  [{ a: [null] }, { a: [null] }],
  [[], undefined],
  [
    JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":"x"}}'),
    JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":"x"}}'),
  ],
  [
    { a: 0, b: "", c: false },
    { a: 0, b: "", c: false },
  ],
  [{}, {}],
  [{ a: {}, b: null }, { a: {} }],
  [null, undefined],
])("%j without what a server drops is %j", (value, want) => expect(prune(value)).toStrictEqual(want));
