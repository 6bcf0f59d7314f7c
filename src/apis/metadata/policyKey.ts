/** A policy, or a reference to a policy. */
export type PolicyName =
  | { kind: string; namespace?: string; name: string }
  | { kind: string; metadata: { namespace?: string; name: string } };

/** Equal to comparing their {@link policyKey}s, without building these. */
export function isSamePolicy(a: PolicyName, b: PolicyName): boolean {
  const [one, other] = [nameOf(a), nameOf(b)];
  return a.kind === b.kind && one.name === other.name && (one.namespace ?? "") === (other.namespace ?? "");
}

/** `Kind/namespace/name`, with an empty namespace for cluster-scoped policies. */
export function policyKey(policy: PolicyName): string {
  const { namespace, name } = nameOf(policy);
  return `${policy.kind}/${namespace ?? ""}/${name}`;
}

function nameOf(policy: PolicyName): { namespace?: string; name: string } {
  return "metadata" in policy ? policy.metadata : policy;
}
