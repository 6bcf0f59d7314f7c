import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { type ClusterSelector, matchesClusterSelector } from "../apis/index.ts";
import { clusterMatcher } from "./clusterMatcher.ts";
import { indexOfName, sortedByName } from "./order.ts";
import { SelectorIndex } from "./selectorIndex.ts";
import { cluster } from "./testing.ts";

/** Also names of what every object inherits. */
const keys = fc.constantFrom("env", "tier", "toString", "__proto__", "constructor");
const values = fc.constantFrom("a", "b", "c");
const operators = fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist");
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const labels = fc
  .array(fc.tuple(keys, values), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries) as Record<string, string>);
const arbitraryCluster = fc
  .record({ name: fc.constantFrom("a", "b", "c", "d"), labels, region: maybe(values), provider: maybe(values) })
  .map(({ name, labels: own, region, provider }) =>
    cluster(name, {
      ...(region === undefined ? {} : { region }),
      ...(provider === undefined ? {} : { provider }),
      labels: own,
    }),
  );
const requirement = <K extends string>(key: fc.Arbitrary<K>) =>
  fc.record({ key, operator: operators, values: maybe(fc.array(values, { maxLength: 3 })) });
const arbitrarySelector: fc.Arbitrary<ClusterSelector> = fc.record({
  clusterNames: maybe(fc.subarray(["a", "b", "c"])),
  exclude: maybe(fc.subarray(["a", "b", "c"])),
  labelSelector: maybe(
    fc.record({ matchLabels: maybe(labels), matchExpressions: maybe(fc.array(requirement(keys), { maxLength: 2 })) }),
  ),
  fieldSelector: maybe(
    fc.record({
      matchExpressions: fc.array(requirement(fc.constantFrom("name", "provider", "region", "zone")), { maxLength: 2 }),
    }),
  ),
  matchLabelKeys: maybe(fc.array(keys, { maxLength: 2 })),
}) as fc.Arbitrary<ClusterSelector>;

describe("clusterMatcher", () => {
  test.prop([maybe(arbitrarySelector), arbitraryCluster, maybe(labels)], { numRuns: 2000 })(
    "says what matchesClusterSelector says",
    (selector, one, objectLabels) => {
      expect(clusterMatcher(selector)(one, objectLabels)).toBe(matchesClusterSelector(selector, one, objectLabels));
    },
  );
});

describe("SelectorIndex", () => {
  test("tells a label from a field of the same name", () => {
    const index = new SelectorIndex([
      [{ fieldSelector: { matchExpressions: [{ key: "region", operator: "In", values: ["x"] }] } }, "field"],
      [{ labelSelector: { matchLabels: { region: "x" } } }, "label"],
      [{ labelSelector: { matchLabels: { zone: "x" } } }, "other label"],
    ]);
    expect(index.matches({ ...cluster("a"), region: "x" }, undefined)).toEqual(["field"]);
    expect(index.matches({ ...cluster("a"), labels: { region: "x" } }, undefined)).toEqual(["label"]);
    expect(index.matches({ ...cluster("a"), region: "x", labels: { region: "x", zone: "x" } }, undefined)).toEqual([
      "field",
      "label",
      "other label",
    ]);
  });

  test("tells apart clusters that many numbered values stand for", () => {
    const numbers = Array.from({ length: 12 }, (_, i) => `v${i}`);
    const selectors = ["one", "two"].flatMap((key) =>
      numbers.map((value): ClusterSelector => ({ labelSelector: { matchLabels: { [key]: value } } })),
    );
    const index = new SelectorIndex(selectors.map((selector, i) => [selector, i] as const));
    for (const [i, one] of numbers.entries())
      for (const [j, two] of numbers.entries())
        expect(index.matches(cluster("a", { labels: { one, two } }), undefined)).toEqual([i, 12 + j]);
  });

  test.prop(
    [fc.array(maybe(arbitrarySelector), { maxLength: 8 }), fc.array(arbitraryCluster, { maxLength: 6 }), maybe(labels)],
    {
      numRuns: 1000,
    },
  )("finds what asking one selector after the other finds, in the same order", (selectors, clusters, objectLabels) => {
    const index = new SelectorIndex(selectors.map((selector, i) => [selector, i] as const));
    for (const one of clusters) {
      const asked = selectors.flatMap((selector, i) =>
        matchesClusterSelector(selector, one, objectLabels) ? [i] : [],
      );
      expect(index.matches(one, objectLabels)).toEqual(asked);
      expect(index.matches(one, objectLabels)).toBe(index.matches(one, objectLabels));
    }
  });
});

describe("order", () => {
  const names = fc.uniqueArray(fc.string({ maxLength: 3 }), { maxLength: 20 });

  test.prop([names])("sorts by code units, and takes what is sorted as it is", (some) => {
    const sorted = sortedByName(some.map((name) => ({ name })));
    expect(sorted.map(({ name }) => name)).toEqual(some.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(sortedByName(sorted)).toBe(sorted);
  });

  test.prop([names, fc.string({ maxLength: 3 })])("finds a name where it stands", (some, name) => {
    const sorted = sortedByName(some.map((one) => ({ name: one })));
    expect(indexOfName(sorted, name)).toBe(sorted.findIndex((one) => one.name === name));
  });
});
