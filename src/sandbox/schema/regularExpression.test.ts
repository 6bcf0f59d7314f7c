import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { compilePattern, matchesPattern, PatternError } from "./regularExpression.ts";

describe("a pattern of RE2", () => {
  test.each<[pattern: string, matches: string[], refuses: string[]]>([
    ["^[a-z]+$", ["abc"], ["aBc", "abc\n", ""]],
    ["(?i)^abc$", ["ABC", "abc"], ["abd"]],
    ["a(?i)b", ["aB", "ab"], ["AB"]],
    ["(?i:a)b", ["Ab"], ["AB"]],
    ["(?s)a.b", ["a\nb"], ["ab"]],
    ["a.b", ["axb"], ["a\nb"]],
    ["(?m)^b$", ["a\nb\nc"], ["abc"]],
    ["\\Aa\\z", ["a"], ["a\n", "ba"]],
    ["^\\Qa.b\\E$", ["a.b"], ["axb"]],
    ["^[[:alpha:]_]+$", ["aB_"], ["a1"]],
    ["^[[:^digit:]]+$", ["abc é"], ["a1"]],
    ["^[^[:space:]]$", ["a"], [" "]],
    ["^\\d+\\.\\d*$", ["1.", "1.25"], ["1", "٣.1"]],
    ["^\\s$", [" ", "\t"], ["\u00a0", "\v"]],
    ["^\\w\\W$", ["a-"], ["aé_"]],
    ["^\\pL+$", ["äß"], ["a1"]],
    ["^\\p{Greek}+$", ["αβ"], ["ab"]],
    ["^\\PL$", ["1"], ["a"]],
    ["^\\x41\\x{1F600}$", ["A😀"], ["A"]],
    ["^.$", ["😀"], [""]],
    ["^(?P<year>\\d{4})-(?<month>\\d\\d)$", ["2024-01"], ["24-1"]],
    ["^a{2,3}$", ["aa", "aaa"], ["a", "aaaa"]],
    ["^a{,2}$", ["a{,2}"], ["aa"]],
    ["^a{x$", ["a{x"], ["a"]],
    ["^[a\\-z]+$", ["a-z"], ["b"]],
    ["^[]a]$", ["]", "a"], ["b"]],
    ["^\\_\\-\\/\\@$", ["_-/@"], ["_"]],
    ["a|b", ["xa", "b"], ["c"]],
    ["", ["", "x"], []],
    ["(?U)^a+", ["aa"], ["b"]],
  ])("%s", (pattern, matches, refuses) => {
    expect(matches.filter((text) => !matchesPattern(pattern, text))).toEqual([]);
    expect(refuses.filter((text) => matchesPattern(pattern, text))).toEqual([]);
  });

  test.each([
    ["[", "missing closing ]: `[`"],
    ["a\\", "trailing backslash at end of expression: ``"],
    ["+", "missing argument to repetition operator: `+`"],
    ["(|*)", "missing argument to repetition operator: `*`"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["a{3,2}", "invalid repeat count: `{3,2}`"],
    ["(?!a)", "invalid or unsupported Perl syntax: `(?!`"],
    ["(?<=a)", "invalid or unsupported Perl syntax: `(?<=`"],
    ["\\p{Nothing}", "invalid character class range: `\\p{Nothing}`"],
    ["a+*", "invalid nested repetition operator: `+*`"],
  ])("%s is refused", (pattern, why) => {
    expect(() => compilePattern(pattern)).toThrow(new PatternError(`error parsing regexp: ${why}`));
  });

  test.prop([fc.string({ unit: "grapheme", maxLength: 20 })])("that quotes a text finds the text alone", (text) => {
    if (text.includes("\\E")) return;
    expect(matchesPattern(`^\\Q${text}\\E$`, text)).toBe(true);
    expect(matchesPattern(`^\\Q${text}\\E$`, `${text}x`)).toBe(false);
  });

  test.prop([fc.string({ unit: fc.constantFrom(...Array.from("ab[](){}|*+?.^$\\-1,:pQ<")), maxLength: 12 })])(
    "either compiles or tells why not, in Go's words",
    (pattern) => {
      try {
        compilePattern(pattern);
      } catch (error) {
        expect(error).toBeInstanceOf(PatternError);
        expect((error as PatternError).message).toMatch(/^error parsing regexp: .+: `/s);
      }
    },
  );
});
