import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { REASON_GROUPS } from "../reasons/reasons.ts";
import { withStatusTables } from "./referenceTables.ts";
import { CONDITIONS, STATES } from "./statusWords.ts";

const page = readFileSync(join(import.meta.dirname, "../../../placements/REFERENCE.md"), "utf8");

/** Rows of the table of a block, without its heading. */
function rowsOf(block: string): string[][] {
  const [, text = ""] = page.split(`<!-- ${block}: written by \`npm run generate\` -->`);
  const [table = ""] = text.split(`<!-- end of ${block} -->`);
  const lines = table.split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(2).map((line) => line.split("|").map((cell) => cell.trim()));
}

describe("the page of reference", () => {
  test("is up to date", () => expect(withStatusTables(page) === page).toBe(true));

  test("has a row for each condition, state and reason", () => {
    expect(rowsOf("conditions")).toHaveLength(CONDITIONS.length);
    expect(rowsOf("states")).toHaveLength(Object.keys(STATES).length);
    const count = REASON_GROUPS.reduce((sum, { reasons }) => sum + Object.keys(reasons).length, 0);
    expect(rowsOf("reasons")).toHaveLength(count);
  });

  test("names each group of reasons once, at its first reason", () => {
    const titles = rowsOf("reasons").flatMap(([, title = ""]) => (title === "" ? [] : [title]));
    expect(titles).toEqual(REASON_GROUPS.map(({ title }) => title));
  });

  test("needs a place for every table", () => {
    expect(() => withStatusTables("# Reference")).toThrow("has lost the markers around its conditions");
  });
});
