import { expect, test } from "vitest";
import { clusterPlacementObject } from "../../../test/builders/policyObjects.ts";
import type { KubeObject, Placement } from "../../apis/index.ts";
import { warnOfVersions } from "./versions.ts";

const KIND = "HorizontalPodAutoscaler";
const served = ["v2", "v1"].map((version) => ({ group: "autoscaling", version, kind: KIND, namespaced: true }));
const naming = (version: string, name = "a", kind = KIND): KubeObject => ({
  ...clusterPlacementObject({ resourceSelectors: [{ apiVersion: `autoscaling/${version}`, kind }] }),
  metadata: { name },
});

test.each([
  {
    name: "the hub prefers another one",
    policy: naming("v1"),
    others: [],
    want: /prefers autoscaling\/v2.*autoscaling\/v1 lacks/,
  },
  {
    name: "another placement names a later one",
    policy: naming("v1"),
    others: [naming("v2", "b")],
    want: /sent in autoscaling\/v2/,
  },
])("a version is warned of when $name", ({ policy, others, want }) => {
  expect(warnOfVersions(policy, served, others as unknown as Placement[])).toEqual([
    expect.stringMatching(new RegExp(`^spec\\.resourceSelectors\\[0\\]\\.apiVersion: .*${want.source}`)),
  ]);
});

test.each([
  { name: "the hub prefers it", policy: naming("v2"), others: [naming("v1", "b")] },
  { name: "the hub does not serve it", policy: naming("v0"), others: [] },
  {
    name: "the kind is Meridian's to write",
    policy: {
      ...naming("v1"),
      spec: { resourceSelectors: [{ apiVersion: "paas.cmft.com/v1beta1", kind: "DemoApplication" }] },
    },
    others: [],
  },
])("a version is not warned of when $name", ({ policy, others }) => {
  const kinds = [
    ...served,
    ...["v1", "v1beta1"].map((version) => ({
      group: "paas.cmft.com",
      version,
      kind: "DemoApplication",
      namespaced: true,
    })),
  ];
  expect(warnOfVersions(policy, kinds, others as unknown as Placement[])).toEqual([]);
});

test("a placement is no rival of itself, and nothing is warned of while the hub does not say what it serves", () => {
  expect(warnOfVersions(naming("v2"), served, [naming("v1")] as unknown as Placement[])).toEqual([]);
  expect(warnOfVersions(naming("v1"), undefined, [])).toEqual([]);
});
