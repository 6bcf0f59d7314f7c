import { describe, expect, test } from "vitest";
import { listedOverrides, overridesIn } from "./overrides.ts";

const effect = (names: string[], kind = "OverridePolicy") => ({
  policies: names.map((name) => ({ kind, namespace: "default", name })),
  superseded: [],
  patches: [],
});
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`);
/** A name with which the text of a listed policy has so many characters. */
const textOfLength = (length: number): string => "x".repeat(length - "OverridePolicy/".length);

describe("the override policies that an entry lists", () => {
  test("are none where none took effect", () => {
    expect(listedOverrides(undefined)).toEqual({});
    expect(listedOverrides(effect([]))).toEqual({});
  });

  test("have their kind before their name", () => {
    expect(listedOverrides(effect(["global"], "ClusterOverridePolicy"))).toEqual({
      overrides: ["ClusterOverridePolicy/global"],
    });
  });

  test.each([
    { count: 10, listed: 10, more: undefined },
    { count: 11, listed: 10, more: 1 },
    { count: 25, listed: 10, more: 15 },
  ])("of $count the last $listed are named, and the rest is counted", ({ count, listed, more }) => {
    const found = listedOverrides(effect(numbered(count)));
    const names = numbered(count).slice(-listed);
    expect(found.overrides).toEqual(names.map((name) => `OverridePolicy/${name}`));
    expect(found.moreOverrides).toBe(more);
  });

  test.each([
    { name: "just fit", first: 300, last: 300, listed: 2, more: undefined },
    { name: "are one character too long", first: 301, last: 300, listed: 1, more: 1 },
  ])("two whose texts $name: $listed of them stands there", ({ first, last, listed, more }) => {
    const names = [textOfLength(first), textOfLength(last)];
    expect(listedOverrides(effect(names))).toEqual({
      overrides: names.slice(-listed).map((name) => `OverridePolicy/${name}`),
      ...(more === undefined ? {} : { moreOverrides: more }),
    });
  });
});

describe("the override policies of an entry of before", () => {
  test.each([
    { name: "none before", before: undefined, want: {} },
    { name: "an entry without any", before: { name: "a" }, want: {} },
    { name: "a few", before: { name: "a", overrides: ["k/x"] }, want: { overrides: ["k/x"] } },
    {
      name: "many",
      before: { name: "a", overrides: ["k/x"], moreOverrides: 3 },
      want: { overrides: ["k/x"], moreOverrides: 3 },
    },
  ])("are taken over, and nothing else: $name", ({ before, want }) => expect(overridesIn(before)).toEqual(want));
});
