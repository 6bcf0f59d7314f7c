import {
  defined,
  excess,
  type FieldProblem,
  type KubeObject,
  OBJECT_BOUNDS,
  type OverridePolicy,
  PAAS_GROUP,
  parseApiVersion,
} from "../../apis/index.ts";
import { placeableKindOf } from "../../interpreter/index.ts";
import { applyRules, type MatchedRule, matchRules } from "../../override/index.ts";
import { selectorsOf } from "./policies.ts";
import type { AdmissionFacts } from "./types.ts";

/** Maximum number of rule sets to try, out of the sets that apply together on some cluster. */
const MOST_TRIED = 8;

/**
 * Tries the policy on an example application and on one object that it selects now: the result may be too large, too
 * deep or too much work. Paths of patches may be missing here, since other objects may have them.
 */
export function judgeRendering(policy: OverridePolicy, facts: AdmissionFacts): FieldProblem[] {
  for (const object of [...examplesFor(policy), ...facts.selectedBy(policy)]) {
    const problem = tried(policy, object, facts);
    if (problem !== undefined) return [problem];
  }
  return [];
}

function tried(policy: OverridePolicy, object: KubeObject, facts: AdmissionFacts): FieldProblem | undefined {
  if (excess(object, { bytes: Infinity, levels: OBJECT_BOUNDS.levels }) !== undefined) return undefined;
  const rendered = placeableKindOf(parseApiVersion(object.apiVersion).group, object.kind).render(object);
  const all = policy.spec.rules.map((rule, index): MatchedRule => ({ policy: nameOf(policy), index, rule }));
  // If all rules together pass, each part of them passes too.
  if (tooLarge(rendered, all) === undefined) return undefined;
  const rules = matchRules(object, [policy]);
  const together = new Set(facts.clusters.map((cluster) => rules.on(cluster)));
  const alone = all.map((rule) => [rule]);
  for (const some of [...[...together].slice(0, MOST_TRIED), ...alone]) {
    const problem = tooLarge(rendered, some);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function tooLarge(rendered: readonly KubeObject[], rules: readonly MatchedRule[]): FieldProblem | undefined {
  const { problem } = applyRules(rendered, rules);
  if (problem?.reason !== "TooLarge") return undefined;
  return {
    field: `spec.rules[${problem.rule}]`,
    message: `${problem.message}; ask for less in one policy`,
  };
}

function nameOf({ kind, metadata }: OverridePolicy): MatchedRule["policy"] {
  const { namespace, name } = metadata;
  return { kind, ...defined({ namespace }), name };
}

function examplesFor(policy: OverridePolicy): KubeObject[] {
  const { namespace = "default" } = policy.metadata;
  const selectsApplications = selectorsOf(policy as unknown as KubeObject).some(
    ({ apiVersion, kind }) => kind === "DemoApplication" && parseApiVersion(apiVersion).group === PAAS_GROUP,
  );
  if (!selectsApplications) return [];
  return [
    {
      apiVersion: `${PAAS_GROUP}/v1`,
      kind: "DemoApplication",
      metadata: { name: "example", namespace },
      spec: { replica: 1, image: "example", ports: [{ port: 80 }] },
    },
  ];
}
