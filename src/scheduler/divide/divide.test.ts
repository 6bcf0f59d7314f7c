import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { divide, divideWithin } from "./divide.ts";
import { type DivisionCase, expectDivision } from "./testing.ts";

const numRuns = Number(process.env["MERIDIAN_PROPERTY_RUNS"] ?? 1000);

const names = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
const weightsOf = (min: number) => fc.dictionary(names, fc.integer({ min, max: 50 }), { minKeys: 1 });
const sum = (replicas: Record<string, number>): number => Object.values(replicas).reduce((a, b) => a + b, 0);

describe("divide", () => {
  interface Case {
    name: string;
    total: number;
    weights: Record<string, number>;
    want: Record<string, number>;
  }
  test.each<Case>([
    { name: "3:1:1 of 10", total: 10, weights: { a: 3, b: 1, c: 1 }, want: { a: 6, b: 2, c: 2 } },
    {
      name: "a remainder goes to the largest fraction",
      total: 11,
      weights: { a: 3, b: 1, c: 1 },
      want: { a: 7, b: 2, c: 2 },
    },
    { name: "equal fractions go by name", total: 5, weights: { c: 1, b: 1, a: 1 }, want: { a: 2, b: 2, c: 1 } },
    { name: "a weight of zero gets nothing", total: 5, weights: { a: 0, b: 2 }, want: { a: 0, b: 5 } },
    { name: "only zero weights are even shares", total: 5, weights: { a: 0, b: 0 }, want: { a: 3, b: 2 } },
    { name: "nothing to give", total: 0, weights: { a: 1, b: 2 }, want: { a: 0, b: 0 } },
    { name: "nobody to give to", total: 3, weights: {}, want: {} },
    { name: "fewer replicas than clusters", total: 1, weights: { a: 1, b: 5 }, want: { a: 0, b: 1 } },
    {
      name: "large weights without rounding errors",
      total: 1000,
      weights: { a: 2147483647, b: 2147483647, c: 2147483646 },
      want: { a: 334, b: 333, c: 333 },
    },
  ])("$name", ({ total, weights, want }) => expect(divide(total, weights)).toEqual(want));

  test.prop([fc.nat(1000), weightsOf(0)])("gives out exactly what there is", (total, weights) => {
    expect(sum(divide(total, weights))).toBe(total);
  });

  test.prop([fc.nat(1000), weightsOf(1)])("is never a whole replica away from the exact quota", (total, weights) => {
    for (const [name, replicas] of Object.entries(divide(total, weights))) {
      expect(Math.abs(replicas - (total * (weights[name] ?? 0)) / sum(weights))).toBeLessThan(1);
    }
  });

  test.prop([fc.nat(1000), weightsOf(0)])("does not depend on the order of the names", (total, weights) => {
    expect(divide(total, Object.fromEntries(Object.entries(weights).toReversed()))).toEqual(divide(total, weights));
  });
});

describe("divideWithin", () => {
  test.each<DivisionCase>([
    {
      name: "lifts the light ones to min",
      total: 10,
      weights: { a: 8, b: 1, c: 1 },
      bounds: { min: 2 },
      want: { a: 6, b: 2, c: 2 },
    },
    {
      name: "cuts the heavy one at max",
      total: 10,
      weights: { a: 8, b: 1, c: 1 },
      bounds: { max: 4 },
      want: { a: 4, b: 3, c: 3 },
    },
    {
      name: "does not fix a light one at min when the cut of a heavy one lifts it anyway",
      total: 20,
      weights: { a: 16, b: 3, c: 1 },
      bounds: { min: 2, max: 8 },
      want: { a: 8, b: 8, c: 4 },
    },
    {
      name: "min does not reach a weight of zero",
      total: 4,
      weights: { a: 1, b: 0 },
      bounds: { min: 1 },
      want: { a: 4, b: 0 },
    },
    {
      name: "max does not spill over to a weight of zero",
      total: 4,
      weights: { a: 1, b: 0 },
      bounds: { max: 3 },
      want: { a: 3, b: 0 },
      unplaced: 1,
    },
    {
      name: "too many for max",
      total: 10,
      weights: { a: 1, b: 5 },
      bounds: { max: 3 },
      want: { a: 3, b: 3 },
      unplaced: 4,
    },
    {
      name: "too few for min: the heaviest share, then by name",
      total: 5,
      weights: { a: 1, b: 2, c: 1 },
      bounds: { min: 2 },
      want: { a: 2, b: 3, c: 0 },
      belowMinimum: ["c"],
    },
    {
      name: "too few for min on a single cluster: one takes what there is",
      total: 1,
      weights: { a: 1, b: 1 },
      bounds: { min: 3 },
      want: { a: 1, b: 0 },
      belowMinimum: ["b"],
    },
    {
      name: "too few for min on most: those that get nothing are named in order",
      total: 2,
      weights: { d: 1, c: 1, b: 2, a: 1 },
      bounds: { min: 2 },
      want: { a: 0, b: 2, c: 0, d: 0 },
      belowMinimum: ["a", "c", "d"],
    },
    { name: "nothing to give breaks no minimum", total: 0, weights: { a: 1 }, bounds: { min: 1 }, want: { a: 0 } },
    {
      name: "max wins over a greater min",
      total: 6,
      weights: { a: 1, b: 1 },
      bounds: { min: 5, max: 3 },
      want: { a: 3, b: 3 },
    },
  ])("$name", expectDivision);

  const bounds = fc.record({ min: fc.nat(8), max: fc.integer({ min: 8, max: 60 }) });

  test.prop([fc.nat(400), weightsOf(1), bounds])(
    "gives the exact sum within the bounds whenever that is possible",
    (total, weights, { min, max }) => {
      const count = Object.keys(weights).length;
      fc.pre(total >= count * min && total <= count * max);
      const { replicas, unplaced, belowMinimum } = divideWithin(total, weights, { min, max });
      expect(sum(replicas)).toBe(total);
      expect({ unplaced, belowMinimum }).toEqual({ unplaced: 0, belowMinimum: [] });
      for (const n of Object.values(replicas)) {
        expect(n).toBeGreaterThanOrEqual(min);
        expect(n).toBeLessThanOrEqual(max);
      }
    },
  );

  test.prop([fc.nat(400), weightsOf(0), bounds])(
    "accounts for every replica, and nobody exceeds max",
    (total, weights, { min, max }) => {
      const { replicas, unplaced, belowMinimum } = divideWithin(total, weights, { min, max });
      expect(sum(replicas) + unplaced).toBe(total);
      for (const n of Object.values(replicas)) expect(n).toBeLessThanOrEqual(max);
      for (const name of belowMinimum) expect(replicas[name]).toBe(0);
    },
  );

  test.prop([fc.nat(400), weightsOf(1), bounds])("a heavier weight never gets less", (total, weights, within) => {
    const { replicas } = divideWithin(total, weights, within);
    const entries = Object.entries(weights);
    for (const [a, weightA] of entries) {
      for (const [b, weightB] of entries) {
        if (weightA > weightB) expect(replicas[a] ?? 0).toBeGreaterThanOrEqual(replicas[b] ?? 0);
      }
    }
  });
});

describe("replicaStep", () => {
  test.each<DivisionCase>([
    { name: "gives multiples", total: 12, weights: { a: 2, b: 1 }, bounds: { step: 4 }, want: { a: 8, b: 4 } },
    {
      name: "what is left goes to the cluster furthest below its quota",
      total: 10,
      weights: { a: 3, b: 2 },
      bounds: { step: 3 },
      want: { a: 6, b: 4 },
    },
    {
      name: "less than a step goes to one cluster",
      total: 2,
      weights: { a: 1, b: 2 },
      bounds: { step: 5 },
      want: { a: 0, b: 2 },
    },
    {
      name: "a maximum that is no multiple is used up",
      total: 8,
      weights: { a: 1, b: 1 },
      bounds: { step: 3, max: 4 },
      want: { a: 4, b: 4 },
    },
    {
      name: "a maximum below the step wins",
      total: 4,
      weights: { a: 1, b: 1 },
      bounds: { step: 5, max: 2 },
      want: { a: 2, b: 2 },
    },
    {
      name: "a minimum is rounded up to a step",
      total: 8,
      weights: { a: 6, b: 1 },
      bounds: { step: 2, min: 3 },
      want: { a: 4, b: 4 },
    },
    {
      name: "too many for the maxima",
      total: 9,
      weights: { a: 1, b: 1 },
      bounds: { step: 2, max: 3 },
      want: { a: 3, b: 3 },
      unplaced: 3,
    },
  ])("$name", expectDivision);

  const bounds = fc.record({
    step: fc.integer({ min: 1, max: 9 }),
    min: fc.nat(6),
    max: fc.integer({ min: 1, max: 40 }),
  });

  test.prop([fc.nat(300), weightsOf(1), bounds], { numRuns })(
    "gives out what the maxima allow, and at most one share that no maximum cuts is no multiple",
    (total, weights, { step, max }) => {
      const { replicas, unplaced } = divideWithin(total, weights, { step, max });
      expect(sum(replicas)).toBe(Math.min(total, max * Object.keys(weights).length));
      expect(sum(replicas) + unplaced).toBe(total);
      expect(Object.values(replicas).filter((n) => n % step !== 0 && n < max).length).toBeLessThanOrEqual(1);
    },
  );

  test.prop([fc.nat(300), weightsOf(1), bounds], { numRuns })(
    "a heavier weight never gets less",
    (total, weights, within) => {
      const { replicas } = divideWithin(total, weights, within);
      for (const [a, weightA] of Object.entries(weights)) {
        for (const [b, weightB] of Object.entries(weights)) {
          if (weightA > weightB) expect(replicas[a] ?? 0).toBeGreaterThanOrEqual(replicas[b] ?? 0);
        }
      }
    },
  );
});

describe("between equals", () => {
  const object = fc.constantFrom("x", "y", "default/shop", "default/cart");
  const bounds = fc.record({
    step: fc.integer({ min: 1, max: 4 }),
    min: fc.nat(6),
    max: fc.integer({ min: 1, max: 40 }),
  });

  test("the odd replicas of many objects spread over the clusters", () => {
    const odd: Record<string, number> = { a: 0, b: 0, c: 0 };
    for (let i = 0; i < 300; i += 1) {
      const { replicas } = divideWithin(4, { a: 1, b: 1, c: 1 }, {}, { object: `Deployment/shop/app-${i}` });
      for (const [name, n] of Object.entries(replicas)) odd[name] = (odd[name] ?? 0) + n - 1;
    }
    for (const count of Object.values(odd)) expect(count).toBeGreaterThan(70);
  });

  test("who holds the odd replica keeps it", () => {
    const holds = new Map([["c", 2]]);
    expect(divideWithin(4, { a: 1, b: 1, c: 1 }, {}, { holds, object: "x" }).replicas).toEqual({ a: 1, b: 1, c: 2 });
  });

  test("who has none because of the minimum does not push out who has some", () => {
    const holds = new Map([
      ["b", 2],
      ["c", 2],
    ]);
    const { replicas } = divideWithin(5, { a: 1, b: 1, c: 1 }, { min: 2 }, { holds });
    expect(replicas["a"]).toBe(0);
  });

  test.prop([fc.nat(300), weightsOf(1), bounds, object, object], { numRuns })(
    "nothing moves from a division that is as right as any other",
    (total, weights, within, one, other) => {
      const { replicas } = divideWithin(total, weights, within, { object: one });
      const holds = new Map(Object.entries(replicas));
      expect(divideWithin(total, weights, within, { object: other, holds }).replicas).toEqual(replicas);
    },
  );

  test.prop(
    [
      fc.nat(12),
      fc.dictionary(names, fc.integer({ min: 1, max: 4 }), { minKeys: 1, maxKeys: 5 }),
      fc.dictionary(names, fc.nat(5)),
      object,
    ],
    {
      numRuns,
    },
  )("as few replicas move as the weights allow", (total, weights, current, key) => {
    const holds = new Map(Object.entries(current));
    const moved = (replicas: Record<string, number>): number =>
      Object.entries(replicas).reduce((acc, [name, n]) => acc + Math.max(0, (holds.get(name) ?? 0) - n), 0);
    const { replicas } = divideWithin(total, weights, {}, { holds, object: key });
    expect(moved(replicas)).toBe(Math.min(...rightDivisions(total, weights).map(moved)));
  });

  test.prop([fc.nat(300), weightsOf(1), bounds, object, fc.dictionary(names, fc.nat(60))], { numRuns })(
    "holders and objects change nothing of the sum, nor does the order of the names",
    (total, weights, within, key, current) => {
      const ties = { holds: new Map(Object.entries(current)), object: key };
      const division = divideWithin(total, weights, within, ties);
      expect(sum(division.replicas) + division.unplaced).toBe(total);
      expect(divideWithin(total, Object.fromEntries(Object.entries(weights).toReversed()), within, ties)).toEqual(
        division,
      );
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
