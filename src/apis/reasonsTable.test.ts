import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { REASON_GROUPS } from "./reasons.ts";
import { withReasons } from "./reasonsTable.ts";

const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
const BEGIN = "<!-- reasons: written by `npm run generate` -->";
const END = "<!-- end of reasons -->";

describe("the list of reasons", () => {
  test("in the README is up to date", () => expect(withReasons(readme) === readme).toBe(true));

  test("takes the place of what stood between its markers, and of nothing else", () => {
    const written = withReasons(`before\n${BEGIN}\nold\n${END}\nafter`) ?? "";
    const [head, table = "", tail] = written.split("\n\n");
    expect(head).toBe(`before\n${BEGIN}`);
    expect(tail).toBe(`${END}\nafter`);
    const [heading = "", rule = "", ...rows] = table.split("\n");
    expect(heading).toMatch(/^\| about +\| reason +\| says +\|$/);
    expect(rule).toMatch(/^\| -+ \| -+ \| -+ \|$/);
    const count = REASON_GROUPS.reduce((sum, { reasons }) => sum + Object.keys(reasons).length, 0);
    expect(rows).toHaveLength(count);
    expect(new Set([heading, rule, ...rows].map(({ length }) => length)).size).toBe(1);
  });

  test("names each group once, at its first reason", () => {
    const titles = (withReasons(readme) ?? "").split("\n").map((row) => row.split("|")[1]?.trim());
    for (const { title } of REASON_GROUPS) expect(titles.filter((one) => one === title)).toHaveLength(1);
  });

  test.each([
    ["no marker", "text"],
    ["only the first marker", `a${BEGIN}b`],
    ["only the last marker", `a${END}b`],
    ["the first marker twice", `${BEGIN}a${END}${BEGIN}`],
    ["the last marker twice", `${BEGIN}a${END}b${END}`],
    ["the markers in the other order", `${END}a${BEGIN}`],
  ])("has no place in a text with %s", (_what, text) => expect(withReasons(text)).toBeUndefined());
});
