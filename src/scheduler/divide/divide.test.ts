import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { type Bounds, divideWithin, fairly } from "./divide.ts";
import { numbersIn } from "./testing.ts";

const numRuns = Number(process.env["MERIDIAN_PROPERTY_RUNS"] ?? 1000);

const names = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
const weightsOf = (min: number) => fc.dictionary(names, fc.integer({ min, max: 50 }), { minKeys: 1 });
const sum = (replicas: Record<string, number>): number => Object.values(replicas).reduce((a, b) => a + b, 0);
const object = fc.constantFrom("x", "y", "default/shop", "default/cart");
const bounds = fc.record({
  step: fc.integer({ min: 1, max: 9 }),
  min: fc.nat(8),
  max: fc.integer({ min: 1, max: 60 }),
});

/** Terms of a division, and what the result has besides replicas. */
interface More extends Bounds {
  holds?: string;
  unplaced?: number;
  /** Names. */
  belowMinimum?: string;
}

describe("divideWithin", () => {
  test.each<[name: string, total: number, weights: string, want: string, more?: More]>([
    ["only zero weights are even shares", 5, "a0 b0", "a3 b2"],
    ["only zero weights are even shares within the maximum", 5, "a0 b0", "a2 b2", { max: 2, unplaced: 1 }],
    ["less than nothing is nothing", -3, "a1 b1", "a0 b0", { min: 1 }],
    ["nobody to give to", 4, "", "", { max: 2, unplaced: 4 }],
    ["min does not reach a weight of zero", 4, "a1 b0", "a4 b0", { min: 1 }],
    ["too many for max", 10, "a1 b5", "a3 b3", { max: 3, unplaced: 4 }],
    ["max wins over a greater min", 6, "a1 b1", "a3 b3", { min: 5, max: 3 }],
    ["too few for min: the heaviest, then by name", 5, "a1 b2 c1", "a2 b3 c0", { min: 2, belowMinimum: "c" }],
    ["too few for min: one takes all, even below min", 1, "a1 b1", "a1 b0", { min: 3, belowMinimum: "b" }],
    ["too few for min: holders go first", 4, "a1 b1 c1", "a2 b0 c2", { min: 2, holds: "c2", belowMinimum: "b" }],
    ["too few for min: a weight precedes a holder", 3, "a1 b2", "a0 b3", { min: 3, holds: "a3", belowMinimum: "a" }],
    ["a holder of many has no more right to one", 3, "a1 b1", "a2 b1", { holds: "a2 b9" }],
    ["a holder of its quota has no right to one more", 3, "a1 b1", "a2 b1", { holds: "b1" }],
    ["a minimum is rounded up to a step", 8, "a6 b1", "a4 b4", { step: 2, min: 3 }],
    ["a maximum below the step wins", 4, "a1 b1", "a2 b2", { step: 5, max: 2 }],
    [
      "steps: an odd step goes to the holder of more, counted in steps",
      6,
      "a1 b1",
      "a2 b4",
      { step: 2, holds: "a3 b4" },
    ],
    ["rest of a step: the cluster furthest below its quota", 10, "a3 b2", "a6 b4", { step: 3 }],
    ["rest of a step: then the heavier one", 5, "z3 b1 c1", "z3 b2 c0", { step: 2 }],
    ["rest of a step: then a holder", 5, "a1 b1", "a2 b3", { step: 2, holds: "b3" }],
    ["rest of a step: up to the maximum, one after the other", 7, "a1 b1", "a3 b3", { step: 2, max: 3, unplaced: 1 }],
  ])("%s", (_name, total, weights, want, { holds, unplaced = 0, belowMinimum = "", ...within } = {}) => {
    const ties = holds === undefined ? undefined : { holds: new Map(Object.entries(numbersIn(holds))) };
    expect(divideWithin(total, numbersIn(weights), within, ties)).toEqual({
      replicas: numbersIn(want),
      unplaced,
      belowMinimum: belowMinimum === "" ? [] : belowMinimum.split(" "),
    });
  });

  test.prop([fc.nat(1000), weightsOf(1)])("is never a whole replica away from the exact quota", (total, weights) => {
    for (const [name, replicas] of Object.entries(divideWithin(total, weights, {}).replicas))
      expect(Math.abs(replicas - (total * (weights[name] ?? 0)) / sum(weights))).toBeLessThan(1);
  });

  test.prop([fc.nat(300), weightsOf(0), bounds, object, fc.dictionary(names, fc.nat(60))], { numRuns })(
    "accounts for every replica within the maximum, in any order, with at most one share between steps",
    (total, weights, within, key, current) => {
      const ties = { holds: new Map(Object.entries(current)), object: key };
      const division = divideWithin(total, weights, within, ties);
      const { replicas, unplaced, belowMinimum } = division;
      const weighted = Object.values(weights).filter((weight) => weight > 0).length || Object.keys(weights).length;
      expect(sum(replicas) + unplaced).toBe(total);
      if (belowMinimum.length === 0) expect(sum(replicas)).toBe(Math.min(total, within.max * weighted));
      const between = Object.values(replicas).filter((n) => n % within.step !== 0 && n < within.max);
      expect(between.length).toBeLessThanOrEqual(1);
      expect(Object.values(replicas).every((n) => n <= within.max)).toBe(true);
      expect(belowMinimum.filter((name) => replicas[name] !== 0)).toEqual([]);
      const reversed = Object.fromEntries(Object.entries(weights).toReversed());
      expect(divideWithin(total, reversed, within, ties)).toEqual(division);
    },
  );

  test.prop([fc.nat(400), weightsOf(1), bounds])("keeps to the minimum where it can", (total, weights, within) => {
    const [min, max, count] = [Math.min(within.min, within.max), within.max, Object.keys(weights).length];
    fc.pre(total >= count * min && total <= count * max);
    const { replicas, belowMinimum } = divideWithin(total, weights, { min, max });
    expect(belowMinimum).toEqual([]);
    expect(Object.values(replicas).filter((n) => n < min)).toEqual([]);
  });

  test.prop([fc.nat(400), weightsOf(1), bounds], { numRuns })(
    "a heavier weight never gets less",
    (total, weights, within) => {
      const { replicas } = divideWithin(total, weights, within);
      for (const [a, weightA] of Object.entries(weights))
        for (const [b, weightB] of Object.entries(weights))
          if (weightA > weightB) expect(replicas[a] ?? 0).toBeGreaterThanOrEqual(replicas[b] ?? 0);
    },
  );
});

describe("between equals", () => {
  test.prop([fc.nat(300), weightsOf(1), bounds, object, object], { numRuns })(
    "nothing moves from a division that is as right as any other",
    (total, weights, within, one, other) => {
      const { replicas } = divideWithin(total, weights, within, { object: one });
      const holds = new Map(Object.entries(replicas));
      expect(divideWithin(total, weights, within, { object: other, holds }).replicas).toEqual(replicas);
    },
  );

  const small = fc.dictionary(names, fc.integer({ min: 1, max: 4 }), { minKeys: 1, maxKeys: 5 });
  test.prop([fc.nat(12), small, fc.dictionary(names, fc.nat(5)), object], { numRuns })(
    "the division is one of the right ones, and moves as few replicas as any of them",
    (total, weights, current, key) => {
      const holds = new Map(Object.entries(current));
      const moved = (replicas: Record<string, number>): number =>
        Object.entries(replicas).reduce((acc, [name, n]) => acc + Math.max(0, (holds.get(name) ?? 0) - n), 0);
      const { replicas } = divideWithin(total, weights, {}, { holds, object: key });
      const right = rightDivisions(total, weights);
      expect(right).toContainEqual(replicas);
      expect(moved(replicas)).toBe(Math.min(...right.map(moved)));
    },
  );
});

/** Every division with the largest remainder: all choices among equal fractions. */
function rightDivisions(total: number, weights: Record<string, number>): Record<string, number>[] {
  const all = sum(weights);
  const entries = Object.entries(weights);
  const floors = entries.map(([name, weight]) => [name, Math.floor((total * weight) / all)] as const);
  const left = total - floors.reduce((acc, [, n]) => acc + n, 0);
  const fraction = (i: number): number => (total * (entries[i]?.[1] ?? 0)) % all;
  const found: Record<string, number>[] = [];
  for (let bits = 0; bits < 2 ** entries.length; bits += 1) {
    const takes = (i: number): boolean => ((bits >> i) & 1) === 1;
    const taking = entries.map((_, i) => i).filter(takes);
    const others = entries.map((_, i) => i).filter((i) => !takes(i));
    if (taking.length !== left) continue;
    if (taking.some((i) => others.some((j) => fraction(j) > fraction(i)))) continue;
    found.push(Object.fromEntries(floors.map(([name, n], i) => [name, n + (takes(i) ? 1 : 0)])));
  }
  return found;
}

describe("the order between equals", () => {
  const WORD = 2n ** 32n;
  /** FNV-1a over the code units of object and name, then the last steps of MurmurHash3, in numbers that never overflow. */
  const rankOf = (key: string, name: string): bigint => {
    let hash = 2_166_136_261n;
    for (const unit of (key + name).split("")) hash = ((hash ^ BigInt(unit.charCodeAt(0))) * 16_777_619n) % WORD;
    hash = ((hash ^ (hash >> 16n)) * 0x85_eb_ca_6bn) % WORD;
    hash = ((hash ^ (hash >> 13n)) * 0xc2_b2_ae_35n) % WORD;
    return hash ^ (hash >> 16n);
  };
  const some = fc.uniqueArray(fc.string({ maxLength: 6 }), { maxLength: 8 });

  test.prop([some, fc.option(fc.string({ maxLength: 12 }), { nil: undefined })])(
    "is a hash of object and name, the same in every version; without an object it is the name",
    (all, key) => {
      const rank = (name: string): bigint => (key === undefined ? 0n : rankOf(key, name));
      const want = all.toSorted((a, b) => (rank(a) === rank(b) ? (a < b ? -1 : 1) : rank(a) < rank(b) ? -1 : 1));
      const ranked = all.map((name) => ({ name })).toSorted(fairly({ object: key }));
      expect(ranked.map(({ name }) => name)).toEqual(want);
    },
  );
});
