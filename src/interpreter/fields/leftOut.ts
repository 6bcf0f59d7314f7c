import { type FieldsV1, isLaterVersion, type KubeObject, parseApiVersion } from "../../apis/index.ts";
import { isUsers } from "./userFields.ts";
import { isFields } from "../values.ts";

/** Fields that are not sent, and the apiVersion that has them. */
export interface LeftOut {
  apiVersion: string;
  /** Paths as people write them: `spec.behavior`. Sorted. */
  fields: readonly string[];
}

/**
 * Fields that a person set in a later version of the kind, and that the version read here does not have. The server
 * keeps such fields, but a client that reads and writes the earlier version loses them. Only later versions are
 * compared, since an earlier version may have other names for its fields.
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

/** Topmost owned fields that the value lacks. Items of lists are not examined. */
function missingFrom(value: unknown, owned: FieldsV1, path: string): string[] {
  if (!isFields(value)) return [];
  return Object.entries(owned).flatMap(([field, below]) => {
    if (!field.startsWith("f:")) return [];
    const key = field.slice(2);
    const at = path === "" ? key : `${path}.${key}`;
    return Object.hasOwn(value, key) ? missingFrom(value[key], below, at) : [at];
  });
}
