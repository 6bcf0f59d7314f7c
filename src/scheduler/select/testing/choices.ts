import { fc } from "@fast-check/vitest";
import type { Limits } from "../best.ts";
import { type Candidate, NO_GROUP } from "../classes.ts";

/** Candidates in groups of two constraints, and every choice among them, as a reference for a pick. */

const group = fc.constantFrom(0, 1, 2, NO_GROUP);
const crossing = fc.tuple(group, group);
/** Zones within regions. */
const nested = fc.tuple(fc.nat(2), fc.nat(1)).map(([region, zone]): [number, number] => [region, region * 2 + zone]);
const candidatesIn = (groups: fc.Arbitrary<[number, number]>): fc.Arbitrary<Candidate[]> =>
  fc
    .array(fc.record({ value: fc.nat(20), groups }), { maxLength: 7 })
    .map((all) => all.map(({ value, groups: own }, index) => ({ index, name: `c${index}`, value, groups: own })));

export const arbitraryCandidates = fc.oneof(candidatesIn(crossing), candidatesIn(nested));

const groupsIn = (picked: readonly Candidate[], k: number): number =>
  new Set(picked.flatMap(({ groups }) => (groups[k] === NO_GROUP ? [] : [groups[k]]))).size;

export const keepsTo = (picked: readonly Candidate[], { count, minima, maxima }: Limits): boolean =>
  picked.length <= count &&
  minima.every((min, k) => groupsIn(picked, k) >= min) &&
  maxima.every((max, k) => groupsIn(picked, k) <= max);

/** Size and value of the best choice: as many as allowed, then the most valuable. Undefined if no choice is allowed. */
export function bestOf(all: readonly Candidate[], within: Limits): [number, number] | undefined {
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
