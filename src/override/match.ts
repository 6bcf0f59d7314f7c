import { selectorSpecificity, type KubeObject, type OverridePolicy } from "../apis/index.ts";
import { type ClusterMatcher, clusterMatcher } from "../scheduler/index.ts";
import type { MatchedRule, ObjectRules, PolicyRef } from "./types.ts";

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
 * The rules of all policies that match the object, ready to be asked for one cluster after the other. Policies that do not match are left
 * out, so that all of them may be given.
 */
export function matchRules(object: KubeObject, policies: readonly OverridePolicy[]): ObjectRules {
  const { labels } = object.metadata;
  const names: PolicyRef[] = [];
  const candidates: Candidate[] = [];
  for (const { kind, metadata, spec } of matchPolicies(object, policies)) {
    const { namespace, name } = metadata;
    const policy = { kind, ...(namespace === undefined ? {} : { namespace }), name };
    names.push(policy);
    for (const [index, rule] of spec.rules.entries()) {
      candidates.push({ matched: { policy, index, rule }, takes: clusterMatcher(rule.targetClusters) });
    }
  }
  const none: Combination = { rules: [], more: new Map() };
  return {
    policies: names,
    on(cluster) {
      let combination = none;
      for (const { matched, takes } of candidates)
        if (takes(cluster, labels)) combination = withRule(combination, matched);
      return combination.rules;
    },
  };
}

interface Candidate {
  matched: MatchedRule;
  takes: ClusterMatcher;
}

/** Rules that apply together somewhere, and those with one rule more. */
interface Combination {
  rules: readonly MatchedRule[];
  more: Map<MatchedRule, Combination>;
}

function withRule({ rules, more }: Combination, rule: MatchedRule): Combination {
  let next = more.get(rule);
  if (next === undefined) more.set(rule, (next = { rules: [...rules, rule], more: new Map() }));
  return next;
}

function isNamespaced(policy: OverridePolicy): boolean {
  return policy.kind === "OverridePolicy";
}

function reaches(policy: OverridePolicy, object: KubeObject): boolean {
  if (!isNamespaced(policy)) return true;
  return object.metadata.namespace !== undefined && policy.metadata.namespace === object.metadata.namespace;
}
