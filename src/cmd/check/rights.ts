import type { PolicyRule } from "../workload/index.ts";

/** Rights in rules of RBAC. Pure. */

type Rule = Pick<PolicyRule, "apiGroups" | "resources" | "verbs">;

/** Rights of `wanted` that `granted` does not have, one text for each resource: `create, patch deployments.apps`. */
export function missingRights(wanted: readonly Rule[], granted: readonly PolicyRule[]): string[] {
  const missing = new Map<string, string[]>();
  // A rule for named objects grants nothing for the objects that are still to be made.
  const general = granted.filter(({ resourceNames = [] }) => resourceNames.length === 0);
  for (const { apiGroups, resources, verbs } of wanted)
    for (const group of apiGroups)
      for (const resource of resources)
        for (const verb of verbs) {
          if (general.some((rule) => grants(rule, group, resource, verb))) continue;
          const name = `${resource}${group === "" ? "" : `.${group}`}`;
          missing.set(name, [...(missing.get(name) ?? []), verb]);
        }
  return [...missing].map(([name, list]) => `${list.join(", ")} ${name}`);
}

function grants({ apiGroups, resources, verbs }: Rule, group: string, resource: string, verb: string): boolean {
  const has = (list: readonly string[], one: string): boolean => list.includes(one) || list.includes("*");
  return has(apiGroups, group) && has(verbs, verb) && has(resources, resource);
}
