import { describe, expect, test } from "vitest";
import { StatusError } from "../../statusError.ts";
import { matchesFields, parseFieldSelector } from "./fieldSelector.ts";
import { matchesLabels, parseLabelSelector } from "./labelSelector.ts";

const labels = { app: "web", tier: "front", build: "12", "example.com/team": "a", empty: "" };

describe("a label selector", () => {
  test.each<[string, boolean]>([
    ["", true],
    ["app=web", true],
    ["app==web,tier=front", true],
    ["app=db", false],
    ["app!=db", true],
    ["none!=db", true],
    ["app", true],
    ["none", false],
    ["!none", true],
    ["!app", false],
    ["app in (db, web)", true],
    ["app in (db)", false],
    ["app notin (db),tier", true],
    ["none notin (db)", true],
    ["none in (db)", false],
    ["build>11", true],
    ["build<12", false],
    ["app>1", false],
    ["example.com/team=a", true],
    ["empty=", true],
    ["empty in ()", true],
    [" app = web , tier in ( front ) ", true],
  ])("%j", (text, matches) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(matches);
  });

  test.each([
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a===", "unable to parse requirement: found '=', expected: identifier"],
    [",", "found ',', expected: !, identifier, or 'end of string'"],
    ["_a", 'unable to parse requirement: <nil>: Invalid value: "_a": name part must consist of'],
    ["a=_b", 'unable to parse requirement: values[0][a]: Invalid value: "_b": a valid label must be'],
  ])("%j is refused in the words of the API server", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
    expect(() => parseLabelSelector(text)).toThrow(StatusError);
  });

  test("does not find labels on the prototype", () => {
    expect(matchesLabels(parseLabelSelector("constructor"), labels)).toBe(false);
  });
});

describe("a field selector", () => {
  const values: Record<string, string> = { "metadata.name": "web", "status.phase": "Running", odd: "a,b=c\\d" };
  test.each<[string, boolean]>([
    ["", true],
    ["metadata.name=web", true],
    ["metadata.name==web,status.phase!=Failed", true],
    ["status.phase!=Running", false],
    ["missing=", true],
    ["odd=a\\,b\\=c\\\\d", true],
  ])("%j", (text, matches) => {
    expect(matchesFields(parseFieldSelector(text), (field) => values[field] ?? "")).toBe(matches);
  });

  test.each([
    ["foo", "invalid selector: 'foo'; can't understand 'foo'"],
    ["a=b\\c", "invalid field selector"],
  ])("%j is refused", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message);
  });
});
