import { type KubeObject, refKey, refOf } from "../../apis/index.ts";
import { effectOf, type MatchedRule, type OverrideEffect, type PolicyRef } from "../../override/index.ts";
import { fieldChanges } from "./fieldChanges.ts";
import { isWithinField } from "./overrideFields.ts";

interface Share {
  policy: PolicyRef;
  fields: readonly { object: string; path: string }[];
}

/** {@link effectOf} without the policies whose changes later patches replace. `after`: objects after `count` rules. */
export function effectOn(
  rules: readonly MatchedRule[],
  after: (count: number) => readonly KubeObject[],
): OverrideEffect {
  const effect = effectOf(rules);
  const { policies, patches } = effect;
  const lastPatch = patches.at(-1)?.policy;
  // No policy patches after another one.
  if (lastPatch === undefined || policies.length < 2 || policies[0] === lastPatch) return effect;
  const shares = sharesOf(rules, after);
  const lost = policies.flatMap((policy) => {
    const by = winnerOver(policy, shares);
    return by === undefined ? [] : [{ policy, by }];
  });
  if (lost.length === 0) return effect;
  return {
    ...effect,
    policies: policies.filter((policy) => !lost.some((one) => one.policy === policy)),
    superseded: [...effect.superseded, ...lost],
  };
}

function sharesOf(rules: readonly MatchedRule[], after: (count: number) => readonly KubeObject[]): Share[] {
  const shares: Share[] = [];
  let before = after(0);
  for (const [index, { policy }] of rules.entries()) {
    if (rules[index + 1]?.policy === policy) continue;
    const objects = after(index + 1);
    shares.push({ policy, fields: fieldsBetween(before, objects) });
    before = objects;
  }
  return shares;
}

function fieldsBetween(before: readonly KubeObject[], after: readonly KubeObject[]): Share["fields"] {
  return after.flatMap((object, index) => {
    const was = before[index];
    if (was === object) return [];
    return fieldChanges(was, object).map(({ path }) => ({ object: refKey(refOf(object)), path }));
  });
}

/** The last of the policies that together change again all that `policy` changed; undefined if a change remains. */
function winnerOver(policy: PolicyRef, shares: readonly Share[]): PolicyRef | undefined {
  const at = shares.findIndex((share) => share.policy === policy);
  const { fields = [] } = shares[at] ?? {};
  const later = shares.slice(at + 1);
  const winners = new Set<PolicyRef>();
  for (const { object, path } of fields) {
    const winner = later.findLast((share) =>
      share.fields.some((field) => field.object === object && isWithinField(path, field.path)),
    );
    if (winner === undefined) return undefined;
    winners.add(winner.policy);
  }
  return later.findLast((share) => winners.has(share.policy))?.policy;
}
