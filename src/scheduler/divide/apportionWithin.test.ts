import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { apportionWithin } from "./apportionWithin.ts";

interface Part {
  name: string;
  weight: number;
  min: number;
  max: number;
}

const byName = (a: Part, b: Part): number => (a.name < b.name ? -1 : 1);
const part = (name: string, weight: number, min = 0, max = 10_000): Part => ({ name, weight, min, max });

describe("a whole that is divided by weight", () => {
  interface Case {
    name: string;
    total: number;
    parts: Part[];
    want: number[];
  }
  test.each<Case>([
    { name: "comes out even", total: 10, parts: [part("a", 3), part("b", 1), part("c", 1)], want: [6, 2, 2] },
    {
      name: "has a remainder for the largest fraction, be it the last",
      total: 8,
      parts: [part("a", 5), part("b", 3), part("c", 2)],
      want: [4, 2, 2],
    },
    {
      name: "has a remainder for the largest fraction, be it the first",
      total: 7,
      parts: [part("a", 5), part("b", 3), part("c", 2)],
      want: [4, 2, 1],
    },
    {
      name: "has a remainder for several",
      total: 11,
      parts: [part("c", 1), part("b", 1), part("a", 1)],
      want: [3, 4, 4],
    },
    { name: "is nothing for who weighs nothing", total: 4, parts: [part("a", 1), part("b", 0)], want: [4, 0] },
    { name: "is even where nobody weighs anything", total: 5, parts: [part("b", 0), part("a", 0)], want: [2, 3] },
    {
      name: "is even among those that no bound holds, where nobody weighs anything",
      total: 6,
      parts: [part("a", 0, 0, 1), part("b", 0), part("c", 0)],
      want: [1, 3, 2],
    },
    { name: "is nothing for all", total: 0, parts: [part("a", 3), part("b", 1)], want: [0, 0] },
    { name: "has nobody to go to", total: 0, parts: [], want: [] },
    {
      name: "of large weights has no rounding errors",
      total: 1000,
      parts: [part("a", 2147483647), part("b", 2147483647), part("c", 2147483646)],
      want: [334, 333, 333],
    },
    {
      name: "lifts the light ones to their least",
      total: 10,
      parts: [part("a", 8, 2), part("b", 1, 2), part("c", 1, 2)],
      want: [6, 2, 2],
    },
    {
      name: "lifts one that weighs nothing to its least",
      total: 4,
      parts: [part("a", 1), part("b", 0, 1)],
      want: [3, 1],
    },
    {
      name: "cuts the heavy one at its most",
      total: 10,
      parts: [part("a", 8, 0, 4), part("b", 1, 0, 4), part("c", 1, 0, 4)],
      want: [4, 3, 3],
    },
    {
      name: "does not fix a light one at its least when the cut of a heavy one lifts it anyway",
      total: 20,
      parts: [part("a", 16, 2, 8), part("b", 3, 2, 8), part("c", 1, 2, 8)],
      want: [8, 8, 4],
    },
    {
      name: "does not cut a heavy one when what the light one gets brings it down anyway",
      total: 20,
      parts: [part("a", 10, 0, 9), part("b", 9), part("c", 1, 8)],
      want: [6, 6, 8],
    },
    {
      name: "keeps to the bounds of each",
      total: 7,
      parts: [part("a", 1, 0, 1), part("b", 1, 4), part("c", 1)],
      want: [1, 4, 2],
    },
    { name: "leaves to each its least alone", total: 5, parts: [part("a", 9, 1), part("b", 1, 4)], want: [1, 4] },
    {
      name: "leaves to each its most",
      total: 5,
      parts: [part("a", 9, 0, 2), part("b", 1, 0, 3)],
      want: [2, 3],
    },
    {
      name: "is what the bounds say where they leave no choice",
      total: 6,
      parts: [part("a", 1, 2, 2), part("b", 5, 3, 3), part("c", 1, 1, 1)],
      want: [2, 3, 1],
    },
  ])("$name", ({ total, parts, want }) => expect(apportionWithin(total, parts, byName)).toEqual(want));

  test("goes, between equal fractions, to whom the order puts first", () => {
    const parts = [part("a", 1), part("b", 1), part("c", 1)];
    expect(apportionWithin(5, parts, byName)).toEqual([2, 2, 1]);
    expect(apportionWithin(5, parts, (a, b) => byName(b, a))).toEqual([1, 2, 2]);
  });
});

describe("for any parts", () => {
  const bounded = fc
    .record({ weight: fc.nat(20), min: fc.nat(5), more: fc.nat(12) })
    .map(({ weight, min, more }) => ({ weight, min, max: min + more }));
  const some = fc
    .array(bounded, { minLength: 1, maxLength: 6 })
    .map((parts) => parts.map((one, i): Part => ({ ...one, name: `p${i}` })));
  /** A total that the bounds allow. */
  const setting = fc.tuple(some, fc.nat(1000)).map(([parts, at]) => {
    const least = parts.reduce((sum, { min }) => sum + min, 0);
    const most = parts.reduce((sum, { max }) => sum + max, 0);
    return { parts, total: least + (at % (most - least + 1)) };
  });

  test.prop([setting], { numRuns: 1000 })("the sum is kept, and every bound", ({ parts, total }) => {
    const shares = apportionWithin(total, parts, byName);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
    expect(shares).toHaveLength(parts.length);
    for (const [i, { min, max }] of parts.entries()) {
      expect(shares[i]).toBeGreaterThanOrEqual(min);
      expect(shares[i]).toBeLessThanOrEqual(max);
    }
  });

  test.prop([setting], { numRuns: 1000 })("the order of the parts says nothing", ({ parts, total }) => {
    expect(apportionWithin(total, parts.toReversed(), byName).toReversed()).toEqual(
      apportionWithin(total, parts, byName),
    );
  });

  test.prop([setting], { numRuns: 1000 })(
    "nobody who may give has a whole one too many beside somebody who may take",
    ({ parts, total }) => {
      const shares = apportionWithin(total, parts, byName);
      const all = parts.map((one, i) => ({ ...one, share: shares[i] ?? 0 })).filter(({ weight }) => weight > 0);
      for (const giver of all.filter(({ share, min }) => share > min)) {
        for (const taker of all.filter(({ share, max }) => share < max))
          expect((giver.share - 1) * taker.weight).toBeLessThan((taker.share + 1) * giver.weight);
      }
    },
  );

  test.prop([fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), fc.nat(5), fc.nat(12), fc.nat(1000)])(
    "nobody with a heavier weight and the same bounds gets less",
    (weights, min, more, at) => {
      const parts = weights.map((weight, i) => part(`p${i}`, weight, min, min + more));
      const shares = apportionWithin(parts.length * min + (at % (parts.length * more + 1)), parts, byName);
      for (const [i, heavier] of weights.entries())
        for (const [j, lighter] of weights.entries())
          if (heavier > lighter) expect(shares[i]).toBeGreaterThanOrEqual(shares[j] ?? 0);
    },
  );
});
