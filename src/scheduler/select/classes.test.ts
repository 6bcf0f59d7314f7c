import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { byWorth, type Candidate, classesOf } from "./classes.ts";

const at = (index: number, name: string, value: number, ...groups: number[]): Candidate => ({
  index,
  name,
  value,
  groups,
});

describe("classes of candidates", () => {
  test("hold candidates of the same groups, the best first, in the order of their best", () => {
    const [d, b, c, a, e] = [at(0, "d", 4, 1), at(1, "b", 4, 1), at(2, "c", 4, 2), at(3, "a", 4, 3), at(4, "e", 9, 3)];
    expect(classesOf([d, b, c, a, e])).toEqual([
      { groups: [3], members: [e, a], sums: [0, 9, 13] },
      { groups: [1], members: [b, d], sums: [0, 4, 8] },
      { groups: [2], members: [c], sums: [0, 4] },
    ]);
  });

  test("tell apart groups whose numbers look alike in a row", () => {
    const classes = classesOf([at(0, "a", 1, 1, 11), at(1, "b", 1, 11, 1)]);
    expect(classes.map(({ groups }) => groups)).toEqual([
      [1, 11],
      [11, 1],
    ]);
  });

  const candidates = fc
    .uniqueArray(fc.record({ name: fc.string({ maxLength: 3 }), value: fc.nat(9), group: fc.nat(3) }), {
      selector: ({ name }) => name,
    })
    .map((all) => all.map(({ name, value, group }, index) => at(index, name, value, group)));

  test.prop([candidates])("hold each candidate once, in any order", (all) => {
    const classes = classesOf(all);
    expect(classesOf(all.toReversed())).toEqual(classes);
    const members = classes.flatMap((one) => one.members);
    expect(members.toSorted((a, b) => a.index - b.index)).toEqual(all);
    for (const one of classes) for (const { groups } of one.members) expect(groups).toEqual(one.groups);
  });
});

test("no candidate comes after any candidate", () => {
  const one = at(0, "a", 3);
  expect([byWorth(one, undefined), byWorth(undefined, one), byWorth(undefined, undefined)].map(Math.sign)).toEqual([
    -1, 1, 0,
  ]);
});
