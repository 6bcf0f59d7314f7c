import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { RowSum } from "./rowSum.ts";

type Entry = readonly [key: string, revision: number];

const entry = fc.tuple(fc.string({ maxLength: 12 }), fc.oneof(fc.nat(), fc.maxSafeNat()));
const entries = fc.array(entry, { maxLength: 20 });

function sumOf(rows: readonly Entry[], sum = new RowSum()): number {
  for (const [key, revision] of rows) sum.add(key, revision);
  return sum.value;
}

describe("the checksum of rows", () => {
  const reordered = entries.chain((rows) =>
    fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
  );

  test.prop([reordered])("does not depend on their order", ([rows, shuffled]) => {
    expect(sumOf(shuffled)).toBe(sumOf(rows));
  });

  test.prop([entries, entries])("is as before when what was added is removed", (kept, passing) => {
    const sum = new RowSum();
    const before = sumOf(kept, sum);
    sumOf(passing, sum);
    for (const [key, revision] of passing.toReversed()) sum.remove(key, revision);
    expect(sum.value).toBe(before);
  });

  test.prop([entries])("is a whole number of 32 bits, for a message", (rows) => {
    const sum = sumOf(rows);
    expect(Number.isInteger(sum) && sum >= 0 && sum < 2 ** 32).toBe(true);
  });

  test("differs when a row is missing, is another row or has another revision", () => {
    const [a, b]: Entry[] = [
      ["apps/Deployment/default/shop", 7],
      ["/Service/default/shop", 7],
    ];
    if (a === undefined || b === undefined) throw new Error("two rows");
    const later: Entry = [a[0], 8];
    // Beyond the 32 bits of one word.
    const muchLater: Entry = [a[0], 7 + 2 ** 32];
    const sums = [[], [a], [b], [a, b], [a, a], [later], [muchLater]].map((rows) => sumOf(rows));
    expect(new Set(sums).size).toBe(sums.length);
    expect(sumOf([])).toBe(0);
  });
});
