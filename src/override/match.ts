import { matchesClusterSelector, selectorSpecificity, type KubeObject, type OverridePolicy } from "../apis/index.ts";
import type { ClusterSnapshot } from "../scheduler/types.ts";
import type { MatchedRule } from "./types.ts";

/**
 * Every policy that matches the object, in the order in which they apply, so that the later wins: cluster-scoped before
 * namespaced, less specific selectors before more specific ones, then by name. A namespaced policy reaches only objects
 * of its own namespace. Policies that are being deleted are out.
 */
export function matchPolicies(object: KubeObject, policies: readonly OverridePolicy[]): OverridePolicy[] {
  return policies
    .filter((policy) => policy.metadata.deletionTimestamp === undefined && reaches(policy, object))
    .map((policy) => ({ policy, specificity: selectorSpecificity(policy.spec.resourceSelectors, object) }))
    .filter(({ specificity }) => specificity > 0)
    .toSorted(
      (a, b) =>
        Number(isNamespaced(a.policy)) - Number(isNamespaced(b.policy)) ||
        a.specificity - b.specificity ||
        (a.policy.metadata.name < b.policy.metadata.name ? -1 : 1),
    )
    .map(({ policy }) => policy);
}

/**
 * The rules that apply to the object on one cluster, in the order of application. Policies that do not match the object
 * are left out, so that all of them may be given, or those of {@link matchPolicies}.
 */
export function matchRules(
  object: KubeObject,
  policies: readonly OverridePolicy[],
  cluster: ClusterSnapshot,
): MatchedRule[] {
  const matched: MatchedRule[] = [];
  for (const policy of matchPolicies(object, policies)) {
    const { namespace, name } = policy.metadata;
    const origin = { kind: policy.kind, ...(namespace === undefined ? {} : { namespace }), name };
    for (const [index, rule] of policy.spec.rules.entries()) {
      if (!matchesClusterSelector(rule.targetClusters, cluster, object.metadata.labels)) continue;
      matched.push({ policy: origin, index, rule });
    }
  }
  return matched;
}

function isNamespaced(policy: OverridePolicy): boolean {
  return policy.kind === "OverridePolicy";
}

function reaches(policy: OverridePolicy, object: KubeObject): boolean {
  if (!isNamespaced(policy)) return true;
  return object.metadata.namespace !== undefined && policy.metadata.namespace === object.metadata.namespace;
}
