import { defined, type OverrideRule } from "../apis/index.ts";
import type { MatchedRule, OverrideEffect, PatchName, PolicyRef } from "./types.ts";

const known = new WeakMap<readonly MatchedRule[], OverrideEffect>();

/**
 * Policies that still decide a setting, and those whose every setting a later policy sets again. Patches count as
 * settings of their own, since only the objects show their effect. The same value for the same list.
 */
export function effectOf(rules: readonly MatchedRule[]): OverrideEffect {
  let effect = known.get(rules);
  if (effect === undefined) known.set(rules, (effect = computeEffect(rules)));
  return effect;
}

function computeEffect(rules: readonly MatchedRule[]): OverrideEffect {
  /** Last policy by setting. */
  const last = new Map<string, PolicyRef>();
  const settings = new Map<PolicyRef, string[]>();
  const patches: PatchName[] = [];
  for (const [position, { policy, index, rule }] of rules.entries()) {
    const set = settingsOf(rule, position);
    for (const setting of set) last.set(setting, policy);
    settings.set(policy, [...(settings.get(policy) ?? []), ...set]);
    for (const [patch, { kind, op, path }] of (rule.patches ?? []).entries())
      if (op !== "test") patches.push({ policy, rule: index, patch, path, ...defined({ kind }) });
  }
  const policies: PolicyRef[] = [];
  const superseded: { policy: PolicyRef; by: PolicyRef }[] = [];
  for (const [policy, set] of settings) {
    const winners = new Set(set.flatMap((setting) => last.get(setting) ?? []));
    const [winner] = winners;
    if (winners.has(policy) || winner === undefined) policies.push(policy);
    else superseded.push({ policy, by: winner });
  }
  return { policies, superseded, patches };
}

/** Rules that share a name set the same setting, and the later wins; each patch list has its own name. */
function settingsOf(rule: OverrideRule, position: number): string[] {
  const { replicas, image = {}, command, args, env = [], labels = {}, annotations = {}, patches = [] } = rule;
  return [
    ...(replicas === undefined ? [] : ["replicas"]),
    ...Object.keys(image).map((part) => `image.${part === "digest" ? "tag" : part}`),
    ...(command === undefined ? [] : ["command"]),
    ...(args === undefined ? [] : ["args"]),
    ...env.map(({ name }) => `env.${name}`),
    ...Object.keys(labels).map((key) => `labels.${key}`),
    ...Object.keys(annotations).map((key) => `annotations.${key}`),
    ...(patches.length === 0 ? [] : [`patches.${position}`]),
  ];
}

/**
 * The last patch on an object of this kind whose path leads to a field that a member refuses, or lies within it.
 * `fields` have the form of API servers, such as `.spec.ports[0].nodePort`.
 */
export function blamedPatch(
  { patches }: Pick<OverrideEffect, "patches">,
  kind: string,
  fields: readonly string[],
): PatchName | undefined {
  const refused = fields.map(namesIn);
  return patches.findLast(
    (patch) => (patch.kind ?? kind) === kind && refused.some((names) => isWithin(names, namesOf(patch.path))),
  );
}

/** One path lies within the other. A refusal of `spec` as a whole does not blame a patch of a field below `spec`. */
function isWithin(refused: readonly string[], patched: readonly string[]): boolean {
  if (refused.length < Math.min(2, patched.length)) return false;
  const length = Math.min(refused.length, patched.length);
  return refused.slice(0, length).every((name, i) => name === patched[i]);
}

/** Field names of a JSON pointer, without list indexes: servers name an item by its key. */
function namesOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .filter((token) => token !== "-" && !/^\d+$/.test(token))
    .flatMap((token) => token.replaceAll("~1", "/").replaceAll("~0", "~").split("."))
    .map(inPlural);
}

function namesIn(field: string): string[] {
  return field
    .replaceAll(/\[[^[\]]*\]/g, "")
    .split(".")
    .filter((name) => name !== "")
    .map(inPlural);
}

/** A server with both fields for the address of a Service refuses `clusterIPs`, whichever of them was set. */
function inPlural(name: string): string {
  return name === "clusterIP" ? "clusterIPs" : name;
}
