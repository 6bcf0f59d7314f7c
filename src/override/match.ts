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
 * Every policy that matches the object, in the order in which they apply, so that the later wins: cluster-scoped before
 * namespaced, less specific selectors before more specific ones, then by name. A namespaced policy reaches only objects
 * of its own namespace. Policies that are being deleted are out.
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

/**
 * The rules of all policies that match the object, ready to be asked for one cluster after the other. Policies that do not match are left
 * out, so that all of them may be given.
 */
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
