import type { ManagedFieldsEntry } from "../../apis/index.ts";
import { difference, has, isEmpty, Managers, type Owned, setOf } from "./sets/index.ts";

/**
 * The scale subresource and its managedFields show one field of the parent under another name. As on a server, entries
 * written through scale have no time.
 */
const SCALE_VERSION = "autoscaling/v1";
const SCALE_PATH = ["f:spec", "f:replicas"];

/** Path of the parent's replicas by version (`.spec.replicas` for `apps/v1`); undefined for a version without scale. */
export type ReplicasPaths = Readonly<Record<string, string | undefined>>;

/** The managedFields of a Scale: the parent's entries that own the replicas. */
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

/**
 * The managedFields of the parent (in `apiVersion`) after a write of its Scale; `scale`: the managedFields of that
 * Scale.
 */
export function parentManagedFields(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const result = new Managers();
  const before = Managers.from(parent ?? []);
  // An updater's identity holds its version, so an entry written through scale never equals an entry of the parent.
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
