import { type FieldsV1, isLaterVersion, type KubeObject, parseApiVersion } from "../../apis/index.ts";
import { isUsers } from "./userFields.ts";
import { isFields } from "../values.ts";

/** Fields that are not sent, and the apiVersion that has them. */
export interface LeftOut {
  apiVersion: string;
  /** As a person writes them: `spec.behavior`. Sorted. */
  fields: readonly string[];
}

/**
 * What a person set in a later version of the kind, and what the version in which the object is read does not have. The server keeps such fields, and
 * whoever reads and writes the earlier version loses them. An earlier version may call its fields otherwise; so only later ones are compared.
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

/** The topmost owned fields that the value does not have. Items of lists are not looked into. */
function missingFrom(value: unknown, owned: FieldsV1, path: string): string[] {
  if (!isFields(value)) return [];
  return Object.entries(owned).flatMap(([field, below]) => {
    if (!field.startsWith("f:")) return [];
    const key = field.slice(2);
    const at = path === "" ? key : `${path}.${key}`;
    return Object.hasOwn(value, key) ? missingFrom(value[key], below, at) : [at];
  });
}
