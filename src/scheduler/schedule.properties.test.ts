import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import type { FieldSelector, Taint, Toleration } from "../apis/index.ts";
import { schedule } from "./schedule.ts";
import { chosen, cluster, NOW, subject } from "./testing.ts";

const FILTERS = ["Affinity", "ClusterLifecycle", "TaintToleration"];

describe("a decision by room", () => {
  const names = ["a", "b", "c", "d"];
  const region = (name: string): string => (name < "c" ? "x" : "y");
  const fleet = names.map((name) => cluster(name, { region: region(name) }));
  const count = fc.nat(12);
  const answer = fc.option(count, { nil: undefined });
  const arbitrarySetting = fc.record({
    replicas: fc.nat(30),
    capacities: fc.tuple(answer, answer, answer, answer),
    held: fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 1, max: 9 })),
    strategy: fc.constantFrom<"Available" | "Aggregated">("Available", "Aggregated"),
    clusterCount: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    spreads: fc.boolean(),
  });

  test.prop([arbitrarySetting], { numRuns: Number(process.env["MERIDIAN_PROPERTY_RUNS"] ?? 300) })(
    "gives out every replica or waits, does not depend on the order, and stands when it was carried out",
    ({ replicas, capacities, held, strategy, clusterCount, spreads }) => {
      const fits = (all: typeof capacities) =>
        new Map(names.flatMap((name, i) => (all[i] === undefined ? [] : [[name, { fits: all[i] }] as const])));
      const current = new Map<string, number | undefined>(Object.entries(held));
      const who = subject({ replicas, current, room: fits(capacities) });
      const rules = {
        replicaScheduling: { mode: "Divided" as const, strategy },
        ...(clusterCount === undefined ? {} : { clusterCount }),
        ...(spreads
          ? {
              spreadConstraints: [
                { topologyKey: "region", minGroups: 2, whenUnsatisfiable: "ScheduleAnyway" as const },
              ],
            }
          : {}),
      };
      const decision = schedule(who, rules, fleet, NOW);
      expect(schedule(who, rules, fleet.toReversed(), NOW)).toEqual(decision);
      if (decision.clusters.length === 0) {
        expect(decision.room?.awaited).toBe(true);
        return;
      }
      expect(decision.clusters.reduce((sum, one) => sum + (one.replicas ?? 0), 0)).toBe(replicas);
      if (replicas === 0) return;
      // Its own pods take up room now, and nothing follows from that.
      const after = new Map(decision.clusters.map((one) => [one.name, one.replicas]));
      const later = subject({ replicas, current: after, room: fits([0, 0, 0, 0]) });
      expect(schedule(later, rules, fleet, NOW).clusters).toEqual(decision.clusters);
    },
  );
});

describe("a decision", () => {
  const arbitraryCluster = fc
    .record({
      name: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      region: fc.constantFrom("x", "y"),
      deleting: fc.boolean(),
      taints: fc.array(
        fc.record({
          key: fc.constantFrom("k", "l"),
          effect: fc.constantFrom<Taint["effect"]>("NoSchedule", "PreferNoSchedule", "NoExecute"),
        }),
        { maxLength: 2 },
      ),
    })
    .map(({ name, ...more }) => cluster(name, more));
  const arbitraryFleet = fc.uniqueArray(arbitraryCluster, { selector: (c) => c.name });
  const arbitraryRules = fc.record({
    clusterAffinities: fc.array(
      fc.record({
        name: fc.constantFrom("one", "two"),
        exclude: fc.subarray(["a", "b", "zz"]),
        fieldSelector: fc.constantFrom<FieldSelector>(
          { matchExpressions: [] },
          { matchExpressions: [{ key: "region", operator: "In", values: ["x"] }] },
        ),
      }),
      { maxLength: 3 },
    ),
    tolerations: fc.constantFrom<Toleration[]>([], [{ key: "k", operator: "Exists" }]),
    replicaScheduling: fc.record({ mode: fc.constantFrom<"Duplicated" | "Divided">("Duplicated", "Divided") }),
  });

  test.prop([arbitraryFleet, arbitraryRules, fc.nat(20), fc.subarray(["a", "b", "c"])])(
    "does not depend on the order of the clusters, answers for each, and gives out every replica",
    (clusters, rules, replicas, current) => {
      const who = subject({ replicas, current: new Map(current.map((name) => [name, undefined])) });
      const decision = schedule(who, rules, clusters, NOW);
      expect(schedule(who, rules, clusters.toReversed(), NOW)).toEqual(decision);

      const answered = decision.verdicts.map((v) => v.cluster);
      expect(new Set(answered).size).toBe(answered.length);
      expect(answered).toEqual(expect.arrayContaining(clusters.map((c) => c.name)));
      expect(decision.verdicts.every((v) => v.reason !== "" && v.message !== "")).toBe(true);
      expect(decision.verdicts.filter((v) => v.fits).map((v) => v.cluster)).toEqual(chosen(decision));
      for (const { cluster: name, fits, reason, message, steps } of decision.verdicts) {
        if (reason === "UnknownCluster") {
          expect(steps).toEqual([]);
          continue;
        }
        const word = steps.find((one) => !one.fits) ?? steps.at(-1);
        expect({ fits, reason, message }).toEqual({
          fits: word?.fits,
          reason: word?.reason,
          message: word?.message,
        });
        expect(steps.filter(({ stage }) => stage === "filter").map((one) => one.name)).toEqual(FILTERS);
        const isFiltered = steps.some((one) => one.stage === "filter" && !one.fits);
        expect(steps.some(({ stage }) => stage === "select")).toBe(!isFiltered);
        expect(steps.every((one) => one.reason !== "" && one.message !== "" && one.message.length <= 120)).toBe(true);
        expect(clusters.some((one) => one.name === name)).toBe(true);
      }

      if (rules.replicaScheduling.mode === "Divided" && decision.clusters.length > 0) {
        expect(decision.clusters.reduce((sum, c) => sum + (c.replicas ?? 0), 0)).toBe(replicas);
      }
    },
  );
});
