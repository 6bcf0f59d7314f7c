import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { type Candidate, classesOf, NO_GROUP } from "./classes.ts";
import { cover } from "./cover.ts";
import { arbitraryCandidates, bestOf } from "./testing/choices.ts";

const numRuns = Number(process.env["MERIDIAN_PROPERTY_RUNS"] ?? 1_000);

/** Candidates as `a9:x:p`: `a` is worth 9 and is in group `x` of the first constraint and in `p` of the second; `-`: none. */
function candidatesIn(text: string): Candidate[] {
  const numbers = new Map([["-", NO_GROUP]]);
  return text.split(" ").map((word, index) => {
    const [own = "", ...groups] = word.split(":");
    for (const group of groups) if (!numbers.has(group)) numbers.set(group, numbers.size);
    const numbered = groups.map((group) => numbers.get(group) ?? NO_GROUP);
    return { index, name: own.replace(/\d+$/, ""), value: Number(/\d+$/.exec(own)?.[0]), groups: numbered };
  });
}

test.each<[name: string, candidates: string, count: number, minima: number[], want: string | undefined]>([
  ["more groups than there are", "a1:x b2:y", 9, [3], undefined],
  ["groups of three constraints", "a9:x:p:s b8:y:p:t c7:x:q:t d1:y:q:t", 2, [2, 2, 2], "a d"],
  ["of equals, one of a group with few", "a1:x b1:x c1:x d1:y", 2, [0], "a d"],
  ["of equals in even groups, the first by name", "a1:x b1:x c1:x d1:y e1:y", 3, [0], "a b d"],
  ["of equals in even groups, the first by name, in any group", "a1:x d1:x b1:y c1:y", 3, [0], "a b c"],
  ["of equals, then the second constraint is", "a1:x:p b1:y:p c1:y:q", 2, [0, 0], "a c"],
  ["of equals, those in no group count as one group", "a1:- b1:- c1:x", 2, [0], "a c"],
  ["of equals, one that brings groups to several constraints", "a1:x:p b1:x:q c1:y:p d1:y:q", 3, [2, 2], "a b d"],
])("a cover takes %s", (_name, candidates, count, minima, want) =>
  expect(
    cover(classesOf(candidatesIn(candidates)), count, minima)
      ?.picked.map(({ name }) => name)
      .join(" "),
  ).toBe(want),
);

describe("a cover of so many candidates", () => {
  const atMost = fc.oneof(fc.nat(5), fc.constant(Number.POSITIVE_INFINITY));
  test.prop([arbitraryCandidates, atMost, fc.tuple(fc.nat(3), fc.nat(3))], { numRuns })(
    "is worth as much as any other that has as many groups as are asked for",
    (all, count, minima) => {
      const found = cover(classesOf(all), count, minima);
      expect(found && [found.picked.length, found.value]).toEqual(bestOf(all, { count, minima, maxima: [] }));
    },
  );

  test("is found among very many ways", () => {
    // Every region has every provider. The valuable clusters are those of the diagonal.
    const fleet = Array.from({ length: 144 }, (_, i): Candidate => {
      const [region, provider] = [Math.floor(i / 12), i % 12];
      return { index: i, name: `c${i}`, value: region === provider ? 50 : 10, groups: [region, provider] };
    });
    expect(cover(classesOf(fleet), 12, [12, 12])?.value).toBe(600);
  });
});
