import type { KubeObject, LocalClient, ResourceName } from "../types.ts";
import { StatusError } from "../statusError.ts";
import { matchesSelector } from "../labelSelectors.ts";
import { type PolicyRule, RBAC_GROUP, rulesOf, selectorsOf } from "./types.ts";

const CLUSTER_ROLES: ResourceName = { group: RBAC_GROUP, plural: "clusterroles" };

/**
 * The rules that a role aggregates, in the order of selectors and role names, without duplicates; undefined for a role
 * without aggregation.
 */
export function aggregatedRules(role: KubeObject, others: readonly KubeObject[]): PolicyRule[] | undefined {
  const selectors = selectorsOf(role);
  if (selectors === undefined) return undefined;
  const byName = [...others].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules = new Map<string, PolicyRule>();
  for (const selector of selectors) {
    for (const other of byName) {
      if (other.metadata.name === role.metadata.name || !matchesSelector(selector, other.metadata.labels)) continue;
      for (const rule of rulesOf(other)) {
        const key = JSON.stringify(rule);
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  return [...rules.values()];
}

/**
 * Keeps the rules of aggregated ClusterRoles (admin, edit, view…) up to date until disposed. Failures go to `onError`,
 * except those that another event repairs.
 */
export function startAggregation(client: LocalClient, onError: (error: unknown) => void): Disposable {
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  const run = async () => {
    do {
      again = false;
      await aggregateAll(client, onError);
    } while (again && !stopped);
    running = undefined;
  };
  const subscription = client.onEvent(CLUSTER_ROLES, () => {
    again = true;
    // Runs later, because the writer still waits for its answer. Many changes at once cause one run.
    running ??= Promise.resolve().then(run);
  });
  return {
    [Symbol.dispose]() {
      stopped = true;
      subscription[Symbol.dispose]();
    },
  };
}

async function aggregateAll(client: LocalClient, onError: (error: unknown) => void): Promise<void> {
  const roles = client.list(CLUSTER_ROLES);
  for (const role of roles) {
    const rules = aggregatedRules(role, roles);
    if (rules === undefined || JSON.stringify(rules) === JSON.stringify(rulesOf(role))) continue;
    try {
      await client.update(CLUSTER_ROLES, { ...role, rules });
    } catch (error) {
      // A conflicting change is an event too, and causes another run.
      if (!(error instanceof StatusError && (error.code === 409 || error.code === 404))) onError(error);
    }
  }
}
