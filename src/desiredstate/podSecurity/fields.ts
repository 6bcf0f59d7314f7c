import { isRecord } from "../../apis/index.ts";

/** Reads pods in unvalidated objects, whose fields may have unexpected types. */

export type Fields = Readonly<Record<string, unknown>>;

/** Fields of a pod spec that hold containers. */
export const CONTAINER_FIELDS = ["initContainers", "containers", "ephemeralContainers"] as const;

/** The value if it is an object, or else an empty object. */
export function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The objects in a list; other entries are left out, and other values give an empty list. */
export function recordsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
