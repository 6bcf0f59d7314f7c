import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PORT_NAME } from "./patterns.ts";
import * as patterns from "./patterns.ts";

const SOURCES = join(import.meta.dirname, "../..");
const LENGTH = 20_000;
/**
 * Against a pattern that looks at each character once. A pattern that looks at each twice for each other one needs
 * 10,000 times as long.
 */
const MOST = 1_000;

/** What patterns stumble over: one piece again and again, and then something that fits nowhere. */
const PIECES = [
  ...Array.from('a0A-./_: \t=\\",{}[]<>$'),
  ...["~0", "a-", "0-", "a.", "a/", "/a", "/a.", ".a", "..", "../../", "-a", "1s", "a:", "1.", "\\n", "a="],
];
const ENDS = ["!", "\n", "\u0000", ""];
const STARTS = ["", "/", "a", "1", "a/", "https://"];

/** Regular expressions as they stand in a source: after what an expression may follow. */
const LITERAL = /[(=,:?&|[!;]\s*\/((?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/g;

function literals(): { where: string; pattern: RegExp }[] {
  const found: { where: string; pattern: RegExp }[] = [];
  for (const path of readdirSync(SOURCES, { recursive: true }) as string[]) {
    // The sandbox is nobody's server: it runs where one is at home.
    if (!path.endsWith(".ts") || path.endsWith(".test.ts") || /^sandbox\/|testing|testdata/.test(path)) continue;
    for (const [, source = "", flags = ""] of readFileSync(join(SOURCES, path), "utf8").matchAll(LITERAL)) {
      found.push({ where: path, pattern: new RegExp(source, flags) });
    }
  }
  return found;
}

function timeOf(pattern: RegExp, text: string): number {
  let best = Infinity;
  for (let i = 0; i < 3; i++) {
    const start = performance.now();
    if (pattern.global) text.replaceAll(pattern, "");
    else pattern.test(text);
    best = Math.min(best, performance.now() - start);
    // Once is enough for what is fast beyond doubt, and for what is slow beyond doubt.
    if (best < 1 || best > 500) break;
  }
  return best;
}

const once = Math.max(0.05, timeOf(/^[a-z]*$/, `${"a".repeat(LENGTH)}!`));

function worst(pattern: RegExp): { text: string; ratio: number } {
  let found = { text: "", ratio: 0 };
  for (const piece of PIECES) {
    for (const start of STARTS) {
      for (const end of ENDS) {
        const text = start + piece.repeat(LENGTH / piece.length) + end;
        const ratio = timeOf(pattern, text) / once;
        if (ratio > found.ratio) found = { text: `${start}(${piece})*${end}`, ratio };
        if (ratio > MOST) return found;
      }
    }
  }
  return found;
}

describe("the regular expressions", () => {
  const exported = Object.entries(patterns).map(([where, pattern]) => ({ where, pattern }));
  const all = [...exported, ...literals()];
  const distinct = [...new Map(all.map((one) => [String(one.pattern), one])).values()];

  test("are found in the sources", () => {
    expect(distinct.length).toBeGreaterThan(60);
  });

  test.each(distinct)("$pattern of $where takes time in proportion to the text", ({ pattern }) => {
    expect(worst(pattern)).toSatisfy(({ ratio }: { ratio: number }) => ratio <= MOST);
  });
});

describe("the name of a port", () => {
  test.each(["http", "a", "1a", "1-2-a", "a-1", "p80-tcp", "0a0-0"])("%s is one", (name) =>
    expect(PORT_NAME.test(name)).toBe(true),
  );

  test.each(["", "1", "80-443", "-a", "a-", "a--b", "1--a", "A", "a_b", "a."])("%j is none", (name) =>
    expect(PORT_NAME.test(name)).toBe(false),
  );
});
