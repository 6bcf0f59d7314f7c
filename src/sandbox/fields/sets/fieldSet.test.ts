import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import {
  containsAll,
  difference,
  differenceWithBelow,
  equalSets,
  type FieldSet,
  intersection,
  pathTexts,
  parseSet,
  setOf,
  union,
} from "./fieldSet.ts";
import { compareElements } from "../values/pathElement.ts";
import { setFrom, stored } from "./sharedSets.ts";

type Path = readonly string[];

const element = fc.constantFrom("f:a", "f:b", 'k:{"name":"x"}', 'v:"y"');
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const paths = fc.array(path, { maxLength: 8 });

/** Oracle: the set as plain texts. */
const textsOf = (set: FieldSet): Set<string> => new Set(pathTexts(set));
const both = (a: Set<string>, b: Set<string>): Set<string> => new Set([...a].filter((text) => b.has(text)));
const without = (a: Set<string>, b: Set<string>): Set<string> => new Set([...a].filter((text) => !b.has(text)));
const setOfPaths = (some: readonly Path[]): FieldSet => setOf(...some);

describe("sets of fields", () => {
  test.prop([paths, paths])("are united, intersected and subtracted path by path", (left, right) => {
    const a = setOfPaths(left);
    const b = setOfPaths(right);
    expect(textsOf(union(a, b))).toEqual(new Set([...textsOf(a), ...textsOf(b)]));
    expect(textsOf(intersection(a, b))).toEqual(both(textsOf(a), textsOf(b)));
    expect(textsOf(difference(a, b))).toEqual(without(textsOf(a), textsOf(b)));
    expect(containsAll(a, b)).toBe(without(textsOf(b), textsOf(a)).size === 0);
  });

  test.prop([paths, paths])("lose what lies below a path with it, when that is asked for", (left, right) => {
    const isBelow = (one: Path) => right.some((other) => other.every((step, i) => one[i] === step));
    const kept = setOfPaths(left.filter((one) => !isBelow(one)));
    expect(differenceWithBelow(setOfPaths(left), setOfPaths(right))).toEqual(kept);
  });

  test.prop([paths, paths])("have one form, however they came about", (left, right) => {
    const all = setOfPaths([...left, ...right]);
    const rest = setOfPaths(left.filter((one) => !right.some((other) => other.join("/") === one.join("/"))));
    expect(union(setOfPaths(left), setOfPaths(right))).toEqual(all);
    expect(difference(setOfPaths(left), setOfPaths(right))).toEqual(rest);
    expect(parseSet(JSON.parse(JSON.stringify(all)) as FieldSet)).toEqual(all);
  });

  test.prop([paths])("are never changed by an operation", (some) => {
    const a = setOfPaths(some);
    const before = JSON.stringify(a);
    union(a, setOfPaths([["f:z"]]));
    difference(a, setOfPaths([["f:a"]]));
    differenceWithBelow(a, setOfPaths([["f:b"]]));
    intersection(a, setOfPaths([["f:a", "f:b"]]));
    expect(JSON.stringify(a)).toBe(before);
  });
});

describe("stored sets", () => {
  test.prop([paths])("that are equal are one frozen object", (some) => {
    const first = stored(setOfPaths(some));
    expect(stored(setOfPaths(some.toReversed()))).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    expect(equalSets(setFrom(first), setOfPaths(some))).toBe(true);
  });

  test("stand in the server's order: fields, keys, values, and `.` before all", () => {
    const set = setOf(
      ["f:spec", 'v:"b"'],
      ["f:spec", "v:10"],
      ["f:spec", "v:9"],
      ["f:spec", 'k:{"port":443}'],
      ["f:spec", 'k:{"port":80}'],
      ["f:spec", "f:b"],
      ["f:spec"],
      ["f:spec", "f:a"],
      ["f:spec", "i:10"],
      ["f:spec", "i:9"],
    );
    const order = [".", "f:a", "f:b", 'k:{"port":80}', 'k:{"port":443}', "v:9", "v:10", 'v:"b"', "i:9", "i:10"];
    expect(Object.keys(stored(set)["f:spec"] as FieldSet)).toEqual(order);
  });

  test("sort names by bytes, beyond the basic plane too", () => {
    expect(["f:\u{1F600}", "f:\uFF5E", "f:z"].toSorted(compareElements)).toEqual(["f:z", "f:\uFF5E", "f:\u{1F600}"]);
  });
});

describe("a set that somebody else wrote", () => {
  test("is read whatever its blanks and order", () => {
    const set = parseSet({ "f:a": { 'k:{ "b": 1, "a": "<" }': {} } });
    expect(set).toEqual({ "f:a": { 'k:{"a":"\\u003c","b":1}': {} } });
  });

  test("loses elements of a kind that is not known", () => {
    expect(parseSet({ "f:a": {}, "r:b": {} })).toEqual({ "f:a": {} });
  });

  test.each(["", "no-colon", "i:text", "i:1.5", "v:broken", "k:broken", 'k:{"name":broken}'])(
    "%j is refused",
    (text) => {
      expect(() => parseSet({ [text]: {} })).toThrow();
    },
  );
});
