import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import type { FieldSelector, Taint, Toleration } from "../apis/index.ts";
import { schedule } from "./schedule.ts";
import { chosen, cluster, NOW, subject } from "./testing.ts";

const FILTERS = ["Affinity", "ClusterLifecycle", "TaintToleration"];

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
