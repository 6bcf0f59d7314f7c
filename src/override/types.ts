import type { KubeObject, OverrideRule } from "../apis/index.ts";

/** One rule that applies to one cluster, with the policy it comes from, in the order of application. */
export interface MatchedRule {
  policy: { kind: string; namespace?: string; name: string };
  index: number;
  rule: OverrideRule;
}

/** A rule that could not be applied: the object is left as it was before this policy and the cluster is not written. */
export interface OverrideProblem {
  policy: { kind: string; namespace?: string; name: string };
  rule: number;
  reason: "InvalidPatch" | "ProtectedField" | "InvalidOverride";
  message: string;
}

export interface OverrideResult {
  objects: KubeObject[];
  /** Set when a rule overrides replicas: it wins over division. */
  replicas?: number;
  problem?: OverrideProblem;
}
