import type { KubeObject, OverrideRule } from "../apis/index.ts";
import type { ClusterSnapshot } from "../scheduler/index.ts";

/** The same value for all rules of one policy. */
export interface PolicyRef {
  kind: string;
  namespace?: string;
  name: string;
}

export interface MatchedRule {
  policy: PolicyRef;
  index: number;
  rule: OverrideRule;
}

/** The override rules that may apply to one object. */
export interface ObjectRules {
  /** In the order in which they apply. */
  policies: readonly PolicyRef[];
  /** Rules that apply on the cluster, in order of application; the same list for clusters with the same rules. */
  on(cluster: ClusterSnapshot): readonly MatchedRule[];
}

export interface PatchName {
  policy: PolicyRef;
  rule: number;
  /** Index among the patches of the rule. */
  patch: number;
  /** Rendered kind that the patch is limited to; undefined: all kinds. */
  kind?: string;
  path: string;
}

/** Effect of the rules that apply on one cluster. */
export interface OverrideEffect {
  /** Policies that still decide a setting, in order of application. */
  policies: readonly PolicyRef[];
  /** Policies whose every setting later policies set again, each with one of those later policies. */
  superseded: readonly { policy: PolicyRef; by: PolicyRef }[];
  patches: readonly PatchName[];
}

/** The policies before it are rendered, and the cluster is not written. */
export interface OverrideProblem {
  policy: PolicyRef;
  rule: number;
  reason: "InvalidPatch" | "ProtectedField" | "InvalidOverride" | "TooLarge";
  message: string;
  /** Words at the beginning of the message that tell the place, such as `patch 2 on Deployment: `. */
  place: string;
}

export interface OverrideResult {
  objects: KubeObject[];
  /** Set when a rule overrides replicas; wins over the division of replicas. */
  replicas?: number;
  problem?: OverrideProblem;
}
