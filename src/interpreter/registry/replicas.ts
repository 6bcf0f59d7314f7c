import { type KubeObject, valueAt } from "../../apis/index.ts";
import type { Health, ReplicaPaths } from "../types.ts";
import { numberOf, withValueAt } from "../values.ts";

/** Paths of the requested and of the present replicas in objects. */

/** Whole number at the path; undefined if there is none. */
export function replicasAt(object: KubeObject, path: readonly string[]): number | undefined {
  const value = numberOf(valueAt(object, path));
  return value !== undefined && Number.isInteger(value) && value >= 0 ? value : undefined;
}

/** Copy with this number of replicas at the path; missing parts of the path are made. */
export function withReplicasAt(object: KubeObject, path: readonly string[], replicas: number): KubeObject {
  return withValueAt(object, path, replicas) as KubeObject;
}

/** Field names in `.spec.replicas` of a CRD, or in `spec.replicas` of a policy; undefined for other text. */
export function replicaPath(text: unknown): readonly string[] | undefined {
  if (typeof text !== "string") return undefined;
  const names = text.replace(/^\./, "").split(".");
  return names.length > 1 && names.every((name) => /^[\w-]+$/.test(name)) ? names : undefined;
}

/**
 * Adds the counts of the scale subresource, if the rule of the kind gives none. Its one count of present replicas
 * stands for those updated, ready and available.
 */
export function withCounts(health: Health, object: KubeObject, paths: ReplicaPaths | undefined): Health {
  if (paths === undefined || health.replicas !== undefined) return health;
  const desired = replicasAt(object, paths.spec);
  if (desired === undefined) return health;
  const seen = paths.status === undefined ? 0 : (replicasAt(object, paths.status) ?? 0);
  return { ...health, replicas: { desired, updated: seen, ready: seen, available: seen } };
}
