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
  interface Case {
    name: string;
    clusters: { name: string; overrides?: OverrideEffect }[];
    want: string | undefined;
  }
  test.each<Case>([
    {
      name: "is the same on every cluster",
      clusters: [on("a", "b-labels", "later"), on("b", "b-labels", "later")],
      want: "OverridePolicy later",
    },
    {
      name: "is nobody where the policy has a say on one cluster",
      clusters: [on("a", "b-labels", "later"), on("b", "b-labels")],
      want: undefined,
    },
    {
      name: "counts only where the policy applies",
      clusters: [on("a", "b-labels", "later"), on("b", "other", "last")],
      want: "OverridePolicy later",
    },
    {
      name: "is named by cluster where the winners differ",
      clusters: [
        on("cn-shanghai", "b-labels", "a-first", "e-last"),
        on("eu-central-1", "b-labels", "a-first"),
        on("eu-west-1", "b-labels", "a-first"),
      ],
      want: "OverridePolicy a-first (on cn-shanghai e-last)",
    },
    {
      name: "has its kind before its name where that is another",
      clusters: [
        { name: "a", overrides: effectOf([sets(ref("all", "ClusterOverridePolicy")), sets(ref("own"))]) },
        {
          name: "b",
          overrides: effectOf([sets(ref("all", "ClusterOverridePolicy")), sets(ref("wide", "ClusterOverridePolicy"))]),
        },
      ],
      want: "ClusterOverridePolicy wide (on a OverridePolicy own)",
    },
    {
      name: "is named without the clusters where these are too many",
      clusters: [
        on("one-of-many-clusters", "b-labels", "a-first"),
        on("two-of-many-clusters", "b-labels", "d-other"),
        on("ten-of-many-clusters", "b-labels", "e-last"),
      ],
      want: "OverridePolicy a-first (on two-of-many-clusters d-other and 1 more)",
    },
    {
      name: "has a long name cut",
      clusters: [on("a", "b-labels", "n".repeat(60))],
      want: `OverridePolicy ${"n".repeat(39)}…`,
    },
  ])("$name", ({ clusters, want }) => {
    const policy = clusters.some(({ overrides }) => overrides?.superseded.some((one) => one.policy.name === "all"))
      ? ref("all", "ClusterOverridePolicy")
      : loser;
    expect(winnersOver(policy, clusters)).toBe(want);
  });
});
