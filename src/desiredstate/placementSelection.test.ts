import { describe, expect, test } from "vitest";
import type { Placement } from "../apis/index.ts";
import { selectPlacement } from "./placementSelection.ts";
import { app, clusterPlacement, placement } from "./testdata/builders.ts";

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
