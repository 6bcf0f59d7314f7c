import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { divideAggregated, divideAvailable, type HeadroomBounds } from "./divideByHeadroom.ts";
import { candidatesIn, numbersIn } from "./testing.ts";

const numRuns = Number(process.env["MERIDIAN_PROPERTY_RUNS"] ?? 1000);

const candidates = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom("a", "b", "c", "d", "e"),
    room: fc.option(fc.nat(40), { nil: undefined }),
    current: fc.nat(10),
  }),
  { minLength: 1, selector: ({ name }) => name },
);
const optional = (least: number, most: number) => fc.option(fc.integer({ min: least, max: most }), { nil: undefined });
const max = fc.record({ max: optional(1, 30) });
const bounds = fc
  .record({ min: optional(0, 8), max: optional(1, 30), step: optional(1, 5) })
  .map(({ min, max: most, step }) => ({ min: most === undefined ? min : Math.min(min ?? 0, most), max: most, step }));
const ties = fc.record({ object: fc.option(fc.constantFrom("x", "y", "z"), { nil: undefined }) });
const sum = (replicas: Record<string, number>): number => Object.values(replicas).reduce((a, b) => a + b, 0);

describe.each([
  ["divideAvailable", divideAvailable],
  ["divideAggregated", divideAggregated],
])("%s", (_, divide) => {
  test.prop([fc.nat(120), candidates, bounds, ties], { numRuns })(
    "accounts for every replica within min, max and step",
    (total, all, within, tie) => {
      const { replicas, unplaced } = divide(total, all, within, tie);
      const counts = Object.values(replicas);
      const { min = 0, max: most = Number.POSITIVE_INFINITY, step = 1 } = within;
      expect(sum(replicas) + unplaced).toBe(total);
      if (within.max === undefined) expect(unplaced).toBe(0);
      for (const n of counts) {
        expect(n).toBeGreaterThanOrEqual(0);
        expect(n).toBeLessThanOrEqual(most);
      }
      // One cluster may have to live below the least; then it is alone.
      const open = counts.filter((n) => n > 0);
      if (open.length > 1 && most % step === 0) for (const n of open) expect(n).toBeGreaterThanOrEqual(min);
      // What makes no whole step is in one place.
      if (most % step === 0) expect(open.filter((n) => n % step !== 0).length).toBeLessThanOrEqual(1);
    },
  );

  test.prop([fc.nat(120), candidates, bounds, ties], { numRuns })(
    "does not depend on the order of the clusters",
    (total, all, within, tie) => {
      expect(divide(total, all.toReversed(), within, tie)).toEqual(divide(total, all, within, tie));
    },
  );

  test.prop([fc.nat(120), candidates, max], { numRuns })(
    "moves nothing that max does not drive away: it only adds, or only takes away",
    (total, all, within) => {
      const { replicas } = divide(total, all, within);
      const held = all.map(({ current }) => Math.min(current, within.max ?? current));
      const changes = all.map(({ name }, i) => (replicas[name] ?? 0) - (held[i] ?? 0));
      const isGrowing = total >= held.reduce((acc, current) => acc + current, 0);
      expect(changes.every((change) => (isGrowing ? change >= 0 : change <= 0))).toBe(true);
    },
  );

  test.prop([fc.nat(120), candidates, fc.array(fc.nat(40), { minLength: 5, maxLength: 5 }), bounds, ties], { numRuns })(
    "another room, as when its own pods start, moves no replica",
    (total, all, capacities, within, tie) => {
      const { replicas } = divide(total, all, within, tie);
      const later = all.map(({ name }, i) => ({ name, room: capacities[i], current: replicas[name] ?? 0 }));
      expect(divide(total, later, within, tie).replicas).toEqual(replicas);
    },
  );

  test.prop([fc.nat(120), candidates, max], { numRuns })(
    "places nothing without room where there is room",
    (total, all, within) => {
      const { replicas, withoutHeadroom } = divide(total, all, within);
      const hasRoomLeft = all.some(({ name, room, current }) => {
        const held = Math.min(current, within.max ?? current);
        const given = replicas[name] ?? 0;
        return room !== undefined && given - held < room && given < (within.max ?? Number.POSITIVE_INFINITY);
      });
      if (withoutHeadroom > 0) expect(hasRoomLeft).toBe(false);
    },
  );

  test.prop([fc.nat(120), candidates], { numRuns })(
    "a cluster of unknown room gets no more while another one is known",
    (total, all) => {
      const { replicas } = divide(total, all, {});
      const isKnown = all.some(({ room }) => room !== undefined);
      for (const { name, room, current } of all)
        if (room === undefined && isKnown) expect(replicas[name]).toBeLessThanOrEqual(current);
    },
  );

  test.prop([fc.nat(60), candidates, fc.nat(9)], { numRuns })(
    "what has to leave a cluster goes where there is room, and nothing else moves",
    (more, all, most) => {
      const total = all.reduce((acc, { current }) => acc + current, 0) + more;
      const leaving = all.map((one, i) => (i === 0 ? { ...one, most, room: 0 } : one));
      const { replicas } = divide(total, leaving, {});
      expect(replicas[all[0]?.name ?? ""]).toBeLessThanOrEqual(most);
      for (const { name, current } of all.slice(1)) expect(replicas[name]).toBeGreaterThanOrEqual(current);
    },
  );
});

/** Bounds of a division, and what the result has besides replicas. */
interface More extends HeadroomBounds {
  withoutHeadroom?: number;
  unplaced?: number;
}
type Row = [name: string, total: number, candidates: string, want: string, more?: More];

const expectDivision =
  (divide: typeof divideAvailable) =>
  (...[, total, candidates, want, { withoutHeadroom = 0, unplaced = 0, ...within } = {}]: Row): void =>
    expect(divide(total, candidatesIn(candidates), within)).toEqual({
      replicas: numbersIn(want),
      withoutHeadroom,
      unplaced,
    });

describe.each([
  ["divideAvailable", divideAvailable],
  ["divideAggregated", divideAggregated],
])("%s", (_, divide) => {
  test.each<Row>([
    ["less than nothing is nothing", -3, "a9+2 b9", "a0 b0"],
    ["no candidates", 3, "", "", { unplaced: 3 }],
    ["replicas leave a cluster whatever headroom it reports", 5, "a4+5<=2 b9", "a2 b3"],
    ["replicas leave for an unknown headroom, if there is no other", 3, "a0+3<=0 b?", "a0 b3"],
    [
      "known headroom fills up before unknown headroom",
      10,
      "a1 b?",
      "a3 b3",
      { max: 3, withoutHeadroom: 2, unplaced: 4 },
    ],
    [
      "everyone: each gets the minimum, fitting or not",
      6,
      "a9 b0 c0",
      "a4 b1 c1",
      { min: 1, everyone: true, withoutHeadroom: 2 },
    ],
    ["a holder below the minimum gets it", 7, "a0+2 b9", "a3 b4", { min: 3, withoutHeadroom: 1 }],
    ["holders of most stay where not all can have the minimum", 9, "a9+4 b9+2 c9+3", "a5 b0 c4", { min: 4 }],
    ["the largest is opened where only one can have the minimum", 4, "a3 b5", "a0 b4", { min: 3 }],
    ["one is opened though the minimum fits nowhere", 3, "a2 b2", "a3 b0", { min: 3, withoutHeadroom: 1 }],
    ["the only one lives below the minimum", 2, "a0+5", "a2", { min: 4 }],
    ["unknown: as many as can have the minimum, evenly", 5, "a? b? c?", "a3 b2 c0", { min: 2 }],
    ["unknown: one, where none can have the minimum", 1, "a? b?", "a1 b0", { min: 2 }],
    ["unknown: what is added is even, what runs stays", 6, "a?+2 b? c?", "a4 b1 c1"],
    ["steps: a holder of an odd part keeps it", 5, "a0+3 b9", "a3 b2", { step: 2 }],
    ["steps: the rest goes to most headroom", 1, "a3 b9", "a0 b1", { step: 2 }],
    ["steps: the rest stays where it is", 1, "a9 b3+1", "a0 b1", { step: 2 }],
  ])("%s", expectDivision(divide));
});

test.each<Row>([
  ["a new object goes in proportion to headroom", 12, "a18 b12 c6", "a6 b4 c2"],
  ["what fits nowhere goes to most headroom, not to none", 6, "a0 b1 c3", "a0 b1 c5", { withoutHeadroom: 2 }],
  ["what fits nowhere goes to holders", 4, "a0 b0+2", "a0 b4", { withoutHeadroom: 2 }],
  ["what is added goes by the headroom that is left", 9, "a1+4 b3+1", "a5 b4"],
  ["an opened cluster gets the minimum", 7, "a30 b3 c2", "a4 b3 c0", { min: 3 }],
  ["steps: the odd replica goes to more headroom", 7, "a9 b3", "a5 b2", { step: 2 }],
  ["replicas leave in proportion", 5, "a0+8 b0+2", "a4 b1"],
  ["replicas leave in proportion, down to the minimum", 5, "a0+8 b0+2", "a3 b2", { min: 2 }],
])("divideAvailable: %s", expectDivision(divideAvailable));

test.each<Row>([
  ["as few clusters as possible, most headroom first", 10, "a5 b12 c20", "a0 b0 c10"],
  ["holders are filled first", 8, "a6+2 b50", "a8 b0"],
  ["what fits nowhere goes to most headroom, not to none", 6, "a0 b4", "a0 b6", { withoutHeadroom: 2 }],
  ["replicas leave the smallest first, no more than have to", 8, "a0+3 b0+4 c0+5", "a0 b3 c5"],
  ["of equally small ones the last by name leaves", 2, "a0+2 b0+2", "a2 b0"],
  ["who stays keeps the minimum, at the cost of the largest", 8, "a0+5 b0+6", "a4 b4", { min: 4 }],
  ["the last one gets the minimum from the one before", 21, "a10 b9 c8", "a10 b7 c4", { min: 4 }],
  ["the last one gets the minimum from what a holder was given", 8, "a1+4 b9", "a4 b4", { min: 4 }],
])("divideAggregated: %s", expectDivision(divideAggregated));

describe("between equals the object decides", () => {
  const objects = Array.from({ length: 40 }, (_, i) => `object-${i}`);
  test.each<[string, typeof divideAvailable, number, string, HeadroomBounds?]>([
    ["who gets the odd replica", divideAvailable, 1, "a5 b5"],
    ["who keeps the odd replica", divideAvailable, 1, "a5+1 b5+1"],
    ["who gets the rest of a step", divideAggregated, 1, "a5 b5", { step: 2 }],
  ])("%s", (_what, divide, total, candidates, within = {}) => {
    const all = candidatesIn(candidates);
    const takers = objects.map((object) => {
      const { replicas } = divide(total, all, within, { object });
      return Object.keys(replicas).filter((name) => (replicas[name] ?? 0) > 0);
    });
    expect(new Set(takers.map((some) => some.join()))).toEqual(new Set(["a", "b"]));
    expect(divide(total, all, within).replicas).toEqual({ a: total, b: 0 });
  });
});
