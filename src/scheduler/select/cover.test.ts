import { describe, expect, test } from "vitest";
import { type Candidate, classesOf, NO_GROUP } from "./classes.ts";
import { cover } from "./cover.ts";

/** Name, value, and the group by each constraint; `-`: in none. */
type Row = readonly [name: string, value: number, ...groups: string[]];

function candidatesOf(rows: readonly Row[]): Candidate[] {
  const numbers = new Map<string, number>();
  const numberOf = (group: string): number => {
    if (group === "-") return NO_GROUP;
    if (!numbers.has(group)) numbers.set(group, numbers.size);
    return numbers.get(group) ?? NO_GROUP;
  };
  return rows.map(([name, value, ...groups], index) => ({ index, name, value, groups: groups.map(numberOf) }));
}

interface Case {
  name: string;
  rows: readonly Row[];
  count?: number;
  /** Fewest groups of each constraint. */
  least: number[];
  /** Names of what is picked, and what that is worth; undefined: there is no such pick. */
  want: [picked: string[], value: number] | undefined;
}

function covers({ rows, count = Number.POSITIVE_INFINITY, least, want }: Case): void {
  const found = cover(classesOf(candidatesOf(rows)), count, least);
  expect(found && [found.picked.map(({ name }) => name), found.value]).toEqual(want);
}

describe("where all may be taken", () => {
  const two: Row[] = [
    ["a", 1, "x"],
    ["b", 2, "y"],
  ];
  test.each<Case>([
    { name: "all are", rows: two, least: [2], want: [["b", "a"], 3] },
    { name: "all are when the count is theirs", rows: two, count: 2, least: [2], want: [["b", "a"], 3] },
    { name: "all are when the count is beyond them", rows: two, count: 9, least: [0], want: [["b", "a"], 3] },
    { name: "more groups than there are cannot be had", rows: two, count: 9, least: [3], want: undefined },
    {
      name: "every constraint has to be met",
      rows: [
        ["a", 1, "x", "p"],
        ["b", 2, "y", "p"],
      ],
      least: [2, 2],
      want: undefined,
    },
    {
      name: "clusters in no group are no group",
      rows: [
        ["a", 1, "-"],
        ["b", 2, "x"],
      ],
      least: [2],
      want: undefined,
    },
    {
      name: "clusters in no group are taken beside those in one",
      rows: [
        ["a", 1, "-"],
        ["b", 2, "x"],
      ],
      least: [1],
      want: [["b", "a"], 3],
    },
    { name: "no group is needed where none is asked for", rows: [["a", 1, "-"]], least: [0], want: [["a"], 1] },
    { name: "none are, of none", rows: [], count: 3, least: [0], want: [[], 0] },
    { name: "a group cannot be had of none", rows: [], count: 3, least: [1], want: undefined },
  ])("$name", covers);
});

describe("where groups lie within each other", () => {
  test.each<Case>([
    {
      name: "the best of each group comes first, then the best of the rest",
      rows: [
        ["a", 9, "x"],
        ["b", 8, "x"],
        ["c", 7, "x"],
        ["d", 1, "y"],
      ],
      count: 3,
      least: [2],
      want: [["a", "b", "d"], 18],
    },
    {
      name: "more groups than may be taken cannot be had",
      rows: [
        ["a", 3, "x"],
        ["b", 2, "y"],
        ["c", 1, "z"],
      ],
      count: 2,
      least: [3],
      want: undefined,
    },
    {
      name: "more groups than there are cannot be had",
      rows: [
        ["a", 3, "x"],
        ["b", 2, "x"],
        ["c", 1, "-"],
      ],
      count: 2,
      least: [2],
      want: undefined,
    },
    {
      name: "a region for each zone, asked for zones first",
      rows: [
        ["a", 9, "z1", "x"],
        ["b", 8, "z2", "x"],
        ["c", 1, "z3", "y"],
      ],
      count: 2,
      least: [2, 2],
      want: [["a", "c"], 10],
    },
    {
      name: "a region for each zone, asked for regions first",
      rows: [
        ["a", 9, "x", "z1"],
        ["b", 8, "x", "z2"],
        ["c", 1, "y", "z3"],
      ],
      count: 2,
      least: [2, 2],
      want: [["a", "c"], 10],
    },
    {
      name: "further zones come from any region",
      rows: [
        ["a", 9, "x", "z1"],
        ["b", 8, "x", "z1"],
        ["c", 7, "x", "z2"],
        ["d", 6, "x", "z3"],
        ["e", 1, "y", "z4"],
      ],
      count: 3,
      least: [2, 3],
      want: [["a", "c", "e"], 17],
    },
    {
      name: "none is asked for: the best are taken",
      rows: [
        ["a", 9, "x"],
        ["b", 8, "x"],
        ["c", 1, "y"],
      ],
      count: 2,
      least: [0],
      want: [["a", "b"], 17],
    },
    {
      name: "none may be taken, and none is asked for",
      rows: [["a", 9, "x"]],
      count: 0,
      least: [0],
      want: [[], 0],
    },
  ])("$name", covers);
});

describe("where groups cross", () => {
  test.each<Case>([
    {
      name: "the best is left out when it is in the way",
      rows: [
        ["a", 9, "x", "p"],
        ["b", 1, "x", "q"],
        ["d", 1, "y", "p"],
      ],
      count: 2,
      least: [2, 2],
      want: [["b", "d"], 2],
    },
    {
      name: "of two ways the more valuable one is taken",
      rows: [
        ["a", 9, "x", "p"],
        ["b", 5, "y", "q"],
        ["c", 8, "x", "q"],
        ["d", 7, "y", "p"],
      ],
      count: 2,
      least: [2, 2],
      want: [["c", "d"], 15],
    },
    {
      name: "what is taken beside counts too",
      rows: [
        ["a", 9, "x", "p"],
        ["b", 5, "y", "q"],
        ["c", 8, "x", "q"],
        ["d", 7, "y", "p"],
      ],
      count: 3,
      least: [2, 2],
      want: [["a", "c", "d"], 24],
    },
    {
      name: "the rest comes from the groups that are there already too",
      rows: [
        ["a", 9, "x", "p"],
        ["a2", 9, "x", "p"],
        ["b", 1, "x", "q"],
        ["c", 1, "y", "p"],
        ["d", 2, "y", "q"],
      ],
      count: 3,
      least: [2, 2],
      want: [["a", "a2", "d"], 20],
    },
    {
      name: "one group that not everybody is in is searched for",
      rows: [
        ["a", 10, "x", "-"],
        ["b", 9, "y", "-"],
        ["c", 1, "y", "p"],
      ],
      count: 2,
      least: [2, 1],
      want: [["a", "c"], 11],
    },
    {
      name: "a cluster of a region without a zone is in the way of zones",
      rows: [
        ["a", 9, "x", "-"],
        ["b", 8, "x", "z1"],
        ["c", 7, "y", "z2"],
      ],
      count: 2,
      least: [2, 2],
      want: [["b", "c"], 15],
    },
    {
      name: "zones that bear one name in two regions cross",
      rows: [
        ["a", 9, "x", "1"],
        ["b", 8, "y", "1"],
        ["c", 1, "y", "2"],
      ],
      count: 2,
      least: [2, 2],
      want: [["a", "c"], 10],
    },
    {
      name: "three constraints at once",
      rows: [
        ["a", 9, "x", "p", "s"],
        ["b", 8, "y", "p", "t"],
        ["c", 7, "x", "q", "t"],
        ["d", 1, "y", "q", "t"],
      ],
      count: 2,
      least: [2, 2, 2],
      want: [["a", "d"], 10],
    },
    {
      name: "no choice meets both",
      rows: [
        ["a", 9, "x", "p"],
        ["b", 8, "x", "q"],
        ["c", 7, "x", "r"],
        ["d", 6, "y", "p"],
      ],
      count: 2,
      least: [2, 3],
      want: undefined,
    },
    {
      name: "fewer may be taken than either asks for",
      rows: [
        ["a", 9, "x", "p"],
        ["b", 8, "y", "q"],
        ["c", 7, "x", "q"],
      ],
      count: 1,
      least: [2, 2],
      want: undefined,
    },
  ])("$name", covers);

  test("the best is found among very many ways", () => {
    // Each region has each provider; two have a cluster that is worth more, and each of these is the worst of its class but one.
    const rows = Array.from({ length: 12 }, (_, region) =>
      Array.from({ length: 12 }, (_else, provider): Row => {
        const name = `r${String(region).padStart(2, "0")}-p${String(provider).padStart(2, "0")}`;
        return [name, region === provider ? 50 : 10, `r${region}`, `p${provider}`];
      }),
    ).flat();
    const diagonal = rows.filter(([, value]) => value === 50).map(([name]) => name);
    covers({ name: "", rows, count: 12, least: [12, 12], want: [diagonal, 600] });
  });
});

describe("of equally good ones", () => {
  test.each<Case>([
    {
      name: "one of a group with few is taken",
      rows: [
        ["a", 1, "x"],
        ["b", 1, "x"],
        ["c", 1, "x"],
        ["d", 1, "y"],
      ],
      count: 2,
      least: [0],
      want: [["a", "d"], 2],
    },
    {
      name: "the first by name is taken where the groups are even",
      rows: [
        ["a", 1, "x"],
        ["b", 1, "x"],
        ["c", 1, "x"],
        ["d", 1, "y"],
        ["e", 1, "y"],
      ],
      count: 3,
      least: [0],
      want: [["a", "b", "d"], 3],
    },
    {
      name: "the first by name is taken, in whatever group",
      rows: [
        ["a", 1, "x"],
        ["d", 1, "x"],
        ["b", 1, "y"],
        ["c", 1, "y"],
      ],
      count: 3,
      least: [0],
      want: [["a", "b", "c"], 3],
    },
    {
      name: "the first constraint is kept even before the second",
      rows: [
        ["a", 1, "x", "p"],
        ["b", 1, "x", "q"],
        ["c", 1, "y", "p"],
      ],
      count: 2,
      least: [0, 0],
      want: [["a", "c"], 2],
    },
    {
      name: "the second constraint is kept even where the first is",
      rows: [
        ["a", 1, "x", "p"],
        ["b", 1, "y", "p"],
        ["c", 1, "y", "q"],
      ],
      count: 2,
      least: [0, 0],
      want: [["a", "c"], 2],
    },
    {
      name: "those in no group count as one",
      rows: [
        ["a", 1, "-"],
        ["b", 1, "-"],
        ["c", 1, "x"],
      ],
      count: 2,
      least: [0],
      want: [["a", "c"], 2],
    },
    {
      name: "one that brings groups to several constraints is taken first",
      rows: [
        ["a", 1, "x", "p"],
        ["b", 1, "x", "q"],
        ["c", 1, "y", "p"],
        ["d", 1, "y", "q"],
      ],
      count: 3,
      least: [2, 2],
      want: [["a", "b", "d"], 3],
    },
    {
      name: "one that brings a group is the first by name of those",
      rows: [
        ["a", 1, "x"],
        ["b", 1, "z"],
        ["c", 1, "y"],
        ["d", 1, "x"],
      ],
      count: 2,
      least: [2],
      want: [["a", "b"], 2],
    },
  ])("$name", covers);
});
