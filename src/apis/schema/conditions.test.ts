import { describe, expect, test } from "vitest";
import { asCount, count, isCount, MOST_COUNTED } from "./conditions.ts";

describe("a number that a status counts with", () => {
  test.each([0, -0, 1, MOST_COUNTED, MOST_COUNTED + 1, -3, 2.5, NaN, Infinity, "3", null])("of %s", (value) => {
    expect(isCount(value)).toBe(count.safeParse(value).success);
  });

  test.each([
    [3, 3],
    [-3, 0],
    [2.5, 2],
    [-0.5, 0],
    [MOST_COUNTED + 1, MOST_COUNTED],
    [Infinity, MOST_COUNTED],
    [NaN, 0],
  ])("that stands as %s is said as %s", (value, want) => {
    expect(asCount(value) + 0).toBe(want);
    expect(isCount(asCount(value))).toBe(true);
  });
});
