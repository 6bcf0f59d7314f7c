import { describe, expect, expectTypeOf, test } from "vitest";
import { defined } from "./defined.ts";

const maybe = <T>(value: T | undefined): T | undefined => value;

describe("defined", () => {
  test("leaves out what is undefined and nothing else, in the same order", () => {
    const result = defined({ c: 0, a: maybe<string>(undefined), b: null, d: "", e: false });
    expect(Object.entries(result)).toEqual([
      ["c", 0],
      ["b", null],
      ["d", ""],
      ["e", false],
    ]);
    expect(Object.keys(defined({ a: maybe(1), b: maybe(2) }))).toEqual(["a", "b"]);
    expect(defined({ a: maybe(undefined) })).toStrictEqual({});
  });

  test("knows which members may be absent", () => {
    const result = defined({ name: "shop", namespace: maybe("team") });
    expectTypeOf(result).toEqualTypeOf<{ name: string; namespace?: string }>();
  });
});
