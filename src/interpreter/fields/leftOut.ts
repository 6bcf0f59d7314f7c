import { type FieldsV1, isLaterVersion, type KubeObject, parseApiVersion } from "../../apis/index.ts";
import { isUsers } from "./userFields.ts";
import { isFields } from "../values.ts";

export interface LeftOut {
  apiVersion: string;
  /** Paths as people write them: `spec.behavior`. Sorted. */
  fields: readonly string[];
}

/**
 * Fields that a person set in a later version of the kind, and that the version read here lacks. The server keeps them,
 * but a client of the earlier version loses them. An earlier version may have other names for its fields.
 */
export function fieldsLeftOut(object: KubeObject): LeftOut | undefined {
  const { group, version } = parseApiVersion(object.apiVersion);
  for (const entry of object.metadata.managedFields ?? []) {
    if (entry.apiVersion === undefined || entry.apiVersion === object.apiVersion) continue;
    const written = parseApiVersion(entry.apiVersion);
    if (written.group !== group || !isLaterVersion(written.version, version)) continue;
    if (!isUsers(entry) || entry.fieldsV1 === undefined) continue;
    const { "f:metadata": _metadata, "f:status": _status, ...content } = entry.fieldsV1;
    const fields = missingFrom(object, content, "");
    if (fields.length > 0) return { apiVersion: entry.apiVersion, fields: fields.toSorted() };
  }
  return undefined;
}

/** Topmost owned fields that the value lacks, except in lists. */
function missingFrom(value: unknown, owned: FieldsV1, path: string): string[] {
  if (!isFields(value)) return [];
  return Object.entries(owned).flatMap(([field, below]) => {
    if (!field.startsWith("f:")) return [];
    const key = field.slice(2);
    const at = path === "" ? key : `${path}.${key}`;
    return Object.hasOwn(value, key) ? missingFrom(value[key], below, at) : [at];
  });
}
