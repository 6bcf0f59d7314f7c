import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { sameValue } from "./sameValue.ts";

describe("sameValue", () => {
  test.prop([fc.jsonValue(), fc.jsonValue()])("agrees with a round trip through JSON, and both ways round", (a, b) => {
    expect(sameValue(a, JSON.parse(JSON.stringify(a)))).toBe(true);
    expect(sameValue(a, b)).toBe(sameValue(b, a));
  });

  test.each<[unknown, unknown, boolean]>([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: 1 }, { a: 1, b: null }, false],
    [{ a: undefined }, { b: undefined }, true],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [[], {}, false],
    [null, {}, false],
    [{ 0: 1, length: 1 }, [1], false],
    [[1, undefined], [1], false],
    [{ a: [1] }, { a: { 0: 1 } }, false],
    [{ a: 1, c: 2 }, { b: 1, c: 2 }, false],
    ["1", 1, false],
    [{ toString: 1 }, {}, false],
    [{ a: 1, b: undefined }, { b: 1, a: 1 }, false],
  ])("%j and %j: %s", (a, b, want) => {
    expect(sameValue(a, b)).toBe(want);
    expect(sameValue(b, a)).toBe(want);
  });

  test("integers that no number holds are compared digit by digit", () => {
    expect(sameValue({ a: [9007199254740993n] }, { a: [9007199254740993n] })).toBe(true);
    expect(sameValue(9007199254740993n, 9007199254740992n)).toBe(false);
    expect([sameValue(9007199254740992n, 2 ** 53), sameValue(2 ** 53, 9007199254740992n)]).toEqual([true, true]);
    expect([sameValue("1", 1n), sameValue(1n, true), sameValue(null, 0n)]).toEqual([false, false, false]);
  });
});
