import { expect, test } from "vitest";
import { counted, someOf } from "./words.ts";

test("counts are in English", () => {
  expect([0, 1, 2].map((count) => counted(count, "object"))).toEqual(["0 objects", "1 object", "2 objects"]);
});

test("a list of names is cut", () => {
  expect(someOf([])).toBe("none");
  expect(someOf(["a", "b"])).toBe("a, b");
  expect(someOf(Array.from({ length: 10 }, (_, index) => `n${index}`))).toMatch(/^n0, .*n7 and 2 more$/);
});
