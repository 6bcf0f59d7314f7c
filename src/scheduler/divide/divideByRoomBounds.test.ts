import { describe, expect, test } from "vitest";
import { type Candidate, divideAggregated, divideAvailable, type RoomBounds } from "./divideByHeadroom.ts";

const at = (name: string, room: number | undefined, current = 0): Candidate => ({ name, room, current });

interface Case {
  name: string;
  total: number;
  all: Candidate[];
  within?: RoomBounds;
  want: Record<string, number>;
  withoutRoom?: number;
  unplaced?: number;
}

const divides =
  (divide: typeof divideAvailable) =>
  ({ total, all, within = {}, want, withoutRoom = 0, unplaced = 0 }: Case): void =>
    expect(divide(total, all, within)).toEqual({ replicas: want, withoutRoom, unplaced });

describe.each([
  ["divideAvailable", divideAvailable],
  ["divideAggregated", divideAggregated],
])("%s", (_, divide) => {
  test.each<Case>([
    { name: "less than none is none", total: -3, all: [at("a", 9, 2), at("b", 9)], want: { a: 0, b: 0 } },
    {
      name: "what has to leave does, whatever room is said to be there",
      total: 5,
      all: [{ ...at("a", 4, 5), most: 2 }, at("b", 9)],
      want: { a: 2, b: 3 },
    },
    {
      name: "what has to leave goes to where room is not known, when that is all there is",
      total: 3,
      all: [{ ...at("a", 0, 3), most: 0 }, at("b", undefined)],
      want: { a: 0, b: 3 },
    },
    {
      name: "beyond the most of each there is no place",
      total: 10,
      all: [at("a", 9), at("b", 9)],
      within: { max: 3 },
      want: { a: 3, b: 3 },
      unplaced: 4,
    },
    {
      name: "first what is known is filled beyond its room, then what is not known up to its most",
      total: 10,
      all: [at("a", 1), at("b", undefined)],
      within: { max: 3 },
      want: { a: 3, b: 3 },
      withoutRoom: 2,
      unplaced: 4,
    },
    {
      name: "each gets its least where each has to have some, room or not",
      total: 6,
      all: [at("a", 9), at("b", 0), at("c", 0)],
      within: { min: 1, everyone: true },
      want: { a: 4, b: 1, c: 1 },
      withoutRoom: 2,
    },
    {
      name: "as many as there are replicas for get some, those with room first",
      total: 2,
      all: [at("b", 0), at("c", 0), at("d", 9)],
      within: { min: 1, everyone: true },
      want: { b: 1, c: 0, d: 1 },
      withoutRoom: 1,
    },
    {
      name: "nobody has to have some of nothing",
      total: 0,
      all: [at("a", 9), at("b", 0)],
      within: { min: 1, everyone: true },
      want: { a: 0, b: 0 },
    },
    {
      name: "who runs fewer than the least gets it",
      total: 7,
      all: [at("a", 0, 2), at("b", 9)],
      within: { min: 3 },
      want: { a: 3, b: 4 },
      withoutRoom: 1,
    },
    {
      name: "those that run most stay when not all can have their least",
      total: 9,
      all: [at("a", 9, 4), at("b", 9, 2), at("c", 9, 3)],
      within: { min: 4 },
      want: { a: 5, b: 0, c: 4 },
    },
    {
      name: "the largest is opened where only one can have its least",
      total: 4,
      all: [at("a", 3), at("b", 5)],
      within: { min: 3 },
      want: { a: 0, b: 4 },
    },
    {
      name: "no second one is opened for less than its least",
      total: 4,
      all: [at("a", 3), at("b", 2)],
      within: { min: 3 },
      want: { a: 4, b: 0 },
      withoutRoom: 1,
    },
    {
      name: "one is opened though nobody has room for the least",
      total: 3,
      all: [at("a", 2), at("b", 2)],
      within: { min: 3 },
      want: { a: 3, b: 0 },
      withoutRoom: 1,
    },
    {
      name: "the only one lives below its least when there are no more replicas",
      total: 2,
      all: [at("a", 0, 5)],
      within: { min: 4 },
      want: { a: 2 },
    },
    {
      name: "unknown room: as many as can have their least, evenly",
      total: 5,
      all: [at("a", undefined), at("b", undefined), at("c", undefined)],
      within: { min: 2 },
      want: { a: 3, b: 2, c: 0 },
    },
    {
      name: "unknown room: one, where nobody can have the least",
      total: 1,
      all: [at("a", undefined), at("b", undefined)],
      within: { min: 2 },
      want: { a: 1, b: 0 },
    },
    {
      name: "unknown room: what is added is spread evenly, and what runs stays",
      total: 6,
      all: [at("a", undefined, 2), at("b", undefined), at("c", undefined)],
      want: { a: 4, b: 1, c: 1 },
    },
    {
      name: "unknown room: the most bounds each",
      total: 6,
      all: [at("a", undefined), at("b", undefined)],
      within: { max: 2 },
      want: { a: 2, b: 2 },
      unplaced: 2,
    },
    {
      name: "known room is filled beyond itself before more goes to unknown room",
      total: 5,
      all: [at("a", undefined, 1), at("b", 2)],
      want: { a: 1, b: 4 },
      withoutRoom: 2,
    },
    {
      name: "in steps: who holds an odd part of one keeps it",
      total: 5,
      all: [at("a", 0, 3), at("b", 9)],
      within: { step: 2 },
      want: { a: 3, b: 2 },
    },
    {
      name: "in steps: what makes none goes to where most room is",
      total: 1,
      all: [at("a", 3), at("b", 9)],
      within: { step: 2 },
      want: { a: 0, b: 1 },
    },
    {
      name: "in steps: what makes none stays where it is",
      total: 1,
      all: [at("a", 9), at("b", 3, 1)],
      within: { step: 2 },
      want: { a: 0, b: 1 },
    },
    {
      name: "in steps: a most that is none is reached all the same",
      total: 10,
      all: [at("a", 9), at("b", 9)],
      within: { step: 2, max: 5 },
      want: { a: 5, b: 5 },
    },
    {
      name: "in steps: beyond the most there is no place",
      total: 13,
      all: [at("a", 9), at("b", 9)],
      within: { step: 2, max: 5 },
      want: { a: 5, b: 5 },
      unplaced: 3,
    },
    { name: "nobody takes any", total: 3, all: [], want: {}, unplaced: 3 },
  ])("$name", divides(divide));
});

describe("divideAvailable", () => {
  test.each<Case>([
    {
      name: "what is taken away leaves in proportion, but for the least of each",
      total: 5,
      all: [at("a", 0, 8), at("b", 0, 2)],
      within: { min: 2 },
      want: { a: 3, b: 2 },
    },
    {
      name: "what is taken away leaves in proportion",
      total: 5,
      all: [at("a", 0, 8), at("b", 0, 2)],
      want: { a: 4, b: 1 },
    },
    {
      name: "in steps: the odd one goes to where more room is left",
      total: 7,
      all: [at("a", 9), at("b", 3)],
      within: { step: 2 },
      want: { a: 5, b: 2 },
    },
  ])("$name", divides(divideAvailable));
});

describe("divideAggregated", () => {
  test.each<Case>([
    {
      name: "the smallest goes first, and no more than has to",
      total: 8,
      all: [at("a", 0, 3), at("b", 0, 4), at("c", 0, 5)],
      want: { a: 0, b: 3, c: 5 },
    },
    {
      name: "the smallest goes as a whole where that is what has to go",
      total: 9,
      all: [at("a", 0, 3), at("b", 0, 4), at("c", 0, 5)],
      want: { a: 0, b: 4, c: 5 },
    },
    {
      name: "of equally small ones the last by name goes",
      total: 2,
      all: [at("a", 0, 2), at("b", 0, 2)],
      want: { a: 2, b: 0 },
    },
    {
      name: "who stays keeps its least, at the cost of the largest",
      total: 8,
      all: [at("a", 0, 5), at("b", 0, 6)],
      within: { min: 4 },
      want: { a: 4, b: 4 },
    },
    {
      name: "the last one gets its least from the one before",
      total: 21,
      all: [at("a", 10), at("b", 9), at("c", 8)],
      within: { min: 4 },
      want: { a: 10, b: 7, c: 4 },
    },
    {
      name: "the last one gets its least from several, none of which ends below its own",
      total: 16,
      all: [at("a", 10), at("b", 5), at("c", 5)],
      within: { min: 4 },
      want: { a: 8, b: 4, c: 4 },
    },
    {
      name: "the last one gets its least from what was added to one that runs some",
      total: 8,
      all: [at("a", 1, 4), at("b", 9)],
      within: { min: 4 },
      want: { a: 4, b: 4 },
    },
  ])("$name", divides(divideAggregated));
});

describe("between equals the object decides", () => {
  const objects = Array.from({ length: 40 }, (_, i) => `object-${i}`);
  test.each<[string, typeof divideAvailable, number, Candidate[], RoomBounds]>([
    ["who gets the odd replica", divideAvailable, 1, [at("a", 5), at("b", 5)], {}],
    ["who keeps the odd replica", divideAvailable, 1, [at("a", 5, 1), at("b", 5, 1)], {}],
    ["who gets it where room is not known", divideAvailable, 1, [at("a", undefined), at("b", undefined)], {}],
    ["who gets what makes no step", divideAggregated, 1, [at("a", 5), at("b", 5)], { step: 2 }],
    ["who stays of those that run as many", divideAggregated, 3, [at("a", 5, 2), at("b", 5, 2)], { min: 3 }],
  ])("%s", (_what, divide, total, all, within) => {
    const takers = objects.map((object) => {
      const { replicas } = divide(total, all, within, { object });
      return Object.keys(replicas).filter((name) => (replicas[name] ?? 0) > 0);
    });
    expect(new Set(takers.map((names) => names.join()))).toEqual(new Set(["a", "b"]));
    expect(divide(total, all, within).replicas).toEqual({ a: total, b: 0 });
  });
});
