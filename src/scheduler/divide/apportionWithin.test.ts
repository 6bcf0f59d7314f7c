import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { apportionWithin } from "./apportionWithin.ts";

interface Part {
  name: string;
  weight: number;
  min: number;
  max: number;
}
type Row = [weight: number, min?: number, max?: number];

const byName = (a: Part, b: Part): number => (a.name < b.name ? -1 : 1);
/** Parts by the names a, b, c and so on. */
const partsOf = (rows: readonly Row[]): Part[] =>
  rows.map(([weight, min = 0, max = 10_000], i) => ({ name: "abcdef"[i] ?? "", weight, min, max }));

test.each<[name: string, total: number, parts: Row[], want: number[]]>([
  ["the largest fraction gets the rest", 8, [[5], [3], [2]], [4, 2, 2]],
  ["a weight of zero gets nothing", 4, [[1], [0]], [4, 0]],
  ["parts without any weight share evenly, within their bounds", 6, [[0, 0, 1], [0], [0]], [1, 3, 2]],
  [
    "the cut of a heavy part lifts a light one above its least",
    20,
    [
      [16, 2, 8],
      [3, 2, 8],
      [1, 2, 8],
    ],
    [8, 8, 4],
  ],
  ["the least of a light part brings a heavy one below its most", 20, [[10, 0, 9], [9], [1, 8]], [6, 6, 8]],
])("%s", (_name, total, rows, want) => expect(apportionWithin(total, partsOf(rows), byName)).toEqual(want));

test("the order decides between equal fractions", () => {
  const parts = partsOf([[1], [1], [1]]);
  expect(apportionWithin(5, parts, byName)).toEqual([2, 2, 1]);
  expect(apportionWithin(5, parts, (a, b) => byName(b, a))).toEqual([1, 2, 2]);
});

describe("for any parts", () => {
  const bounded = fc
    .record({ weight: fc.nat(20), min: fc.nat(5), more: fc.nat(12) })
    .map(({ weight, min, more }): Row => [weight, min, min + more]);
  const some = fc.array(bounded, { minLength: 1, maxLength: 6 }).map(partsOf);
  /** A total that the bounds allow. */
  const setting = fc.tuple(some, fc.nat(1000)).map(([parts, at]) => {
    const least = parts.reduce((sum, { min }) => sum + min, 0);
    const most = parts.reduce((sum, { max }) => sum + max, 0);
    return { parts, total: least + (at % (most - least + 1)) };
  });

  test.prop([setting], { numRuns: 1000 })("the sum and every bound hold, in any order", ({ parts, total }) => {
    const shares = apportionWithin(total, parts, byName);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
    expect(parts.filter(({ min, max }, i) => !((shares[i] ?? -1) >= min && (shares[i] ?? -1) <= max))).toEqual([]);
    expect(apportionWithin(total, parts.toReversed(), byName).toReversed()).toEqual(shares);
  });

  test.prop([setting], { numRuns: 1000 })(
    "no part is a whole one too large beside one too small",
    ({ parts, total }) => {
      const shares = apportionWithin(total, parts, byName);
      const all = parts.map((one, i) => ({ ...one, share: shares[i] ?? 0 })).filter(({ weight }) => weight > 0);
      for (const giver of all.filter(({ share, min }) => share > min)) {
        for (const taker of all.filter(({ share, max }) => share < max))
          expect((giver.share - 1) * taker.weight).toBeLessThan((taker.share + 1) * giver.weight);
      }
    },
  );
});
