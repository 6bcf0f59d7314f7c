/** A policy, or what names one. */
export type PolicyName =
  | { kind: string; namespace?: string; name: string }
  | { kind: string; metadata: { namespace?: string; name: string } };

/** Key of a policy in maps and workqueues: `Kind/namespace/name`, with an empty namespace for cluster-scoped policies. */
export function policyKey(policy: PolicyName): string {
  const { namespace, name } = "metadata" in policy ? policy.metadata : policy;
  return `${policy.kind}/${namespace ?? ""}/${name}`;
}
