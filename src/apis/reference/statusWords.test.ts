import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONDITIONS, STATES } from "./statusWords.ts";
import { DELETIONS_HELD_CONDITION, SLOW_CONDITION, THROTTLED_CONDITION } from "../metadata/wellknown.ts";

const SRC = join(import.meta.dirname, "../..");
/** Where conditions are made: what becomes a status, and whatever gives a condition its time. */
const MAKERS = globSync("{status,clusters,controllers}/**/*.ts", { cwd: SRC })
  .filter((path) => !/\.test\.ts$|testing/.test(path))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), "utf8") }))
  .filter(({ path, text }) => path.startsWith("status/") || text.includes("lastTransitionTime"));
/** A field or variable `type`, the name of a condition in a constant of its own, or the first argument of a function that makes one. */
const GIVEN =
  /\btype\s*[:=]\s*"([A-Z][A-Za-z]+)"|\bconst [A-Z_]+ = "([A-Z][A-Za-z]+)"|\b(?:tally|resultOf)\(\s*"([A-Z][A-Za-z]+)"/g;
/** Of an Event. */
const OTHERS = ["Normal", "Warning"];

describe("the conditions", () => {
  test("are all that the source makes", () => {
    const made = MAKERS.flatMap(({ text }) =>
      [...text.matchAll(GIVEN)].map(([, field, name, argument]) => String(field ?? name ?? argument)),
    );
    const named = [DELETIONS_HELD_CONDITION, SLOW_CONDITION, THROTTLED_CONDITION];
    const types = new Set([...made.filter((type) => !OTHERS.includes(type)), ...named]);
    expect([...types].toSorted()).toEqual([...new Set(CONDITIONS.map(({ type }) => type))].toSorted());
  });

  test("are each listed once, with a reason", () => {
    const names = CONDITIONS.map(({ on, type }) => `${on} ${type}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { type, whenTrue, otherwise } of CONDITIONS) {
      expect(whenTrue.length + otherwise.length, type).toBeGreaterThan(0);
    }
  });
});

test("every state has words of its own", () => {
  const words = Object.values(STATES).map(({ means }) => means);
  expect(new Set(words).size).toBe(words.length);
});
