import type { ManagedFieldsEntry } from "../../apis/index.ts";
import type { KubeObject } from "../types.ts";
import { equalValues } from "./values/index.ts";

/**
 * The last step of every update before storage. If only times of managedFields changed (an apply of `0.5`, stored as
 * `500m`), the old times return and the write is a no-op. `next` must be in its stored form, with the resourceVersion
 * of `live`.
 */
export function keepTimesOfNoChange(live: KubeObject, next: KubeObject): KubeObject {
  const before = live.metadata.managedFields;
  const after = next.metadata.managedFields;
  if (before === after || before === undefined || after === undefined) return next;
  if (before.length !== after.length || before.length === 0) return next;
  const same = after.every((entry, i) => equalButForTime(entry, before[i] as ManagedFieldsEntry));
  if (!same) return next;
  const kept = { ...next, metadata: { ...next.metadata, managedFields: before } };
  return equalValues(kept, live) ? kept : next;
}

function equalButForTime(a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean {
  const { time: _a, ...left } = a;
  const { time: _b, ...right } = b;
  return equalValues(left, right);
}
