import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { condition } from "../testing/statusObjects.ts";
import { checkPolicies } from "./policies.ts";

function policy(name: string, status: object, metadata: object = {}): KubeObject {
  return {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "OverridePolicy",
    metadata: { name, namespace: "shop", generation: 1, ...metadata },
    status,
  };
}
const reported = (name: string, status: "True" | "False", reason: string, more: object = {}): KubeObject =>
  policy(name, { observedGeneration: 1, conditions: [condition("Ready", status, reason, "what it is")], ...more });

describe("policies", () => {
  test.each<{ name: string; given: KubeObject[]; found: string[]; says?: string }>([
    { name: "are fine without any", given: [], found: [] },
    { name: "are fine in force", given: [reported("a", "True", "Applied")], found: [] },
    { name: "are fine while no object matches", given: [reported("a", "True", "NoObjectMatches")], found: [] },
    {
      name: "with an error are named, with the whole error",
      given: [reported("a", "False", "InvalidPatch", { lastError: "the path /spec/x does not exist" })],
      found: ["Error InvalidPatch"],
      says: "OverridePolicy shop/a: the path /spec/x does not exist",
    },
    {
      name: "that are idle are one note for each reason",
      given: [
        reported("a", "False", "NoClusterMatches"),
        reported("b", "False", "NoClusterMatches"),
        reported("c", "False", "LostToOther"),
      ],
      found: ["Info NoClusterMatches", "Info LostToOther"],
      says: "OverridePolicy shop/a, OverridePolicy shop/b",
    },
    {
      name: "that nobody has evaluated are one finding",
      given: [policy("a", {}), policy("b", {})],
      found: ["Warning PolicyNotObserved"],
      says: "OverridePolicy shop/a, OverridePolicy shop/b",
    },
    {
      name: "whose last change nobody has evaluated are named",
      given: [policy("a", { observedGeneration: 1, conditions: [condition("Ready", "True")] }, { generation: 2 })],
      found: ["Warning PolicyNotObserved"],
    },
    {
      name: "that are being deleted do not count",
      given: [policy("a", {}, { deletionTimestamp: "2026-11-28T08:00:00Z" })],
      found: [],
    },
  ])("$name", ({ given, found, says = "" }) => {
    const { findings } = checkPolicies(given);
    expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual(found);
    expect(findings.map(({ what }) => what).join("\n")).toContain(says);
  });
});
