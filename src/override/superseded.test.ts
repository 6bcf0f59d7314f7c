import { describe, expect, test } from "vitest";
import type { OverrideRule } from "../apis/index.ts";
import { effectOf } from "./effect.ts";
import { winnersOver } from "./superseded.ts";
import type { MatchedRule, OverrideEffect, PolicyRef } from "./types.ts";

const ref = (name: string, kind = "OverridePolicy"): PolicyRef => ({
  kind,
  ...(kind === "OverridePolicy" ? { namespace: "default" } : {}),
  name,
});
const sets = (policy: PolicyRef, rule: OverrideRule = { replicas: 1 }): MatchedRule => ({ policy, index: 0, rule });

/** Where these policies all set the replicas, in that order. */
function on(name: string, ...policies: (string | PolicyRef)[]): { name: string; overrides: OverrideEffect } {
  const rules = policies.map((one) => sets(typeof one === "string" ? ref(one) : one));
  return { name, overrides: effectOf(rules) };
}

const loser = ref("b-labels");

describe("who sets everything anew", () => {
  type Case = [name: string, clusters: { name: string; overrides?: OverrideEffect }[], want: string | undefined];
  test.each<Case>([
    [
      "is the same on every cluster",
      [on("a", "b-labels", "later"), on("b", "b-labels", "later")],
      "OverridePolicy later",
    ],
    [
      "is nobody where the policy has a say on one cluster",
      [on("a", "b-labels", "later"), on("b", "b-labels")],
      undefined,
    ],
    [
      "counts only where the policy applies",
      [on("a", "b-labels", "later"), on("b", "other", "last")],
      "OverridePolicy later",
    ],
    [
      "is named by cluster where the winners differ",
      [
        on("cn-shanghai", "b-labels", "a-first"),
        on("eu-central-1", "b-labels", "a-first", "e-last"),
        on("eu-west-1", "b-labels", "e-last"),
      ],
      "OverridePolicy e-last (on cn-shanghai a-first)",
    ],
    [
      "has its kind before its name where that is another",
      [
        { name: "a", overrides: effectOf([sets(ref("all", "ClusterOverridePolicy")), sets(ref("own"))]) },
        {
          name: "b",
          overrides: effectOf([sets(ref("all", "ClusterOverridePolicy")), sets(ref("wide", "ClusterOverridePolicy"))]),
        },
      ],
      "ClusterOverridePolicy wide (on a OverridePolicy own)",
    ],
    [
      "is named without the clusters where these are too many",
      [
        on("one-of-many-clusters", "b-labels", "a-first"),
        on("two-of-many-clusters", "b-labels", "d-other"),
        on("ten-of-many-clusters", "b-labels", "e-last"),
      ],
      "OverridePolicy a-first (on two-of-many-clusters d-other and 1 more)",
    ],
    ["has a long name cut", [on("a", "b-labels", "n".repeat(60))], `OverridePolicy ${"n".repeat(39)}…`],
  ])("%s", (_name, clusters, want) => {
    const policy = clusters.some(({ overrides }) => overrides?.superseded.some((one) => one.policy.name === "all"))
      ? ref("all", "ClusterOverridePolicy")
      : loser;
    expect(winnersOver(policy, clusters)).toBe(want);
  });
});
