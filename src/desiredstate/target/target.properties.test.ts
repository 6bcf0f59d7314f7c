import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { computeTarget } from "./target.ts";
import { app, cluster, inRegion, NOW, overrides, placedBy, placement, running, snapshot } from "../testing/builders.ts";
import type { Snapshot } from "../snapshot.ts";

describe("for any snapshot", () => {
  const regions = ["cn-shanghai", "ap-southeast-1", "eu-central-1"];
  const arbitrarySnapshot = fc.record({
    replica: fc.nat(50),
    clusters: fc.uniqueArray(
      fc.record({
        index: fc.nat(30),
        region: fc.constantFrom(...regions),
        deleting: fc.boolean(),
        local: fc.boolean(),
        running: fc.boolean(),
      }),
      { selector: ({ index }) => index, maxLength: 8 },
    ),
    divided: fc.boolean(),
    suspend: fc.boolean(),
    placed: fc.boolean(),
    rules: fc.array(
      fc.record({
        region: fc.constantFrom(...regions),
        replicas: fc.option(fc.nat(9), { nil: undefined }),
        bad: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
  });
  type Arbitrary = typeof arbitrarySnapshot extends fc.Arbitrary<infer T> ? T : never;

  const build = ({ replica, clusters, divided, suspend, placed, rules }: Arbitrary): Snapshot =>
    snapshot({
      object: app({ replica }),
      clusters: clusters.map(({ index, region, deleting, local }) => cluster(`c${index}`, region, { deleting, local })),
      placements: placed
        ? [placement("p", { suspend, replicaScheduling: { mode: divided ? "Divided" : "Duplicated" } }), placement("z")]
        : [],
      overrides: rules.map(({ region, replicas, bad }, index) =>
        overrides(`o${index}`, {
          targetClusters: inRegion(region),
          ...(replicas === undefined ? { labels: { a: "b" } } : { replicas }),
          ...(bad ? { patches: [{ op: "remove" as const, path: "/none" }] } : {}),
        }),
      ),
      previous: running(
        clusters.filter((c) => c.running).map(({ index }) => `c${index}`),
        placed ? placedBy("p") : {},
      ),
    });

  test.prop([arbitrarySnapshot])(
    "objects go only where the decision says or where it runs, and never to a cluster that is being deleted",
    (input) => {
      const given = build(input);
      const result = computeTarget(given, NOW);
      const chosen = new Set(result.decision.clusters.map(({ name }) => name));
      const current = new Set(given.previous?.clusters?.map(({ name }) => name));
      const deleting = new Set(given.clusters.filter((c) => c.deleting).map(({ name }) => name));
      for (const { name, frozen } of result.clusters) {
        expect(deleting.has(name)).toBe(false);
        expect(frozen ? current.has(name) : chosen.has(name) && !result.suspended).toBe(true);
      }
    },
  );

  test.prop([arbitrarySnapshot])("what runs somewhere never loses its last place by a target", (input) => {
    const given = build(input);
    const alive = new Set(given.clusters.filter((c) => !c.deleting).map(({ name }) => name));
    const keeps = given.previous?.clusters?.some(({ name }) => alive.has(name)) === true;
    const result = computeTarget(given, NOW);
    // Clusters whose overrides are wrong get nothing new: those are for people to put right.
    if (keeps && result.clusters.every(({ problem }) => problem === undefined))
      expect(result.clusters.some(({ objects }) => objects.length > 0)).toBe(true);
  });

  test.prop([arbitrarySnapshot])("the order of the inputs does not matter, nor the run", (input) => {
    const given = build(input);
    const turned: Snapshot = {
      ...given,
      clusters: given.clusters.toReversed(),
      placements: given.placements.toReversed(),
      overrides: given.overrides.toReversed(),
    };
    expect(computeTarget(turned, NOW)).toEqual(computeTarget(given, NOW));
  });

  test.prop([arbitrarySnapshot])("division without overrides gives out exactly what was asked for", (input) => {
    const given = build({ ...input, divided: true, placed: true, suspend: false, rules: [] });
    const result = computeTarget(given, NOW);
    if (result.decision.clusters.length === 0) return;
    const sum = result.clusters.reduce((total, { replicas }) => total + (replicas ?? 0), 0);
    expect(sum).toBe(input.replica);
  });
});
