import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { bestWithin, type Limits } from "./best.ts";
import { type Candidate, classesOf, NO_GROUP } from "./classes.ts";
import { cover } from "./cover.ts";

/** Picks compared with every choice there is. */

const numRuns = Number(process.env["MERIDIAN_PROPERTY_RUNS"] ?? 1_000);

const group = fc.constantFrom(0, 1, 2, NO_GROUP);
const crossing = fc.tuple(group, group);
/** Zones within regions. */
const nested = fc.tuple(fc.nat(2), fc.nat(1)).map(([region, zone]): [number, number] => [region, region * 2 + zone]);
const candidatesIn = (groups: fc.Arbitrary<[number, number]>): fc.Arbitrary<Candidate[]> =>
  fc
    .array(fc.record({ value: fc.nat(20), groups }), { maxLength: 7 })
    .map((all) => all.map(({ value, groups: own }, index) => ({ index, name: `c${index}`, value, groups: own })));
const candidates = fc.oneof(candidatesIn(crossing), candidatesIn(nested));
const most = fc.option(fc.integer({ min: 1, max: 3 }), { nil: Number.POSITIVE_INFINITY });
const limits: fc.Arbitrary<Limits> = fc.record({
  count: fc.option(fc.integer({ min: 1, max: 5 }), { nil: Number.POSITIVE_INFINITY }),
  minima: fc.tuple(fc.nat(3), fc.nat(3)),
  maxima: fc.tuple(most, most),
});

const groupsIn = (picked: readonly Candidate[], k: number): number =>
  new Set(picked.flatMap(({ groups }) => (groups[k] === NO_GROUP ? [] : [groups[k]]))).size;
const keepsTo = (picked: readonly Candidate[], { count, minima, maxima }: Limits): boolean =>
  picked.length <= count &&
  minima.every((min, k) => groupsIn(picked, k) >= min) &&
  maxima.every((max, k) => groupsIn(picked, k) <= max);

/** How many, and what they are worth, of the best choice; undefined where no choice keeps to the limits. */
function bestOf(all: readonly Candidate[], within: Limits): [number, number] | undefined {
  let best: [number, number] | undefined;
  for (let set = 0; set < 2 ** all.length; set += 1) {
    const picked = all.filter((_, at) => ((set >> at) & 1) === 1);
    if (!keepsTo(picked, within)) continue;
    const value = picked.reduce((sum, one) => sum + one.value, 0);
    const isBetter = best === undefined || picked.length > best[0] || (picked.length === best[0] && value > best[1]);
    if (isBetter) best = [picked.length, value];
  }
  return best;
}

describe("a pick within limits", () => {
  test.prop([candidates, limits], { numRuns })("is as good as any choice there is", (all, within) => {
    const picked = bestWithin(all, within)?.map(({ index }) => all[index]);
    const found = picked?.flatMap((one) => one ?? []);
    expect(found && [found.length, found.reduce((sum, { value }) => sum + value, 0)]).toEqual(bestOf(all, within));
    if (found !== undefined) expect(keepsTo(found, within)).toBe(true);
  });

  test.prop([candidates, limits], { numRuns })("is the same in whatever order the candidates come", (all, within) => {
    const namesOf = (some: readonly Candidate[]): string[] | undefined =>
      bestWithin(some, within)
        ?.map(({ name }) => name)
        .toSorted();
    expect(namesOf(all.toReversed())).toEqual(namesOf(all));
  });
});

describe("a cover of so many candidates", () => {
  const bare = { maxima: [] };
  test.prop([candidates, fc.integer({ min: 1, max: 5 }), fc.tuple(fc.nat(3), fc.nat(3))], { numRuns })(
    "is worth as much as any other that has as many groups as are asked for",
    (all, count, minima) => {
      const found = cover(classesOf(all), count, minima);
      const want = bestOf(all, { ...bare, count, minima });
      // Without a candidate more being worth more than any better one: as many as there may be, all the same.
      expect(found && [found.picked.length, found.value]).toEqual(want);
    },
  );
});
