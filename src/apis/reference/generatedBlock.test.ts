import { describe, expect, test } from "vitest";
import { markdownTable, withBlock, withBlocks } from "./generatedBlock.ts";

const BEGIN = "<!-- flags: written by `npm run generate` -->";
const END = "<!-- end of flags -->";

describe("a block of a page", () => {
  test("takes the place of what stood between its markers, and of nothing else", () => {
    const page = `before\n${BEGIN}\nold\n${END}\nafter`;
    const written = `before\n${BEGIN}\n\nnew\n\n${END}\nafter`;
    expect(withBlock(page, "flags", "new")).toBe(written);
    expect(withBlock(written, "flags", "new")).toBe(written);
  });

  test.each([
    ["no marker", "text"],
    ["only the first marker", `a${BEGIN}b`],
    ["only the last marker", `a${END}b`],
    ["the first marker twice", `${BEGIN}a${END}${BEGIN}`],
    ["the last marker twice", `${BEGIN}a${END}b${END}`],
    ["the markers in the other order", `${END}a${BEGIN}`],
    ["the markers of another block", `${BEGIN}a${END}`.replaceAll("flags", "verbs")],
  ])("has no place in a page with %s", (_what, page) => {
    expect(withBlock(page, "flags", "new")).toBeUndefined();
    expect(() => withBlocks(page, { flags: "new" })).toThrow("has lost the markers around its flags");
  });

  test("stands beside others", () => {
    const page = `${BEGIN}${END}\n${BEGIN}${END}`.replace("flags", "a").replace("end of flags", "end of a");
    const written = withBlocks(page, { flags: "1", a: "2" });
    expect(written.match(/^[12]$/gm)).toEqual(["2", "1"]);
  });
});

describe("a table", () => {
  test("has columns as wide as their widest cell", () => {
    expect(markdownTable(["a", "long"], [["wide", "b"], ["c"]])).toBe(
      ["| a    | long |", "| ---- | ---- |", "| wide | b    |", "| c    |      |"].join("\n"),
    );
  });
});
