import type { Attributes, PolicyRule } from "./types.ts";

/** True if the rule allows the request. */
export function ruleAllows(rule: PolicyRule, asked: Attributes): boolean {
  if (!has(rule.verbs, asked.verb)) return false;
  if (asked.kind === "NonResource") return (rule.nonResourceURLs ?? []).some((url) => urlCovers(url, asked.path));
  return (
    has(rule.apiGroups, asked.group) &&
    resourceMatches(rule, asked.resource, asked.subresource) &&
    nameMatches(rule, asked.name)
  );
}

function has(values: readonly string[] | undefined, wanted: string): boolean {
  return values !== undefined && (values.includes("*") || values.includes(wanted));
}

function resourceMatches({ resources = [] }: PolicyRule, resource: string, subresource: string | undefined): boolean {
  if (subresource === undefined) return resources.includes("*") || resources.includes(resource);
  return (
    resources.includes("*") ||
    resources.includes(`${resource}/${subresource}`) ||
    resources.includes(`*/${subresource}`)
  );
}

/** A rule with resource names covers no request without a name, such as a list or a create. */
function nameMatches({ resourceNames = [] }: PolicyRule, name: string | undefined): boolean {
  return resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
}

function urlCovers(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, ""));
}

/** Splits a rule into rules for one verb on one resource (and name) or one URL. */
export function breakDown(rule: PolicyRule): PolicyRule[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const parts: PolicyRule[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) parts.push(part);
        else parts.push(...resourceNames.map((name) => ({ ...part, resourceNames: [name] })));
      }
    }
  }
  for (const url of nonResourceURLs) parts.push(...verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })));
  return parts;
}

/** The broken-down parts of `wanted` that no rule of `held` covers. */
export function missing(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((part) => !held.some((rule) => covers(rule, part)));
}

function covers(rule: PolicyRule, part: PolicyRule): boolean {
  const names = rule.resourceNames ?? [];
  return (
    hasAll(rule.verbs, part.verbs) &&
    hasAll(rule.apiGroups, part.apiGroups) &&
    (part.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
    (part.nonResourceURLs ?? []).every((url) =>
      (rule.nonResourceURLs ?? []).some((pattern) => urlCovers(pattern, url)),
    ) &&
    (names.length === 0 || ((part.resourceNames ?? []).length > 0 && hasAll(names, part.resourceNames, false)))
  );
}

function hasAll(values: readonly string[] = [], wanted: readonly string[] = [], star = true): boolean {
  return (star && values.includes("*")) || wanted.every((value) => values.includes(value));
}

function coversResource(resources: readonly string[], wanted: string): boolean {
  if (resources.includes("*") || resources.includes(wanted)) return true;
  const slash = wanted.indexOf("/");
  return slash > 0 && resources.includes(`*${wanted.slice(slash)}`);
}

/** Joins broken-down rules that differ only in their verb. */
export function compact(parts: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  const rest: PolicyRule[] = [];
  for (const part of parts) {
    if (part.nonResourceURLs !== undefined) {
      rest.push(part);
      continue;
    }
    const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames]);
    const known = joined.get(key);
    joined.set(key, known === undefined ? part : { ...known, verbs: [...(known.verbs ?? []), ...(part.verbs ?? [])] });
  }
  return [...joined.values(), ...rest];
}

/** A rule as refusals print it: `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`. */
export function describeRule(rule: PolicyRule): string {
  const parts = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ] as const;
  const texts = parts.flatMap(([name, values]) =>
    values === undefined || values.length === 0 ? [] : [`${name}:${quoteAll(values)}`],
  );
  return `{${texts.join(", ")}}`;
}

/** `["a" "b"]`, as Go prints a list of quoted strings. */
export function quoteAll(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}
