import { describe, expect, test } from "vitest";
import { bestWithin } from "./best.ts";
import { type Candidate, NO_GROUP } from "./classes.ts";

/** So many clusters of a provider in a region; `value`: how good each of them is. */
interface Site {
  region?: string;
  provider: string;
  clusters: number;
  value?: number;
}

/** Candidates whose first group is the region and whose second one is the provider. */
function candidatesOf(sites: readonly Site[]): Candidate[] {
  const regions = [...new Set(sites.flatMap(({ region }) => region ?? []))];
  const providers = [...new Set(sites.map(({ provider }) => provider))];
  const all = sites.flatMap(({ region, provider, clusters, value = 0 }) =>
    Array.from({ length: clusters }, (_, i) => ({
      name: `${region ?? "nowhere"} ${provider} ${String(i).padStart(3, "0")}`,
      value,
      groups: [region === undefined ? NO_GROUP : regions.indexOf(region), providers.indexOf(provider)],
    })),
  );
  return all.map((one, index) => ({ index, ...one }));
}

interface Asked {
  count?: number;
  regions?: { min?: number; max?: number };
  providers?: { min?: number; max?: number };
}

/** How many clusters are picked, by region and provider; undefined: no pick is within the limits. */
function picked(sites: readonly Site[], asked: Asked): Record<string, number> | undefined {
  const { count = Number.POSITIVE_INFINITY, regions = {}, providers = {} } = asked;
  const pick = bestWithin(candidatesOf(sites), {
    count,
    minima: [regions.min ?? 0, providers.min ?? 0],
    maxima: [regions.max ?? Number.POSITIVE_INFINITY, providers.max ?? Number.POSITIVE_INFINITY],
  });
  if (pick === undefined) return undefined;
  const sums: Record<string, number> = {};
  for (const { name } of pick) sums[name.slice(0, -4)] = (sums[name.slice(0, -4)] ?? 0) + 1;
  return sums;
}

/** Regions by the names r00, r01 and so on, with as many clusters each. */
const regionsOf = (count: number, provider: string, clusters: number): Site[] =>
  Array.from({ length: count }, (_, i) => ({ region: `r${String(i).padStart(2, "0")}`, provider, clusters }));

interface Case {
  name: string;
  sites: Site[];
  asked: Asked;
  want: Record<string, number> | undefined;
}

const picks = ({ sites, asked, want }: Case): void => expect(picked(sites, asked)).toEqual(want);

describe("of more regions than may be taken", () => {
  test.each<Case>([
    {
      name: "those with the most clusters are",
      sites: [
        ...regionsOf(40, "p", 2),
        { region: "x", provider: "p", clusters: 4 },
        { region: "y", provider: "p", clusters: 3 },
      ],
      asked: { regions: { max: 2 } },
      want: { "x p": 4, "y p": 3 },
    },
    {
      name: "those with the most clusters are, of all providers together",
      sites: [
        ...regionsOf(40, "p", 3),
        ...["x", "y"].flatMap((region) => ["p", "q"].map((provider) => ({ region, provider, clusters: 2 }))),
      ],
      asked: { regions: { max: 2 } },
      want: { "x p": 2, "x q": 2, "y p": 2, "y q": 2 },
    },
    {
      name: "as many clusters of few go before better ones of many",
      sites: [
        { region: "a", provider: "p", clusters: 1, value: 900 },
        { region: "b", provider: "p", clusters: 2, value: 1 },
      ],
      asked: { regions: { max: 1 } },
      want: { "b p": 2 },
    },
    {
      name: "clusters beyond the count make a region no better",
      sites: [
        ...regionsOf(8, "p", 9),
        { region: "x", provider: "p", clusters: 1, value: 5 },
        { region: "y", provider: "p", clusters: 1, value: 5 },
      ],
      asked: { count: 2, regions: { max: 2 } },
      want: { "x p": 1, "y p": 1 },
    },
    {
      name: "the best clusters of a region count, whatever their provider",
      sites: [
        ...regionsOf(40, "p", 3).map((site) => ({ ...site, value: 4 })),
        { region: "x", provider: "p", clusters: 3, value: 5 },
        { region: "x", provider: "q", clusters: 1, value: 9 },
        { region: "y", provider: "p", clusters: 3, value: 3 },
        { region: "y", provider: "q", clusters: 1, value: 9 },
      ],
      asked: { count: 2, regions: { max: 2 } },
      want: { "x q": 1, "y q": 1 },
    },
    {
      name: "as many as may be taken is all of them",
      sites: [
        { region: "a", provider: "p", clusters: 1 },
        { region: "b", provider: "p", clusters: 1 },
      ],
      asked: { regions: { max: 2 } },
      want: { "a p": 1, "b p": 1 },
    },
    {
      name: "clusters in no region are taken beside them",
      sites: [
        { region: "a", provider: "p", clusters: 2 },
        { region: "b", provider: "p", clusters: 1 },
        { provider: "p", clusters: 3 },
      ],
      asked: { regions: { max: 1 } },
      want: { "a p": 2, "nowhere p": 3 },
    },
    {
      name: "two that bring enough providers go before larger ones that do not",
      sites: [
        { region: "a", provider: "p", clusters: 5 },
        { region: "b", provider: "p", clusters: 4 },
        { region: "c", provider: "q", clusters: 1 },
      ],
      asked: { regions: { max: 2 }, providers: { min: 2 } },
      want: { "a p": 5, "c q": 1 },
    },
    {
      name: "providers are limited too",
      sites: [
        { region: "a", provider: "p", clusters: 3 },
        { region: "a", provider: "q", clusters: 3 },
        { region: "b", provider: "q", clusters: 2 },
        { region: "c", provider: "p", clusters: 1 },
      ],
      asked: { regions: { max: 2 }, providers: { max: 1 } },
      want: { "a q": 3, "b q": 2 },
    },
  ])("$name", picks);
});

describe("in a fleet with too many choices to try them all", () => {
  const large = [...regionsOf(30, "p", 10), { region: "x", provider: "p", clusters: 12 }];
  test.each<Case>([
    {
      name: "what brings a provider that is lacking comes first, the largest of each",
      sites: [
        ...large,
        { region: "y", provider: "q", clusters: 1 },
        { region: "y2", provider: "q", clusters: 2 },
        { region: "z", provider: "s", clusters: 1 },
      ],
      asked: { regions: { max: 3 }, providers: { min: 3 } },
      want: { "x p": 12, "y2 q": 2, "z s": 1 },
    },
    {
      name: "once there are enough providers, the largest regions are taken",
      sites: [
        ...large,
        { region: "u", provider: "q", clusters: 3 },
        { region: "v", provider: "s", clusters: 2 },
        { region: "w", provider: "t", clusters: 1 },
      ],
      asked: { regions: { max: 4 }, providers: { min: 3 } },
      want: { "x p": 12, "r00 p": 10, "u q": 3, "v s": 2 },
    },
    {
      name: "all providers of a region that was taken are",
      sites: [
        ...large,
        { region: "y", provider: "q", clusters: 2 },
        { region: "y", provider: "p", clusters: 1 },
        { region: "z", provider: "s", clusters: 1 },
      ],
      asked: { regions: { max: 3 }, providers: { min: 3 } },
      want: { "x p": 12, "y q": 2, "y p": 1, "z s": 1 },
    },
    {
      name: "clusters in no region are taken when no further region may be",
      sites: [
        ...large,
        { region: "y", provider: "q", clusters: 1 },
        { region: "z", provider: "s", clusters: 1 },
        { provider: "p", clusters: 4 },
      ],
      asked: { regions: { max: 3 }, providers: { min: 3 } },
      want: { "x p": 12, "y q": 1, "z s": 1, "nowhere p": 4 },
    },
    {
      name: "clusters in no region bring no region",
      sites: [
        ...large,
        { region: "y", provider: "q", clusters: 1 },
        { region: "z", provider: "s", clusters: 1 },
        { provider: "q", clusters: 1, value: 9 },
      ],
      asked: { count: 3, regions: { min: 3, max: 3 }, providers: { min: 3 } },
      want: { "r00 p": 1, "y q": 1, "z s": 1 },
    },
    {
      name: "no more clusters than asked for are taken, and of each provider that is needed",
      sites: [...large, { region: "y", provider: "q", clusters: 3 }, { region: "z", provider: "s", clusters: 3 }],
      asked: { count: 3, regions: { max: 3 }, providers: { min: 3 } },
      want: { "r00 p": 1, "y q": 1, "z s": 1 },
    },
    {
      name: "more providers than the regions can bring are not to be had",
      sites: [...large, { region: "y", provider: "q", clusters: 1 }, { region: "z", provider: "s", clusters: 1 }],
      asked: { regions: { max: 2 }, providers: { min: 3 } },
      want: undefined,
    },
    {
      name: "what is not to be had in the largest of fleets is said soon",
      sites: [...regionsOf(60, "p", 1), { region: "y", provider: "q", clusters: 1 }],
      asked: { regions: { max: 20 }, providers: { min: 3 } },
      want: undefined,
    },
  ])("$name", picks);
});
