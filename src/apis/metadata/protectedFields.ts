import type { KubeObject } from "./meta.ts";
import { isRecord, sameValue, valueAt } from "../values/index.ts";
import { FEDERATION_GROUP } from "./wellknown.ts";

/** No override may change identity, owners, and what the server maintains. */
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

/** Meridian recognizes its objects by these labels and annotations. */
export function isReservedKey(key: string): boolean {
  return key.startsWith(`${FEDERATION_GROUP}/`);
}

/** JSON pointer of the first protected field, or of labels or annotations of Meridian's own, that differs. */
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
