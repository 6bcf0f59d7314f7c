import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { type Bounds, divideWithin, fairly } from "./divide.ts";
import { type DivisionCase, expectDivision } from "./testing.ts";

describe("the order between equals", () => {
  const WORD = 2n ** 32n;
  /** FNV-1a over the code units of object and name, and then the last steps of MurmurHash3, in numbers that never overflow. */
  const rankOf = (object: string, name: string): bigint => {
    let hash = 2_166_136_261n;
    for (const unit of (object + name).split("")) hash = ((hash ^ BigInt(unit.charCodeAt(0))) * 16_777_619n) % WORD;
    hash = ((hash ^ (hash >> 16n)) * 0x85_eb_ca_6bn) % WORD;
    hash = ((hash ^ (hash >> 13n)) * 0xc2_b2_ae_35n) % WORD;
    return hash ^ (hash >> 16n);
  };
  const sorted = (names: readonly string[], object?: string): string[] =>
    names
      .map((name) => ({ name }))
      .toSorted(fairly({ object }))
      .map(({ name }) => name);
  const names = fc.uniqueArray(fc.string({ maxLength: 6 }), { maxLength: 8 });

  test.prop([names, fc.string({ maxLength: 12 })])(
    "is that of a hash of object and name, the same on every machine and in every version",
    (some, object) => {
      const want = some.toSorted((a, b) => {
        const [first, second] = [rankOf(object, a), rankOf(object, b)];
        return first === second ? (a < b ? -1 : 1) : first < second ? -1 : 1;
      });
      expect(sorted(some, object)).toEqual(want);
    },
  );

  test.prop([names])("is that of the names where no object is named", (some) => {
    expect(sorted(some)).toEqual(some.toSorted((a, b) => (a < b ? -1 : 1)));
  });

  test("is that of the names where two have one rank", () => {
    const order = fairly({ object: "x" });
    const at = (name: string, rank: number) => ({ name, rank });
    expect(order(at("a", 1), at("b", 1))).toBeLessThan(0);
    expect(order(at("b", 1), at("a", 1))).toBeGreaterThan(0);
    expect(order(at("a", 2), at("b", 1))).toBeGreaterThan(0);
    expect(order(at("a", 1), at("a", 1))).toBe(0);
  });
});

describe("who is first of those with the same right", () => {
  test.each<DivisionCase>([
    {
      name: "an odd step goes to who holds more of it, counted in steps",
      total: 6,
      weights: { a: 1, b: 1 },
      bounds: { step: 2 },
      holds: { a: 3, b: 4 },
      want: { a: 2, b: 4 },
    },
    {
      name: "an odd step goes by name where nobody holds it",
      total: 6,
      weights: { a: 1, b: 1 },
      bounds: { step: 2 },
      want: { a: 4, b: 2 },
    },
    {
      name: "who holds many more than it may keep has no more right to one than who holds one",
      total: 3,
      weights: { a: 1, b: 1 },
      holds: { a: 2, b: 9 },
      want: { a: 2, b: 1 },
    },
    {
      name: "who holds just its quota has no right to one more",
      total: 3,
      weights: { a: 1, b: 1 },
      holds: { b: 1 },
      want: { a: 2, b: 1 },
    },
    {
      name: "a larger fraction goes before a holder",
      total: 4,
      weights: { a: 2, b: 1 },
      holds: { b: 2 },
      want: { a: 3, b: 1 },
    },
    {
      name: "where not all can have their least, holders go before others",
      total: 4,
      weights: { a: 1, b: 1, c: 1 },
      bounds: { min: 2 },
      holds: { c: 2 },
      want: { a: 2, b: 0, c: 2 },
      belowMinimum: ["b"],
    },
    {
      name: "where not all can have their least, the heaviest goes before a holder",
      total: 3,
      weights: { a: 1, b: 2 },
      bounds: { min: 3 },
      holds: { a: 3 },
      want: { a: 0, b: 3 },
      belowMinimum: ["a"],
    },
    {
      name: "what makes no step goes to the heavier of those as far below their quota",
      total: 5,
      weights: { z: 3, b: 1, c: 1 },
      bounds: { step: 2 },
      want: { z: 3, b: 2, c: 0 },
    },
    {
      name: "what makes no step goes to who holds some of it",
      total: 5,
      weights: { a: 1, b: 1 },
      bounds: { step: 2 },
      holds: { b: 3 },
      want: { a: 2, b: 3 },
    },
    {
      name: "what makes no step goes by name where nobody holds any",
      total: 5,
      weights: { b: 1, a: 1 },
      bounds: { step: 2 },
      want: { a: 3, b: 2 },
    },
    {
      name: "what makes no step fills one after the other up to the most",
      total: 7,
      weights: { a: 1, b: 1 },
      bounds: { step: 2, max: 3 },
      want: { a: 3, b: 3 },
      unplaced: 1,
    },
    {
      name: "of those at their most nobody takes what makes no step",
      total: 7,
      weights: { a: 5, b: 1 },
      bounds: { step: 2, max: 4 },
      want: { a: 4, b: 3 },
    },
  ])("$name", expectDivision);
});

describe("where there is nothing to divide, or nobody weighs anything", () => {
  test.each<[string, number, Record<string, number>, Bounds, ReturnType<typeof divideWithin>]>([
    [
      "less than none is none",
      -3,
      { a: 1, b: 1 },
      { min: 1 },
      { replicas: { a: 0, b: 0 }, unplaced: 0, belowMinimum: [] },
    ],
    ["none is given out in steps", 0, { a: 1 }, { step: 3 }, { replicas: { a: 0 }, unplaced: 0, belowMinimum: [] }],
    ["nobody takes any", 4, {}, { max: 2 }, { replicas: {}, unplaced: 4, belowMinimum: [] }],
    [
      "the most bounds even shares too",
      5,
      { a: 0, b: 0 },
      { max: 2 },
      { replicas: { a: 2, b: 2 }, unplaced: 1, belowMinimum: [] },
    ],
    [
      "a cluster without a weight is not below its least",
      1,
      { a: 1, b: 1, c: 0 },
      { min: 1 },
      { replicas: { a: 1, b: 0, c: 0 }, unplaced: 0, belowMinimum: ["b"] },
    ],
  ])("%s", (_name, total, weights, bounds, want) => expect(divideWithin(total, weights, bounds)).toEqual(want));
});
