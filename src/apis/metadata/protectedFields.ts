import type { KubeObject } from "./meta.ts";
import { isRecord, sameValue, valueAt } from "../values/index.ts";
import { FEDERATION_GROUP } from "./wellknown.ts";

/** Paths of the fields that no override may change: what the object is called, whose it is, and what the server keeps of it. */
export const PROTECTED_FIELDS: readonly (readonly string[])[] = [
  ["apiVersion"],
  ["kind"],
  ["status"],
  ["metadata", "name"],
  ["metadata", "namespace"],
  ["metadata", "generateName"],
  ["metadata", "uid"],
  ["metadata", "resourceVersion"],
  ["metadata", "ownerReferences"],
  ["metadata", "finalizers"],
  ["metadata", "managedFields"],
];

/** Whether a label or an annotation is one of Meridian's own, by which it knows its objects again. */
export function isReservedKey(key: string): boolean {
  return key.startsWith(`${FEDERATION_GROUP}/`);
}

/**
 * JSON pointer of the first protected field in which the two differ: one of {@link PROTECTED_FIELDS}, or the labels or annotations when
 * one of Meridian's own was added, changed or removed. Undefined when all of them are the same.
 */
export function protectedChange(before: KubeObject, after: unknown): string | undefined {
  for (const path of PROTECTED_FIELDS) {
    if (!sameValue(valueAt(before, path), valueAt(after, path))) return `/${path.join("/")}`;
  }
  for (const field of ["labels", "annotations"]) {
    const path = ["metadata", field];
    const [was, is] = [valueAt(before, path), valueAt(after, path)];
    if (was !== is && !sameValue(reserved(was), reserved(is))) return `/metadata/${field}`;
  }
  return undefined;
}

function reserved(entries: unknown): Record<string, unknown> {
  if (!isRecord(entries)) return {};
  return Object.fromEntries(Object.entries(entries).filter(([key]) => isReservedKey(key)));
}
