import { FIELD_MANAGER, isRecord, type KubeObject, type ManagedFieldsEntry } from "../apis/index.ts";
import type { LostField } from "../interpreter/index.ts";

export interface PatchOperation {
  op: "test" | "replace" | "add";
  path: string;
  value: unknown;
}

/**
 * The lists of the desired object in which drift took something, as operations that put the whole list back. An apply merges keyed
 * lists: when somebody gave one of our ports another number, the merge holds both, and the server refuses the pair for a name or a
 * nodePort that occurs twice. Then only the whole list heals it.
 */
export function listRepairs(drift: readonly LostField[], desired: KubeObject): PatchOperation[] {
  const repairs = new Map<string, PatchOperation>();
  for (const { path } of drift) {
    const steps = (path.split("[", 1)[0] ?? "").split(".");
    const value = steps.reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), desired);
    if (!Array.isArray(value)) continue;
    const pointer = `/${steps.join("/")}`;
    repairs.set(pointer, { op: "replace", path: pointer, value });
  }
  return [...repairs.values()];
}

/**
 * The operations that take the `Update` entry, which the repair left, out of `managedFields`: its fields would otherwise outlive their
 * removal from the desired object. Undefined when there is no such entry.
 */
export function withoutUpdateEntry(object: KubeObject): PatchOperation[] | undefined {
  const entries = object.metadata.managedFields ?? [];
  const kept = entries.filter((entry) => !isOurUpdate(entry));
  if (kept.length === entries.length) return undefined;
  return [
    { op: "test", path: "/metadata/resourceVersion", value: object.metadata.resourceVersion },
    { op: "replace", path: "/metadata/managedFields", value: kept },
  ];
}

function isOurUpdate(entry: ManagedFieldsEntry): boolean {
  return entry.manager === FIELD_MANAGER && entry.operation === "Update" && entry.subresource === undefined;
}
