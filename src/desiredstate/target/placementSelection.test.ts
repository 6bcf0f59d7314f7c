import { describe, expect, test } from "vitest";
import type { Placement } from "../../apis/index.ts";
import { choosePlacement, selectPlacement } from "./placementSelection.ts";
import { app, clusterPlacement, placement } from "../testing/builders.ts";

const kind = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
const byName = [{ ...kind, name: "nginx-demo" }];
const byLabel = [{ ...kind, labelSelector: { matchLabels: { tier: "web" } } }];

describe("selectPlacement", () => {
  test.each<{ name: string; placements: Placement[]; want: string | undefined }>([
    { name: "none", placements: [], want: undefined },
    {
      name: "a higher priority wins over everything else",
      placements: [placement("a", { resourceSelectors: byName }), clusterPlacement("b", { priority: 1 })],
      want: "b",
    },
    {
      name: "namespaced before cluster-scoped",
      placements: [clusterPlacement("a", { resourceSelectors: byName }), placement("b")],
      want: "b",
    },
    {
      name: "by name before by label before all",
      placements: [
        placement("a"),
        placement("b", { resourceSelectors: byLabel }),
        placement("c", { resourceSelectors: byName }),
      ],
      want: "c",
    },
    {
      name: "by label before all",
      placements: [placement("a"), placement("b", { resourceSelectors: byLabel })],
      want: "b",
    },
    { name: "the first by name", placements: [placement("b"), placement("a")], want: "a" },
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
    {
      name: "any version of the group is meant",
      placements: [placement("a", { resourceSelectors: [{ ...kind, apiVersion: "paas.cmft.com/v1beta1" }] })],
      want: "a",
    },
    {
      name: "another kind is not meant",
      placements: [placement("a", { resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment" }] })],
      want: undefined,
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
