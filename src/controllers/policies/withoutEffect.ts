import {
  type ClusterSelector,
  type FieldProblem,
  HUB_ONLY_KINDS,
  parseApiVersion,
  type Placement,
  type ResourceSelector,
  unknownClusterWords,
} from "../../apis/index.ts";
import type { Policy } from "../../hub/index.ts";
import { healthProblems, hubKindOf, isJob, isRendered, memberKindOf } from "../../interpreter/index.ts";
import { isPlacement, type Outcome } from "./policyOutcome.ts";

export interface EffectFacts {
  clusters: { get(name: string): unknown };
  hasPrometheus: boolean;
}

type Trouble = Required<Pick<Outcome, "reason" | "error">>;

/**
 * The parts of a policy that have no effect, whatever objects exist: admission may have been off, and some depend on
 * the hub. Rules of an override for other clusters than the unknown ones still apply.
 */
export function withoutEffect(policy: Policy, facts: EffectFacts): Partial<Trouble> & Pick<Outcome, "unknownClusters"> {
  const trouble = outOfReach(policy) ?? (isPlacement(policy) ? troubleOf(policy, facts) : undefined);
  const unknown = isPlacement(policy) ? [] : unknownIn(policy.spec.rules, facts);
  return { ...trouble, ...(unknown.length === 0 ? {} : { unknownClusters: unknown }) };
}

/** A selector outside the policy's namespace. Admission refuses such a policy, but may have been off. */
function outOfReach({ metadata, spec }: Policy): Trouble | undefined {
  const own = metadata.namespace;
  if (own === undefined) return undefined;
  for (const [index, { namespace }] of spec.resourceSelectors.entries()) {
    if (namespace === undefined || namespace === own) continue;
    const error = `spec.resourceSelectors[${index}].namespace: a policy of namespace ${own} selects nothing in ${namespace}`;
    return { reason: "NamespaceOutOfReach", error };
  }
  return undefined;
}

function troubleOf({ spec }: Placement, facts: EffectFacts): Trouble | undefined {
  const { rollout, health = [], podTemplates = [], retain = [] } = spec;
  const unknown = unknownIn(rollout?.stages ?? [], facts);
  if (unknown.length > 0)
    return {
      reason: "UnknownCluster",
      error: { what: `spec.rollout.stages: ${unknownClusterWords(unknown).trimEnd()}`, where: unknown },
    };
  if (rollout?.gate?.prometheus !== undefined && !facts.hasPrometheus) {
    const error = "spec.rollout.gate.prometheus waits for ever: the manager was started without --prometheus-url";
    return { reason: "PrometheusMissing", error };
  }
  const [unreadable] = healthProblems(health);
  if (unreadable !== undefined) return { reason: "InvalidHealthRule", error: textOf(unreadable) };
  const vain = [
    ...notOnMembers("spec.health", health),
    ...notOnMembers("spec.retain", retain),
    ...notOnMembers("spec.podTemplates", podTemplates),
    ...neededByNoKind(spec),
  ];
  return vain[0] === undefined ? undefined : { reason: "NoEffect", error: textOf(vain[0]) };
}

/** Entries for kinds that members never have. Policies from before the admission rule may have such entries. */
function notOnMembers(field: string, entries: readonly { kind: string }[]): FieldProblem[] {
  return entries.flatMap(({ kind }, index) =>
    HUB_ONLY_KINDS.includes(kind)
      ? [
          {
            field: `${field}[${index}].kind`,
            message: `no member holds a ${kind}; name a kind that comes of it, such as Deployment`,
          },
        ]
      : [],
  );
}

/** Settings that only some kinds need, in a policy that selects none of these kinds. */
function neededByNoKind({ resourceSelectors, aggregateStatus, replicaScheduling }: Placement["spec"]): FieldProblem[] {
  const kinds = [...new Set(resourceSelectors.map(({ kind }) => `a ${kind}`))].join(" and ");
  const problems: FieldProblem[] = [];
  if (aggregateStatus === true && resourceSelectors.every(isRendered))
    problems.push({
      field: "spec.aggregateStatus",
      message: `the status of ${kinds} is Meridian's own already; remove it`,
    });
  if (replicaScheduling?.path !== undefined && resourceSelectors.every(hasKnownReplicas))
    problems.push({
      field: "spec.replicaScheduling.path",
      message: `Meridian knows where ${kinds} keep replicas; remove it`,
    });
  const { mode, path } = replicaScheduling ?? {};
  if (mode === "Divided" && path === undefined && resourceSelectors.some(isJob))
    problems.push({
      field: "spec.replicaScheduling.mode",
      message: "no Job is divided: every cluster runs all completions; path: spec.completions divides them",
    });
  return problems;
}

function hasKnownReplicas({ apiVersion, kind }: ResourceSelector): boolean {
  const { group } = parseApiVersion(apiVersion);
  return hubKindOf(group, kind) !== undefined || memberKindOf(group, kind).withReplicas !== undefined;
}

/** Names that no MemberCluster has, each once. Most likely a typing error. */
function unknownIn(
  entries: readonly { targetClusters?: ClusterSelector | undefined }[],
  { clusters }: EffectFacts,
): string[] {
  const names = entries.flatMap(({ targetClusters: { clusterNames = [], exclude = [] } = {} }) => [
    ...clusterNames,
    ...exclude,
  ]);
  return [...new Set(names)].filter((name) => clusters.get(name) === undefined);
}

function textOf({ field, message }: FieldProblem): string {
  return `${field}: ${message}`;
}
