import { type KubeObject, valueAt } from "../../apis/index.ts";
import type { Health, ReplicaPaths } from "../types.ts";
import { numberOf, withValueAt } from "../values.ts";

/** Where objects keep how many replicas they ask for, and how many they have. */

/** What stands at that path; undefined where there is no whole number. */
export function replicasAt(object: KubeObject, path: readonly string[]): number | undefined {
  const value = numberOf(valueAt(object, path));
  return value !== undefined && Number.isInteger(value) && value >= 0 ? value : undefined;
}

/** A copy with that many replicas at that path; parts of the path that are missing are made. */
export function withReplicasAt(object: KubeObject, path: readonly string[], replicas: number): KubeObject {
  return withValueAt(object, path, replicas) as KubeObject;
}

/** `.spec.replicas` of a CRD, or `spec.replicas` of a policy, as names of fields; undefined where it is neither. */
export function replicaPath(text: unknown): readonly string[] | undefined {
  if (typeof text !== "string") return undefined;
  const names = text.replace(/^\./, "").split(".");
  return names.length > 1 && names.every((name) => /^[\w-]+$/.test(name)) ? names : undefined;
}

/**
 * The health of a member object with the counts that its scale subresource gives, where the rule of its kind knows none. A scale subresource
 * counts the replicas that there are once: they stand for those that are updated, ready and available.
 */
export function withCounts(health: Health, object: KubeObject, paths: ReplicaPaths | undefined): Health {
  if (paths === undefined || health.replicas !== undefined) return health;
  const desired = replicasAt(object, paths.spec);
  if (desired === undefined) return health;
  const seen = paths.status === undefined ? 0 : (replicasAt(object, paths.status) ?? 0);
  return { ...health, replicas: { desired, updated: seen, ready: seen, available: seen } };
}
