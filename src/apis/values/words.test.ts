import { expect, test } from "vitest";
import { counted } from "./words.ts";

test("counts are in English", () => {
  expect([0, 1, 2].map((count) => counted(count, "object"))).toEqual(["0 objects", "1 object", "2 objects"]);
});
