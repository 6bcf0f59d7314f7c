import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { byWorth, type Candidate, classesOf, NO_GROUP } from "./classes.ts";

const at = (index: number, name: string, value: number, ...groups: number[]): Candidate => ({
  index,
  name,
  value,
  groups,
});

describe("classes of candidates", () => {
  test("are none of none", () => {
    expect(classesOf([])).toEqual([]);
  });

  test("hold candidates of the same groups, the best first, and what the first so many are worth", () => {
    const [a, b, c, d] = [at(0, "a", 1, 1), at(1, "b", 5, 1), at(2, "c", 3, NO_GROUP), at(3, "d", 2, 1)];
    expect(classesOf([a, b, c, d])).toEqual([
      { groups: [1], members: [b, d, a], sums: [0, 5, 7, 8] },
      { groups: [NO_GROUP], members: [c], sums: [0, 3] },
    ]);
  });

  test("are one for all where nothing is asked of groups", () => {
    expect(classesOf([at(0, "a", 1), at(1, "b", 2)])).toMatchObject([{ groups: [], sums: [0, 2, 3] }]);
  });

  test("tell apart groups whose numbers are alike when they are written in a row", () => {
    const classes = classesOf([at(0, "a", 1, 1, 11), at(1, "b", 1, 11, 1)]);
    expect(classes.map(({ groups }) => groups)).toEqual([
      [1, 11],
      [11, 1],
    ]);
  });

  test("hold equally good ones by name, and stand in the order of their best", () => {
    const classes = classesOf([
      at(0, "d", 4, 1),
      at(1, "b", 4, 1),
      at(2, "c", 4, 2),
      at(3, "a", 4, 3),
      at(4, "e", 9, 3),
    ]);
    expect(classes.map(({ members }) => members.map(({ name }) => name))).toEqual([["e", "a"], ["b", "d"], ["c"]]);
  });

  const candidates = fc
    .uniqueArray(fc.record({ name: fc.string({ maxLength: 3 }), value: fc.nat(9), group: fc.nat(3) }), {
      selector: ({ name }) => name,
    })
    .map((all) => all.map(({ name, value, group }, index) => at(index, name, value, group)));

  test.prop([candidates])("hold each candidate once, in whatever order they come", (all) => {
    const classes = classesOf(all);
    expect(classesOf(all.toReversed())).toEqual(classes);
    const members = classes.flatMap((one) => one.members);
    expect(members.toSorted((a, b) => a.index - b.index)).toEqual(all);
    for (const one of classes) for (const { groups } of one.members) expect(groups).toEqual(one.groups);
  });
});

describe("of two candidates", () => {
  test.each<[string, Candidate | undefined, Candidate | undefined, number]>([
    ["the better comes first", at(0, "b", 5), at(1, "a", 3), -1],
    ["the better comes first, in whatever order they are given", at(0, "a", 3), at(1, "b", 5), 1],
    ["equally good ones go by name", at(0, "a", 3), at(1, "b", 3), -1],
    ["equally good ones go by name, in whatever order they are given", at(0, "b", 3), at(1, "a", 3), 1],
    ["one is no better than itself", at(0, "a", 3), at(0, "a", 3), 0],
    ["one comes before none", at(0, "a", 3), undefined, -1],
    ["none comes after one", undefined, at(0, "a", 3), 1],
    ["none is as good as none", undefined, undefined, 0],
  ])("%s", (_name, a, b, want) => expect(Math.sign(byWorth(a, b))).toBe(want));
});
