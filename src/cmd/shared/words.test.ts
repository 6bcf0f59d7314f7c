import { expect, test } from "vitest";
import { chooseAmong, quoted } from "./words.ts";

test("a person can choose among names, the first of many", () => {
  expect(chooseAmong([], "there are none")).toBe("there are none");
  expect(chooseAmong(["a", "b"], "there are none")).toBe("name one of these: a, b");
  const many = Array.from({ length: 10 }, (_, index) => `n${index}`);
  expect(chooseAmong(many, "")).toMatch(/^name one of these: n0, .*n7 and 2 more$/);
});

test.each([
  { word: "/tmp/a-b_1.yaml", want: "/tmp/a-b_1.yaml" },
  { word: "/tmp/my files/hub", want: "'/tmp/my files/hub'" },
  { word: "it's", want: String.raw`'it'\''s'` },
])("$word is quoted for a shell", ({ word, want }) => {
  expect(quoted(word)).toBe(want);
});
