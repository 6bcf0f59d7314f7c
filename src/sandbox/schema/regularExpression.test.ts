import { describe, expect, test } from "vitest";
import { compilePattern, findPattern, matchesPattern, PatternError } from "./regularExpression.ts";

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

  test.each(["[", "a\\", "+", "(|*)", "a{1001}", "a{3,2}", "(?!a)", "(?<=a)", "\\p{Nothing}", "a+*", "(a)\\1"])(
    "%s is refused",
    (pattern) => expect(() => compilePattern(pattern)).toThrow(PatternError),
  );

  test("finds from the left, as often as wanted", () => {
    expect(findPattern("a+", "a b aa c aaa", 2)).toEqual(["a", "aa"]);
    expect(findPattern("a+", "b", 2)).toEqual([]);
  });

  test("that would take JavaScript ages takes no time", () => {
    expect(matchesPattern("^(a+)+$", `${"a".repeat(5_000)}b`)).toBe(false);
  });
});
