import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { type Candidate, divideAggregated, divideAvailable } from "./divideByHeadroom.ts";

const numRuns = Number(process.env["MERIDIAN_PROPERTY_RUNS"] ?? 1000);
const at = (name: string, room: number | undefined, current = 0): Candidate => ({ name, room, current });

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
    (total, all, rooms, within, tie) => {
      const { replicas } = divide(total, all, within, tie);
      const later = all.map(({ name }, i) => at(name, rooms[i], replicas[name]));
      expect(divide(total, later, within, tie).replicas).toEqual(replicas);
    },
  );

  test.prop([fc.nat(120), candidates, max], { numRuns })(
    "places nothing without room where there is room",
    (total, all, within) => {
      const { replicas, withoutRoom } = divide(total, all, within);
      const hasRoomLeft = all.some(({ name, room, current }) => {
        const held = Math.min(current, within.max ?? current);
        const given = replicas[name] ?? 0;
        return room !== undefined && given - held < room && given < (within.max ?? Number.POSITIVE_INFINITY);
      });
      if (withoutRoom > 0) expect(hasRoomLeft).toBe(false);
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

interface Case {
  name: string;
  total: number;
  all: Candidate[];
  within?: { min?: number; max?: number; step?: number };
  want: Record<string, number>;
  withoutRoom?: number;
}

describe("divideAvailable", () => {
  test.each<Case>([
    {
      name: "a new object is divided in proportion to room",
      total: 12,
      all: [at("a", 18), at("b", 12), at("c", 6)],
      want: { a: 6, b: 4, c: 2 },
    },
    {
      name: "what has no room is placed all the same, and counted",
      total: 10,
      all: [at("a", 4), at("b", 2)],
      want: { a: 8, b: 2 },
      withoutRoom: 4,
    },
    {
      name: "what has no room goes to where most was, not to a cluster that has none",
      total: 6,
      all: [at("a", 0), at("b", 1), at("c", 3)],
      want: { a: 0, b: 1, c: 5 },
      withoutRoom: 2,
    },
    {
      name: "what has no room stays with those that run some",
      total: 4,
      all: [at("a", 0), at("b", 0, 2)],
      want: { a: 0, b: 4 },
      withoutRoom: 2,
    },
    {
      name: "what is added goes by the room that is left",
      total: 9,
      all: [at("a", 1, 4), at("b", 3, 1)],
      want: { a: 5, b: 4 },
    },
    {
      name: "a cluster that is opened gets its least",
      total: 7,
      all: [at("a", 30), at("b", 3), at("c", 2)],
      within: { min: 3 },
      want: { a: 4, b: 3, c: 0 },
    },
    { name: "in steps", total: 8, all: [at("a", 9), at("b", 3)], within: { step: 2 }, want: { a: 6, b: 2 } },
    { name: "up to the most", total: 8, all: [at("a", 90), at("b", 9)], within: { max: 5 }, want: { a: 5, b: 3 } },
    {
      name: "unknown room everywhere: evenly",
      total: 6,
      all: [at("a", undefined), at("b", undefined)],
      want: { a: 3, b: 3 },
    },
    {
      name: "unknown room somewhere keeps what it has",
      total: 9,
      all: [at("a", undefined, 2), at("b", 3, 2)],
      want: { a: 2, b: 7 },
      withoutRoom: 2,
    },
  ])("$name", ({ total, all, within = {}, want, withoutRoom = 0 }) =>
    expect(divideAvailable(total, all, within)).toEqual({ replicas: want, withoutRoom, unplaced: 0 }),
  );
});

describe("divideAggregated", () => {
  test.each<Case>([
    {
      name: "as few clusters as possible, the one with most room first",
      total: 10,
      all: [at("a", 5), at("b", 12), at("c", 20)],
      want: { a: 0, b: 0, c: 10 },
    },
    {
      name: "what runs there already is filled first",
      total: 8,
      all: [at("a", 6, 2), at("b", 50)],
      want: { a: 8, b: 0 },
    },
    {
      name: "what goes leaves the smallest first",
      total: 5,
      all: [at("a", 0, 2), at("b", 0, 5)],
      want: { a: 0, b: 5 },
    },
    {
      name: "the last one gets its least, at the cost of the one before",
      total: 7,
      all: [at("a", 6), at("b", 5)],
      within: { min: 2 },
      want: { a: 5, b: 2 },
    },
    { name: "up to the most", total: 8, all: [at("a", 90), at("b", 9)], within: { max: 5 }, want: { a: 5, b: 3 } },
    {
      name: "what has no room goes to where most was, not to a cluster that has none",
      total: 6,
      all: [at("a", 0), at("b", 4)],
      want: { a: 0, b: 6 },
      withoutRoom: 2,
    },
  ])("$name", ({ total, all, within = {}, want, withoutRoom = 0 }) =>
    expect(divideAggregated(total, all, within)).toEqual({ replicas: want, withoutRoom, unplaced: 0 }),
  );
});
