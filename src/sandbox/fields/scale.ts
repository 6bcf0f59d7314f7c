import type { ManagedFieldsEntry } from "../../apis/index.ts";
import { difference, has, isEmpty, Managers, type Owned, setOf } from "./sets/index.ts";

/**
 * The scale subresource shows one field of its parent under another name, and so do its managedFields. Like a server it is careless with times: what came in
 * by scale has none.
 */
const SCALE_VERSION = "autoscaling/v1";
const SCALE_PATH = ["f:spec", "f:replicas"];

/** Where the replicas of the parent stand in each of its versions (`.spec.replicas`, by `apps/v1`); undefined for a version without scale. */
export type ReplicasPaths = Readonly<Record<string, string | undefined>>;

/** The managedFields of a Scale: those entries of its parent that own the replicas. */
export function scaleManagedFields(
  parent: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const scale = new Managers();
  for (const [id, owned] of Managers.from(parent ?? []).entries()) {
    const path = elementsOf(paths[owned.apiVersion]);
    if (path === undefined || !has(owned.set, path)) continue;
    scale.set(id, { ...owned, apiVersion: SCALE_VERSION, set: setOf(SCALE_PATH) });
  }
  return scale.encode(undefined);
}

/** The managedFields of the parent (written in `apiVersion`) after its Scale has been written, which now has the managedFields `scale`. */
export function parentManagedFields(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const result = new Managers();
  const before = Managers.from(parent ?? []);
  // An updater's identity holds its version, so that of the entries by scale is never one of the parent's own.
  const left = Managers.from(scale ?? []);
  for (const [id, owned] of before.entries()) {
    if (!(owned.apiVersion in paths)) continue;
    const path = elementsOf(paths[owned.apiVersion]);
    if (path === undefined || !has(owned.set, path)) {
      result.set(id, owned);
    } else if (left.get(id) !== undefined) {
      result.set(id, owned);
      left.delete(id);
    } else {
      const set = difference(owned.set, setOf(path));
      if (!isEmpty(set)) result.set(id, { ...owned, set });
    }
  }
  const path = elementsOf(paths[apiVersion]) ?? SCALE_PATH;
  for (const [id, owned] of left.entries()) {
    if (!has(owned.set, SCALE_PATH)) continue;
    const { time: _, ...entry } = owned;
    const moved: Owned = { ...entry, apiVersion, set: setOf(path) };
    const time = before.get(id)?.time;
    result.set(id, time === undefined ? moved : { ...moved, time });
  }
  return result.encode(parent);
}

function elementsOf(path: string | undefined): string[] | undefined {
  return path
    ?.split(".")
    .filter((name) => name !== "")
    .map((name) => `f:${name}`);
}
