import { describe, expect, test } from "vitest";
import type { Placement } from "../../apis/index.ts";
import { nearMisses } from "./nearMisses.ts";
import { app, clusterPlacement, placement } from "../testing/builders.ts";

const kind = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
const web = { ...kind, labelSelector: { matchLabels: { tier: "web" } } };

describe("policies that nearly select an object", () => {
  test.each<{ name: string; placements: Placement[]; want: readonly [string, ...string[]][] }>([
    { name: "there are none", placements: [], want: [] },
    {
      name: "one of another kind is none",
      placements: [placement("a", { resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment" }] })],
      want: [],
    },
    { name: "one that selects it is none", placements: [placement("a")], want: [] },
    {
      name: "a label is missing",
      placements: [placement("a", { resourceSelectors: [web] })],
      want: [["a", "the object lacks the label tier=web"]],
    },
    {
      name: "a Placement stands in another namespace",
      placements: [placement("a", {}, { namespace: "other" })],
      want: [["a", "a Placement reaches only its own namespace, other, and the object is in default"]],
    },
    {
      name: "the closest goes first, and of each the closest selector",
      placements: [
        placement("a", {
          resourceSelectors: [{ ...kind, labelSelector: { matchLabels: { tier: "web", zone: "b" } } }],
        }),
        clusterPlacement("b", {
          resourceSelectors: [
            { ...web, namespace: "other" },
            { ...kind, name: "another" },
          ],
        }),
      ],
      want: [
        ["b", "the policy selects the name another"],
        ["a", "the object lacks the label tier=web", "the object lacks the label zone=b"],
      ],
    },
    {
      name: "expressions, each as what the object would need",
      placements: [
        placement("a", {
          resourceSelectors: [
            {
              ...kind,
              labelSelector: {
                matchExpressions: [
                  { key: "tier", operator: "In", values: ["web", "api"] },
                  { key: "owner", operator: "Exists" },
                  { key: "stage", operator: "DoesNotExist" },
                ],
              },
            },
          ],
        }),
      ],
      want: [
        [
          "a",
          "the object lacks the label tier with one of web, api",
          "the object lacks the label owner",
          "the object has the label stage, which the policy leaves out",
        ],
      ],
    },
    {
      name: "the labels of the namespace",
      placements: [
        clusterPlacement("a", { resourceSelectors: [{ ...kind, namespaceSelector: { matchLabels: { team: "x" } } }] }),
      ],
      want: [["a", "namespace default lacks the label team=x"]],
    },
    {
      name: "a policy that goes",
      placements: [placement("a", {}, { deletionTimestamp: "2026-11-21T13:00:00Z" })],
      want: [["a", "the policy is being deleted"]],
    },
    {
      name: "three are enough",
      placements: ["a", "b", "c", "d"].map((name) => placement(name, { resourceSelectors: [web] })),
      want: ["a", "b", "c"].map((name) => [name, "the object lacks the label tier=web"] as const),
    },
  ])("$name", ({ placements, want }) => {
    const object = app({}, { labels: { stage: "test" } });
    const found = nearMisses(object, placements, { namespaceLabels: {} });
    expect(found.map(({ policy, because }) => [policy.name, ...because])).toEqual(want);
  });
});
