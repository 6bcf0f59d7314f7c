import { isRecord } from "../../apis/index.ts";

/** Reading pods out of objects that nobody has validated: the types of fields may be other than expected. */

export type Fields = Readonly<Record<string, unknown>>;

/** Where a pod has its containers, of whatever sort. */
export const CONTAINER_FIELDS = ["initContainers", "containers", "ephemeralContainers"] as const;

/** The value as an object, or an empty one when it is something else. */
export function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The value as a list of objects; entries that are something else are left out. */
export function recordsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
