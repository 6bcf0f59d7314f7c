import { defined, type OverrideRule } from "../apis/index.ts";
import type { MatchedRule, OverrideEffect, PatchName, PolicyRef } from "./types.ts";

const known = new WeakMap<readonly MatchedRule[], OverrideEffect>();

/**
 * What comes of the rules that apply on one cluster: which of their policies have a say in the result, and which have none, since later ones
 * set everything anew that they set, by the names of what they set. What patches do shows in objects alone. The same value for the same
 * list of rules.
 */
export function effectOf(rules: readonly MatchedRule[]): OverrideEffect {
  let effect = known.get(rules);
  if (effect === undefined) known.set(rules, (effect = computeEffect(rules)));
  return effect;
}

function computeEffect(rules: readonly MatchedRule[]): OverrideEffect {
  /** The policy that sets each setting last. */
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

/** Names for what a rule sets: two rules that have one in common set the same, and the later one wins. No two patches are alike. */
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
 * The patch that gave an object of that kind the field which a member refuses: the last of those whose path leads to the field, or lies within
 * it. Undefined when no patch did. `fields` are as servers write them, such as `.spec.ports[0].nodePort`.
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

/** One of the two lies within the other. That `spec` is refused as a whole says nothing about a field in it. */
function isWithin(refused: readonly string[], patched: readonly string[]): boolean {
  if (refused.length < Math.min(2, patched.length)) return false;
  const length = Math.min(refused.length, patched.length);
  return refused.slice(0, length).every((name, i) => name === patched[i]);
}

/** The names of the fields of a JSON pointer, without the places in lists: servers name an item by its key. */
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

/** A server that has two fields for the address of a Service refuses the newer one, whichever was set. */
function inPlural(name: string): string {
  return name === "clusterIP" ? "clusterIPs" : name;
}
