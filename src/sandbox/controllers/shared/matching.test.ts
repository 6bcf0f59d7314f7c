import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { quantity, sameValue, scaledValue } from "./matching.ts";

describe("quantity", () => {
  test.each([
    ["100m", 0.1],
    ["1.5", 1.5],
    [".5", 0.5],
    ["128Mi", 134_217_728],
    ["1k", 1000],
    ["2e3", 2000],
    ["1E", 1e18],
    [3, 3],
  ])("%s is %d", (text, want) => expect(quantity(text)).toBeCloseTo(want, 9));

  test.each(["", "1 Gi", "Gi", "1KB", "one"])("%j is none", (text) =>
    expect(() => quantity(text)).toThrow(/is not a quantity/),
  );
});

describe("scaledValue", () => {
  test.each([
    ["25%", 10, true, 3],
    ["25%", 10, false, 2],
    ["0%", 10, true, 0],
    [4, 10, true, 4],
    [undefined, 10, true, 0],
  ] as const)("%s of %d, rounded up: %s, is %d", (value, total, up, want) =>
    expect(scaledValue(value, total, up)).toBe(want),
  );
});

describe("sameValue", () => {
  test.each([
    [{ a: undefined }, {}, true],
    [{ a: [] }, { a: null }, true],
    [{ a: {} }, {}, true],
    [{ a: 0 }, {}, false],
    [{ a: "" }, {}, false],
    [{ a: false }, {}, false],
    [[1, 2], [2, 1], false],
    [{ a: [1] }, { a: { 0: 1 } }, false],
    ["1", 1, false],
  ])("of %j and %j is %s", (a, b, want) => expect(sameValue(a, b)).toBe(want));

  property.prop([fc.jsonValue()])("holds for a copy", (value) => {
    expect(sameValue(value, JSON.parse(JSON.stringify(value)))).toBe(true);
  });

  property.prop([fc.jsonValue(), fc.jsonValue()])("does not depend on the order", (a, b) => {
    expect(sameValue(a, b)).toBe(sameValue(b, a));
  });
});
