import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { type ClusterSelector, matchesClusterSelector } from "../apis/index.ts";
import { clusterMatcher, compileSelector } from "./clusterMatcher.ts";
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

  test("is made once for each selector", () => {
    const selector = { clusterNames: ["a"] };
    expect(clusterMatcher(selector)).toBe(clusterMatcher(selector));
  });
});

describe("the fact that a selector asks for", () => {
  const name = (isAll: boolean) => ({ key: "name", isLabel: false, values: ["a"], isAll });
  const tier = (isAll: boolean, ...some: string[]) => ({ key: "tier", isLabel: true, values: some, isAll });
  const inTier = { key: "tier", operator: "In" as const, values: ["web", "db"] };
  const notInTier = { ...inTier, operator: "NotIn" as const };
  const inRegion = { key: "region" as const, operator: "In" as const, values: ["x"] };
  const region = (isAll: boolean) => ({ key: "region", isLabel: false, values: ["x"], isAll });

  test.each<[string, ClusterSelector | undefined, unknown]>([
    ["no selector asks for none", undefined, undefined],
    ["an empty one too", {}, undefined],
    ["who is excluded is no fact that all have", { exclude: ["a"] }, undefined],
    ["names", { clusterNames: ["a"] }, name(true)],
    ["names, beside something else", { clusterNames: ["a"], exclude: ["b"] }, name(false)],
    ["names come before labels", { clusterNames: ["a"], labelSelector: { matchLabels: { tier: "web" } } }, name(false)],
    ["a label", { labelSelector: { matchLabels: { tier: "web" } } }, tier(true, "web")],
    ["the first of two labels", { labelSelector: { matchLabels: { tier: "web", env: "p" } } }, tier(false, "web")],
    [
      "a label beside something else",
      { exclude: ["b"], labelSelector: { matchLabels: { tier: "web" } } },
      tier(false, "web"),
    ],
    ["several values of a label", { labelSelector: { matchExpressions: [inTier] } }, tier(true, "web", "db")],
    [
      "several values of a label, beside another label",
      { labelSelector: { matchLabels: { tier: "web" }, matchExpressions: [inTier] } },
      tier(false, "web"),
    ],
    ["values that a label must not have are none", { labelSelector: { matchExpressions: [notInTier] } }, undefined],
    [
      "the expression that names values",
      { labelSelector: { matchExpressions: [notInTier, inTier] } },
      tier(false, "web", "db"),
    ],
    [
      "an expression without values names none",
      { labelSelector: { matchExpressions: [{ key: "tier", operator: "In" }] } },
      tier(true),
    ],
    ["a field", { fieldSelector: { matchExpressions: [inRegion] } }, region(true)],
    ["a field beside another", { fieldSelector: { matchExpressions: [inRegion, inRegion] } }, region(false)],
    [
      "a field beside something else",
      { exclude: ["b"], fieldSelector: { matchExpressions: [inRegion] } },
      region(false),
    ],
    [
      "values that a field must not have are none",
      { fieldSelector: { matchExpressions: [{ ...inRegion, operator: "NotIn" }] } },
      undefined,
    ],
    [
      "a field without values names none",
      { fieldSelector: { matchExpressions: [{ key: "region", operator: "In" }] } },
      { ...region(true), values: [] },
    ],
  ])("%s", (_name, selector, want) => expect(compileSelector(selector).pivot).toEqual(want));

  test("a selector has a part for each thing that it asks for", () => {
    const parts = compileSelector({
      exclude: ["b"],
      clusterNames: ["a"],
      labelSelector: {},
      fieldSelector: { matchExpressions: [inRegion] },
      matchLabelKeys: ["k", "l"],
    }).parts.map(({ field, key }) => [field, key]);
    expect(parts).toEqual([
      ["exclude", undefined],
      ["clusterNames", undefined],
      ["labelSelector", undefined],
      ["fieldSelector", undefined],
      ["matchLabelKeys", "k"],
      ["matchLabelKeys", "l"],
    ]);
    expect(compileSelector({}).parts).toEqual([]);
    expect(compileSelector(undefined).parts).toEqual([]);
  });
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

  test("takes for one list only what the labels of the object have no say in", () => {
    const index = new SelectorIndex([
      [{ labelSelector: { matchLabels: { env: "p" } } }, "decided by the label"],
      [{ matchLabelKeys: ["tier"] }, "by the object too"],
    ]);
    const one = { ...cluster("a"), labels: { env: "p", tier: "web" } };
    expect(index.matches(one, { tier: "web" })).toEqual(["decided by the label", "by the object too"]);
    expect(index.matches(one, { tier: "db" })).toEqual(["decided by the label"]);
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

  test("gives one list for clusters that the same selectors take", () => {
    const inRegion = (region: string): ClusterSelector => ({
      fieldSelector: { matchExpressions: [{ key: "region", operator: "In", values: [region] }] },
    });
    const index = new SelectorIndex([
      [inRegion("x"), "x"],
      [undefined, "all"],
      [{ exclude: ["c"] }, "not c"],
    ]);
    const of = (name: string, region: string) => index.matches(cluster(name, { region }), undefined);
    expect(of("a", "x")).toEqual(["x", "all", "not c"]);
    expect(of("a", "x")).toBe(of("b", "x"));
    expect(of("c", "y")).toEqual(["all"]);
    expect(of("d", "y")).toEqual(["all", "not c"]);
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
