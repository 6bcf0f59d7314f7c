import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { bestWithin, type Limits } from "./best.ts";
import { type Candidate, NO_GROUP } from "./classes.ts";
import { arbitraryCandidates, bestOf, keepsTo } from "./testing/choices.ts";

const numRuns = Number(process.env["MERIDIAN_PROPERTY_RUNS"] ?? 1_000);

describe("a pick within limits", () => {
  const most = fc.option(fc.integer({ min: 1, max: 3 }), { nil: Number.POSITIVE_INFINITY });
  const limits: fc.Arbitrary<Limits> = fc.record({
    count: fc.option(fc.integer({ min: 1, max: 5 }), { nil: Number.POSITIVE_INFINITY }),
    minima: fc.tuple(fc.nat(3), fc.nat(3)),
    maxima: fc.tuple(most, most),
  });

  test.prop([arbitraryCandidates, limits], { numRuns })("is as good as any choice, in any order", (all, within) => {
    const picked = bestWithin(all, within)?.map(({ index }) => all[index]);
    const found = picked?.flatMap((one) => one ?? []);
    expect(found && [found.length, found.reduce((sum, { value }) => sum + value, 0)]).toEqual(bestOf(all, within));
    if (found !== undefined) expect(keepsTo(found, within)).toBe(true);
    const namesOf = (some: readonly Candidate[] | undefined) => some?.map(({ name }) => name).toSorted();
    expect(namesOf(bestWithin(all.toReversed(), within))).toEqual(namesOf(found));
  });
});

describe("a pick in a fleet with too many choices to try them all", () => {
  interface Asked {
    count?: number;
    regions?: { min?: number; max: number };
    /** Fewest providers. */
    providers?: number;
  }
  /** Clusters as `x p4`: 4 of provider `p` in region `x`; `- p4` in no region; `x p4=9`: each is worth 9. */
  const candidatesIn = (sites: string): Candidate[] => {
    const regions: string[] = [];
    const all = sites.split(", ").flatMap((site) => {
      const [, region = "", provider = "", clusters, value = "0"] = /^(\S+) (\w)(\d+)(?:=(\d+))?$/.exec(site) ?? [];
      if (region !== "-" && !regions.includes(region)) regions.push(region);
      return Array.from({ length: Number(clusters) }, (_, i) => ({
        name: `${region} ${provider} ${String(i).padStart(3, "0")}`,
        value: Number(value),
        groups: [region === "-" ? NO_GROUP : regions.indexOf(region), provider.charCodeAt(0) - 97],
      }));
    });
    return all.map((one, index) => ({ index, ...one }));
  };
  /** Regions r00, r01 and so on, with the same clusters each. */
  const many = (count: number, each: string): string =>
    Array.from({ length: count }, (_, i) => `r${String(i).padStart(2, "0")} ${each}`).join(", ");
  const large = `${many(30, "p10")}, x p12`;

  test.each<[name: string, sites: string, asked: Asked, want: string | undefined]>([
    ["takes the regions with most clusters", `${many(40, "p2")}, x p4, y p3`, { regions: { max: 2 } }, "x p4, y p3"],
    [
      "counts the clusters of all providers together",
      `${many(40, "p3")}, x p2, x q2, y p2, y q2`,
      { regions: { max: 2 } },
      "x p2, x q2, y p2, y q2",
    ],
    [
      "counts the best clusters of a region, whatever their provider",
      `${many(40, "p3=4")}, x p3=5, x q1=9, y p3=3, y q1=9`,
      { count: 2, regions: { max: 2 } },
      "x q1, y q1",
    ],
    [
      "takes the largest region of each provider that is lacking",
      `${large}, y q1, y2 q2, z s1`,
      { regions: { max: 3 }, providers: 3 },
      "x p12, y2 q2, z s1",
    ],
    [
      "counts clusters in no region for no region",
      `${large}, y q1, z s1, - q1=9`,
      { count: 3, regions: { min: 3, max: 3 }, providers: 3 },
      "r00 p1, y q1, z s1",
    ],
    [
      "finds nothing where regions are too few",
      `${large}, y q1, z s1`,
      { regions: { max: 2 }, providers: 3 },
      undefined,
    ],
    [
      "finds nothing soon in a large fleet",
      `${many(60, "p1")}, y q1`,
      { regions: { max: 20 }, providers: 3 },
      undefined,
    ],
  ])("%s", (_name, sites, { count = Number.POSITIVE_INFINITY, regions, providers = 0 }, want) => {
    const pick = bestWithin(candidatesIn(sites), {
      count,
      minima: [regions?.min ?? 0, providers],
      maxima: [regions?.max ?? Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    });
    const sums = new Map<string, number>();
    for (const { name } of pick ?? []) sums.set(name.slice(0, -4), (sums.get(name.slice(0, -4)) ?? 0) + 1);
    expect(pick && [...sums].map(([site, clusters]) => `${site}${clusters}`).toSorted()).toEqual(
      want?.split(", ").toSorted(),
    );
  });
});
