import type { KubeObject, OverrideRule } from "../apis/index.ts";
import type { ClusterSnapshot } from "../scheduler/index.ts";

/** Names an override policy; the same value for all rules of one policy. */
export interface PolicyRef {
  kind: string;
  namespace?: string;
  name: string;
}

/** One rule that applies to one cluster, with the policy it comes from, in the order of application. */
export interface MatchedRule {
  policy: PolicyRef;
  index: number;
  rule: OverrideRule;
}

/** The override rules that may apply to one object. */
export interface ObjectRules {
  /** The policies that match the object, in the order in which they apply. */
  policies: readonly PolicyRef[];
  /** The rules that apply on that cluster, in the order of application; the same list for clusters on which the same rules apply. */
  on(cluster: ClusterSnapshot): readonly MatchedRule[];
}

/** One operation of a patch, and where it stands. */
export interface PatchName {
  policy: PolicyRef;
  rule: number;
  /** Its place among the patches of the rule. */
  patch: number;
  /** The rendered kind that it is about; undefined: every one. */
  kind?: string;
  path: string;
}

/** What comes of the rules that apply on one cluster. */
export interface OverrideEffect {
  /** The policies that have a say in the result, in the order in which they apply. */
  policies: readonly PolicyRef[];
  /** The policies of which later ones set everything anew, each with one of those. */
  superseded: readonly { policy: PolicyRef; by: PolicyRef }[];
  patches: readonly PatchName[];
}

/** A rule that could not be applied: the object is left as it was before this policy and the cluster is not written. */
export interface OverrideProblem {
  policy: PolicyRef;
  rule: number;
  reason: "InvalidPatch" | "ProtectedField" | "InvalidOverride" | "TooLarge";
  message: string;
  /** What is wrong in as few words as say it. */
  point: string;
}

export interface OverrideResult {
  objects: KubeObject[];
  /** Set when a rule overrides replicas: it wins over division. */
  replicas?: number;
  problem?: OverrideProblem;
}
