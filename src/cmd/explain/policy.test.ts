import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { policyExplanation, policyTypeNamed } from "./policy.ts";

function placement(generation: number, status: object | undefined): KubeObject {
  return {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "Placement",
    metadata: { name: "all", namespace: "default", generation },
    ...(status === undefined ? {} : { status }),
  };
}
const ready = (status: string, reason: string, message = "") => ({
  observedGeneration: 1,
  conditions: [{ type: "Ready", status, reason, message, lastTransitionTime: "2026-11-21T08:00:00Z" }],
});

describe("an explanation of a policy", () => {
  test.each([
    { name: "is of those kinds alone", kind: "deployment", want: undefined },
    { name: "is of a Placement", kind: "placement", want: "Placement" },
    { name: "is of the plural", kind: "clusteroverridepolicies", want: "ClusterOverridePolicy" },
  ])("$name", ({ kind, want }) => expect(policyTypeNamed({ kind, group: undefined })?.kind).toBe(want));

  test.each([
    { name: "in force", object: placement(1, ready("True", "Applied")), want: /^In force +yes, Applied$/m },
    {
      name: "not in force",
      object: placement(1, ready("False", "LostToOther", "ClusterPlacement x goes first")),
      want: /^In force +no, LostToOther: ClusterPlacement x goes first$/m,
    },
    { name: "changed since", object: placement(2, ready("True", "Applied")), want: /^In force +no, the last change/m },
    { name: "nobody reported on", object: placement(1, undefined), want: /^In force +not known/m },
  ])("says whether it is in force: $name", ({ object, want }) => expect(policyExplanation(object)).toMatch(want));

  test("says what it was decided for", () => {
    const status = {
      ...ready("True", "Applied"),
      matchedObjects: 3,
      decisions: [{ clusters: ["a", "b"], objects: 3 }],
    };
    expect(policyExplanation(placement(1, status))).toMatch(/^Objects +3\nDecided +3 on a, b\n/m);
  });
});
