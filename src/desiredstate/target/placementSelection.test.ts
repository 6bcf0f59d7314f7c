import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { Placement } from "../../apis/index.ts";
import { app, clusterPlacement, placement } from "../testing/builders.ts";
import { choosePlacement, selectPlacement } from "./placementSelection.ts";

const kind = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };

describe("selectPlacement", () => {
  test.each<{ name: string; placements: Placement[]; want: string | undefined }>([
    {
      name: "a policy of another namespace does not reach it",
      placements: [placement("a", {}, { namespace: "other" })],
      want: undefined,
    },
    {
      name: "a policy that is being deleted does not count",
      placements: [placement("a", {}, { deletionTimestamp: "2026-11-21T13:00:00Z" }), placement("b")],
      want: "b",
    },
  ])("$name", ({ placements, want }) => {
    const object = app({}, { labels: { tier: "web" } });
    expect(selectPlacement(object, placements)?.metadata.name).toBe(want);
    expect(selectPlacement(object, placements.toReversed())?.metadata.name).toBe(want);
  });
});

test("the others that select the object are named, with what decided against each of them", () => {
  const named = { ...kind, name: "nginx-demo" };
  const placements = [
    placement("winner", { priority: 5, resourceSelectors: [named] }),
    placement("weaker"),
    { ...placement("platform", { priority: 5, resourceSelectors: [named] }), kind: "ClusterPlacement" as const },
    placement("vaguer", { priority: 5 }),
    placement("zlater", { priority: 5, resourceSelectors: [named] }),
    placement("elsewhere", { resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment" }] }),
  ];
  const { placement: chosen, passedOver } = choosePlacement(app(), placements);
  expect(chosen?.metadata.name).toBe("winner");
  expect(passedOver.map((other) => [other.placement.metadata.name, other.because])).toEqual([
    ["weaker", "priority 5 goes before 0"],
    ["platform", "that of the namespace goes first"],
    ["vaguer", "the closer selector goes first"],
    ["zlater", "the first by name goes first"],
  ]);
  expect(choosePlacement(app(), [])).toEqual({ placement: undefined, passedOver: [] });
});

const SELECTORS = [kind, { ...kind, labelSelector: { matchLabels: { tier: "web" } } }, { ...kind, name: "nginx-demo" }];
const labelled = app({}, { labels: { tier: "web" } });

describe("of any policies", () => {
  const policies = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("a", "b", "c", "d"),
      priority: fc.integer({ min: -1, max: 1 }),
      isNamespaced: fc.boolean(),
      specificity: fc.nat(2),
    }),
    { selector: ({ name, isNamespaced }) => `${name} ${isNamespaced}`, minLength: 1 },
  );
  type Policy = typeof policies extends fc.Arbitrary<(infer T)[]> ? T : never;
  const made = ({ name, priority, isNamespaced, specificity }: Policy): Placement => {
    const selector = SELECTORS[specificity];
    const spec = { priority, resourceSelectors: selector === undefined ? [] : [selector] };
    return isNamespaced ? placement(name, spec) : clusterPlacement(name, spec);
  };
  /** What counts most first; the greater goes first, and at last the smaller name. */
  const goesBefore = (a: Policy, b: Policy): boolean => {
    if (a.priority !== b.priority) return a.priority > b.priority;
    if (a.isNamespaced !== b.isNamespaced) return a.isNamespaced;
    return a.specificity === b.specificity ? a.name < b.name : a.specificity > b.specificity;
  };

  property.prop([policies])("the chosen one goes before each of the others, in whatever order they come", (some) => {
    const [first] = some.toSorted((a, b) => (goesBefore(a, b) ? -1 : 1));
    const placements = some.map(made);
    const { placement: chosen, passedOver } = choosePlacement(labelled, placements);
    expect(chosen).toBe(placements[some.findIndex((one) => one === first)]);
    expect(passedOver.map((one) => one.placement)).toEqual(placements.filter((one) => one !== chosen));
    expect(selectPlacement(labelled, placements.toReversed())).toBe(chosen);
    for (const { placement: other, because } of passedOver) {
      const { priority } = some[placements.indexOf(other)] ?? { priority: Number.NaN };
      if (priority !== first?.priority) expect(because).toBe(`priority ${first?.priority} goes before ${priority}`);
      else if (other.kind !== chosen?.kind) expect(because).toBe("that of the namespace goes first");
      else expect(["the closer selector goes first", "the first by name goes first"]).toContain(because);
    }
  });
});

describe("an object", () => {
  const { namespace: _, ...clusterScoped } = labelled.metadata;

  test("that is in no namespace is reached by policies that are in none either, and by no others", () => {
    const outside = { ...labelled, metadata: clusterScoped };
    expect(selectPlacement(outside, [clusterPlacement("c")])?.metadata.name).toBe("c");
    expect(selectPlacement(outside, [placement("p")])).toBeUndefined();
    expect(selectPlacement(outside, [placement("p", {}, { namespace: undefined })])).toBeUndefined();
  });

  test("is reached by policies that say no priority as by those of priority zero", () => {
    const silent = placement("b");
    const { priority: __, ...spec } = silent.spec;
    const without = { ...silent, spec } as Placement;
    expect(selectPlacement(labelled, [without, placement("a")])?.metadata.name).toBe("a");
    expect(selectPlacement(labelled, [without, placement("c")])?.metadata.name).toBe("b");
    expect(selectPlacement(labelled, [without, placement("c", { priority: 1 })])?.metadata.name).toBe("c");
    expect(selectPlacement(labelled, [without, placement("a", { priority: -1 })])?.metadata.name).toBe("b");
  });
});
