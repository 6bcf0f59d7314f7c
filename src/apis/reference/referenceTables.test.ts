import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withStatusTables } from "./referenceTables.ts";

test("the page of reference is up to date, and needs a place for every table", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../placements/REFERENCE.md"), "utf8");
  expect(withStatusTables(page) === page).toBe(true);
  expect(() => withStatusTables("# Reference")).toThrow("has lost the markers around its conditions");
});
