import { type DeclaredTemplate, defined, type KubeObject, refKey, refOf } from "../../apis/index.ts";
import { applyRules, type MatchedRule, type PolicyRef } from "../../override/index.ts";
import { fieldChanges } from "./fieldChanges.ts";
import { once } from "./once.ts";

export interface AppliedRule {
  policy: PolicyRef;
  rule: number;
  fields: readonly OverriddenField[];
  /** Why the rule failed. Its policy and all later ones then have no effect. */
  problem?: string;
}

export interface OverriddenField {
  /** The rendered kind; undefined for the replicas of the object as a whole. */
  kind?: string;
  /** `spec.template.spec.containers[name=web].image`; `replicas` */
  path: string;
  /** Undefined: the rule removes the field, or the value is secret. */
  value?: unknown;
  masked?: true;
  /** The last later policy that sets the same field and so wins. */
  overriddenBy?: PolicyRef;
}

/** Finds the fields that each rule sets, by applying the rules one after the other. Cached by the list of rules. */
export function appliedRules(
  base: readonly KubeObject[],
  templates?: readonly DeclaredTemplate[],
): (rules: readonly MatchedRule[]) => readonly AppliedRule[] {
  const known = new Map<readonly MatchedRule[], readonly AppliedRule[]>();
  return (rules) => once(known, rules, () => withLastWords(applyOneByOne(base, rules, templates)));
}

function applyOneByOne(
  base: readonly KubeObject[],
  rules: readonly MatchedRule[],
  templates: readonly DeclaredTemplate[] | undefined,
): AppliedRule[] {
  const applied: AppliedRule[] = [];
  let before = base;
  for (const [i, { policy, index, rule }] of rules.entries()) {
    const { objects, problem } = applyRules(base, rules.slice(0, i + 1), { templates });
    if (problem !== undefined) {
      applied.push({ policy, rule: index, fields: [], problem: problem.message });
      break;
    }
    const replicas = rule.replicas === undefined ? [] : [{ path: "replicas", value: rule.replicas }];
    applied.push({ policy, rule: index, fields: [...replicas, ...changesBetween(before, objects)] });
    before = objects;
  }
  return applied;
}

function changesBetween(before: readonly KubeObject[], after: readonly KubeObject[]): OverriddenField[] {
  const old = new Map(before.map((object) => [refKey(refOf(object)), object]));
  return after.flatMap((object) => {
    const previous = old.get(refKey(refOf(object)));
    if (previous === object) return [];
    return fieldChanges(previous, object).map(({ path, after: value, masked }): OverriddenField => ({
      kind: object.kind,
      path,
      ...defined({ value, masked }),
    }));
  });
}

function withLastWords(applied: readonly AppliedRule[]): AppliedRule[] {
  return applied.map((one, i) => ({
    ...one,
    fields: one.fields.map((field) => {
      const last = applied.slice(i + 1).findLast(({ fields }) => fields.some((later) => isSameField(later, field)));
      return last === undefined ? field : { ...field, overriddenBy: last.policy };
    }),
  }));
}

function isSameField(later: OverriddenField, field: OverriddenField): boolean {
  return later.kind === field.kind && isWithinField(field.path, later.path);
}

/** True if `path` is `whole` or lies within it: setting a value sets all its parts. */
export function isWithinField(path: string, whole: string): boolean {
  return path === whole || path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`);
}
