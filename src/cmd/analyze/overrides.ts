import {
  defined,
  isSamePolicy,
  matchesClusterSelector,
  type OverridePolicy,
  type OverrideRule,
} from "../../apis/index.ts";
import { isSameTarget } from "../plan/index.ts";
import { type Analysis, type Planned, type Said, targetOf } from "./analysis.ts";
import { isIdle, takesNothing } from "./placements.ts";

/** Findings about single rules of an override policy. Pure. */

export function ruleFindings(policy: OverridePolicy, selected: readonly Planned[], analysis: Analysis): Said[] {
  const { state } = analysis;
  const clusters = state.clusterSnapshots();
  const isKnown = !state.hidden.has("memberclusters");
  const idle = new Set<number>();
  const found: Said[] = [];
  for (const [index, { targetClusters }] of policy.spec.rules.entries()) {
    if (!isKnown || targetClusters === undefined || !isIdle(targetClusters, clusters)) continue;
    idle.add(index);
    found.push(takesNothing(`spec.rules[${index}].targetClusters`));
  }
  return [...found, ...vainParts(policy, selected, idle, analysis)];
}

/** Objects for which each part of a rule is tried. */
const MOST_TRIED = 20;

/**
 * Parts of rules without which every object would be the same on every cluster: the value stands there already, or a
 * later policy sets the value again.
 */
function vainParts(
  policy: OverridePolicy,
  selected: readonly Planned[],
  idle: ReadonlySet<number>,
  analysis: Analysis,
): Said[] {
  const tried = selected
    .filter(({ target }) => target.overrides.some((one) => isSamePolicy(one, policy)))
    .slice(0, MOST_TRIED);
  const hasProblem = tried.some(({ target }) => target.clusters.some(({ problem }) => problem !== undefined));
  if (tried.length === 0 || hasProblem) return [];
  const objects = tried.length === 1 ? "the object" : `the ${tried.length} objects`;
  return policy.spec.rules.flatMap((rule, index) => {
    if (idle.has(index)) return [];
    return partsOf(rule).flatMap(({ path, without }): Said[] => {
      const rules = policy.spec.rules.flatMap((one, i) => (i === index ? (without ?? []) : one));
      if (hasEffect(policy, rules, tried, analysis)) return [];
      if (path === "replicas" && isReached(rule, tried, analysis)) return [redundantReplicas(index, rule, objects)];
      return [
        {
          code: "OverrideWithoutEffect",
          severity: "Warning",
          what: `spec.rules[${index}].${path} changes nothing on ${objects} that the policy selects`,
          remedy:
            "remove it, or correct its path, value or targetClusters; a later policy may set the same field, or the object has that value",
        },
      ];
    });
  });
}

/** True if every cluster that the rule takes has the replicas of the rule. */
function isReached(
  { targetClusters = {}, replicas }: OverrideRule,
  tried: readonly Planned[],
  { state }: Analysis,
): boolean {
  const clusters = new Map(state.clusterSnapshots().map((cluster) => [cluster.name, cluster]));
  const reached = tried.flatMap(({ object, target }) =>
    target.clusters.filter(({ name }) => {
      const cluster = clusters.get(name);
      return cluster !== undefined && matchesClusterSelector(targetClusters, cluster, object.metadata.labels ?? {});
    }),
  );
  return reached.length > 0 && reached.every((one) => one.replicas === replicas);
}

function redundantReplicas(index: number, { replicas = 0 }: OverrideRule, objects: string): Said {
  return {
    code: "OverrideRedundant",
    severity: "Info",
    what: `spec.rules[${index}].replicas: ${objects} would have ${replicas} replicas there without it`,
    remedy: "nothing to mend if the rule is to hold the number while others change it",
  };
}

interface Part {
  path: string;
  /** Undefined: nothing is left of the rule. */
  without: OverrideRule | undefined;
}

function partsOf(rule: OverrideRule): Part[] {
  const { targetClusters, ...settings } = rule;
  const reduced = (change: object): OverrideRule | undefined => {
    const left = defined({ ...settings, ...change });
    return Object.keys(left).length === 0 ? undefined : { ...left, ...defined({ targetClusters }) };
  };
  const { patches = [], ...others } = settings;
  return [
    ...Object.keys(defined(others)).map((path) => ({ path, without: reduced({ [path]: undefined }) })),
    ...patches.map(({ path }, index) => {
      const rest = patches.filter((_, i) => i !== index);
      const without = reduced({ patches: rest.length === 0 ? undefined : rest });
      return { path: `patches[${index}] (${path})`, without };
    }),
  ];
}

/** True if an object would differ with these rules in place of the policy's own. */
function hasEffect(
  policy: OverridePolicy,
  rules: readonly OverrideRule[],
  tried: readonly Planned[],
  { state, now }: Analysis,
): boolean {
  const { overrides } = state;
  const other = rules.length === 0 ? [] : [{ ...policy, spec: { ...policy.spec, rules: [...rules] } }];
  try {
    state.overrides = overrides.flatMap((one) => (isSamePolicy(one, policy) ? other : one));
    return tried.some(({ object, target }) => !isSameTarget(targetOf(state, object, now), target));
  } finally {
    state.overrides = overrides;
  }
}
