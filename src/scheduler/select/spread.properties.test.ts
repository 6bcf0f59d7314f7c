import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { schedule } from "../schedule.ts";
import { chosen, cluster, NOW, placement, subject } from "../testing.ts";
import type { PlacementRules } from "../types.ts";
import { bestPossible, keepsTo, type Rules, standingOf } from "./testing/exhaustive.ts";

/** 10,000 by `MERIDIAN_PROPERTY_RUNS`; fewer where every change is tested. */
const numRuns = Number(process.env["MERIDIAN_PROPERTY_RUNS"] ?? 1_000);
const some = (most: number) => fc.option(fc.integer({ min: 1, max: most }), { nil: undefined });

const fleetOf = (most: number) =>
  fc.uniqueArray(
    fc
      .record({
        name: fc.integer({ min: 0, max: most * 2 }).map((n) => `c${String(n).padStart(3, "0")}`),
        region: fc.constantFrom("x", "y", "z", undefined),
        zone: fc.constantFrom("1", "2", undefined),
        provider: fc.constantFrom("p", "q", "r"),
        tier: fc.constantFrom("a", "b", undefined),
      })
      .map(({ name, region, zone, provider, tier }) =>
        cluster(name, {
          ...(region === undefined ? {} : { region }),
          ...(zone === undefined ? {} : { zone }),
          provider,
          labels: tier === undefined ? {} : { "example.com/tier": tier },
        }),
      ),
    { selector: ({ name }) => name, maxLength: most },
  );

const constraint = (topologyKey: string) =>
  fc
    .record({
      minGroups: some(3),
      maxGroups: some(3),
      whenUnsatisfiable: fc.constantFrom("DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"),
    })
    .map(({ minGroups, maxGroups, whenUnsatisfiable }) => ({
      topologyKey,
      ...(minGroups === undefined ? {} : { minGroups: Math.min(minGroups, maxGroups ?? minGroups) }),
      ...(maxGroups === undefined ? {} : { maxGroups }),
      whenUnsatisfiable: whenUnsatisfiable as "DoNotSchedule" | "ScheduleAnyway",
    }));

const rules: fc.Arbitrary<Rules> = fc.record({
  spreadConstraints: fc
    .subarray(["region", "zone", "provider", "example.com/tier", "cluster"], { maxLength: 3 })
    .chain((keys) => fc.tuple(...keys.map(constraint))),
  clusterCount: some(6),
  preferred: fc.subarray(["x", "y", "z"]),
});

const placementOf = ({ spreadConstraints, clusterCount, preferred }: Rules): PlacementRules =>
  placement({
    spreadConstraints: [...spreadConstraints],
    ...(clusterCount === undefined ? {} : { clusterCount }),
    clusterPreferences: preferred.map((region, i) => ({
      targetClusters: { fieldSelector: { matchExpressions: [{ key: "region", operator: "In", values: [region] }] } },
      weight: 10 * (i + 1),
    })),
  });
const running = (names: readonly string[]) => subject({ current: new Map(names.map((name) => [name, undefined])) });
const currentOf = fc.array(
  fc.nat(16).map((n) => `c${String(n).padStart(3, "0")}`),
  { maxLength: 4 },
);

describe("a pick of clusters", () => {
  test.prop([fleetOf(8), rules, currentOf], { numRuns })(
    "is the best there is, on small fleets",
    (clusters, want, current) => {
      const names = chosen(schedule(running(current), placementOf(want), clusters, NOW));
      const best = bestPossible(clusters, want, current);
      const taken = clusters.filter(({ name }) => names.includes(name));
      expect(taken.length === 0 ? undefined : standingOf(taken, want, current)).toEqual(best);
    },
  );

  test.prop([fleetOf(60), rules, currentOf], { numRuns: Math.min(numRuns, 2_000) })(
    "keeps to the bounds, on larger fleets too, and does not depend on the order of the clusters",
    (clusters, want, current) => {
      const decision = schedule(running(current), placementOf(want), clusters, NOW);
      expect(schedule(running(current), placementOf(want), clusters.toReversed(), NOW)).toEqual(decision);
      const names = chosen(decision);
      const taken = clusters.filter(({ name }) => names.includes(name));
      if (taken.length > 0) expect(keepsTo(taken, want)).toBe(true);
      expect(decision.verdicts.filter(({ fits }) => fits).map((verdict) => verdict.cluster)).toEqual(names);
      for (const { fits, message, remedy } of decision.verdicts) {
        expect(message.length).toBeLessThanOrEqual(120);
        if (!fits) expect(remedy).toBeTypeOf("string");
      }
    },
  );

  test.prop([fleetOf(12), fc.integer({ min: 1, max: 6 }), fc.nat(11)], { numRuns })(
    "moves one cluster at most when one goes or comes",
    (clusters, clusterCount, at) => {
      const want = placement({ clusterCount });
      const gone = clusters[at % Math.max(1, clusters.length)];
      const before = chosen(schedule(subject(), want, clusters, NOW));
      const left = clusters.filter((one) => one !== gone);
      const after = chosen(schedule(running(before), want, left, NOW));
      expect(before.filter((name) => name !== gone?.name && !after.includes(name))).toEqual([]);
      const again = chosen(schedule(running(after), want, clusters, NOW));
      expect(after.filter((name) => !again.includes(name))).toEqual([]);
    },
  );

  test.prop([fleetOf(12), rules], { numRuns })("stays as it is while nothing changes", (clusters, want) => {
    const policy = placementOf(want);
    const before = chosen(schedule(subject(), policy, clusters, NOW));
    expect(chosen(schedule(running(before), policy, clusters, NOW))).toEqual(before);
  });
});
