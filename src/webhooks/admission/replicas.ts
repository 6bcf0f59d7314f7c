import {
  type FieldProblem,
  type KubeObject,
  type OverrideRule,
  REPLICA_BOUNDS_ANNOTATION,
  type ReplicaBounds,
} from "../../apis/index.ts";

/** Reason to refuse this number of replicas; undefined within the bounds. */
function outOfBounds(replicas: unknown, { least, most }: ReplicaBounds): string | undefined {
  if (typeof replicas !== "number" || (replicas >= least && replicas <= most)) return undefined;
  const change = replicas < least ? `set it to ${least} or more` : `set it to ${most} or less`;
  return `${replicas} is not within ${least} to ${most}; ${change}, or let the platform widen the annotation ${REPLICA_BOUNDS_ANNOTATION} of the namespace`;
}

export function judgeReplicas(field: string, replicas: unknown, bounds: ReplicaBounds): FieldProblem[] {
  const message = outOfBounds(replicas, bounds);
  return message === undefined ? [] : [{ field, message }];
}

/** Problems of the replicas that a tenant's overrides set, by `replicas` or by a patch of the rendered workload. */
export function judgeOverriddenReplicas(policy: KubeObject, bounds: ReplicaBounds): FieldProblem[] {
  return rulesOf(policy).flatMap((rule, index) => [
    ...judgeReplicas(`spec.rules[${index}].replicas`, rule.replicas, bounds),
    ...(rule.patches ?? []).flatMap(({ path, value }, at) =>
      path === "/spec/replicas" ? judgeReplicas(`spec.rules[${index}].patches[${at}].value`, value, bounds) : [],
    ),
  ]);
}

/** The rules of an override policy, which may be malformed. */
export function rulesOf(policy: KubeObject): OverrideRule[] {
  const { rules } = (policy["spec"] ?? {}) as { rules?: OverrideRule[] };
  return Array.isArray(rules) ? rules : [];
}
