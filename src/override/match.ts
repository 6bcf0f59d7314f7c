import {
  defined,
  type KubeObject,
  type ObjectSetting,
  type OverridePolicy,
  type OverrideRule,
  selectorSpecificity,
} from "../apis/index.ts";
import { SelectorIndex } from "../scheduler/index.ts";
import type { MatchedRule, ObjectRules, PolicyRef } from "./types.ts";

/**
 * Policies that match the object, in order of application, so that the later wins: cluster-scoped first, then the less
 * specific, then by name. A namespaced policy reaches only its own namespace.
 */
export function matchPolicies(
  object: KubeObject,
  policies: readonly OverridePolicy[],
  setting?: ObjectSetting,
): OverridePolicy[] {
  return policies
    .filter((policy) => policy.metadata.deletionTimestamp === undefined && reaches(policy, object))
    .map((policy) => ({ policy, specificity: selectorSpecificity(policy.spec.resourceSelectors, object, setting) }))
    .filter(({ specificity }) => specificity > 0)
    .toSorted(
      (a, b) =>
        Number(isNamespaced(a.policy)) - Number(isNamespaced(b.policy)) ||
        a.specificity - b.specificity ||
        (a.policy.metadata.name < b.policy.metadata.name ? -1 : 1),
    )
    .map(({ policy }) => policy);
}

/** Rules of the policies that match the object, by target cluster. Callers may pass all policies. */
export function matchRules(
  object: KubeObject,
  policies: readonly OverridePolicy[],
  setting?: ObjectSetting,
): ObjectRules {
  const names: PolicyRef[] = [];
  const rules: [OverrideRule["targetClusters"], MatchedRule][] = [];
  for (const { kind, metadata, spec } of matchPolicies(object, policies, setting)) {
    const { namespace, name } = metadata;
    const policy = { kind, ...defined({ namespace }), name };
    names.push(policy);
    for (const [index, rule] of spec.rules.entries()) rules.push([rule.targetClusters, { policy, index, rule }]);
  }
  const candidates = new SelectorIndex(rules);
  return { policies: names, on: (cluster) => candidates.matches(cluster, object.metadata.labels) };
}

function isNamespaced(policy: OverridePolicy): boolean {
  return policy.kind === "OverridePolicy";
}

function reaches(policy: OverridePolicy, object: KubeObject): boolean {
  if (!isNamespaced(policy)) return true;
  return object.metadata.namespace !== undefined && policy.metadata.namespace === object.metadata.namespace;
}
