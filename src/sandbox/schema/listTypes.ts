import type { FieldError, Schema } from "../types.ts";
import { duplicate, invalid } from "../fieldErrors.ts";
import { canonicalJson } from "../fields/values/canonicalJson.ts";
import { isRecord } from "../jsonType.ts";
import { type Definitions, isList, ownProperty, resolved, valueSchema } from "./references.ts";

/** Duplicate items in lists of type set or map; each duplicate is reported once. */
export function validateListTypes(schema: Schema, definitions: Definitions, value: unknown, field = ""): FieldError[] {
  if (isList(value)) {
    const errors =
      schema["x-kubernetes-list-type"] === "set"
        ? repeated(value).map((index) => duplicate(`${field}[${index}]`, value[index]))
        : schema["x-kubernetes-list-type"] === "map"
          ? repeatedKeys(schema, value, field)
          : [];
    if (schema.items === undefined) return errors;
    const items = resolved(schema.items, definitions);
    for (const [index, item] of value.entries()) {
      if (typeof item === "object") errors.push(...validateListTypes(items, definitions, item, `${field}[${index}]`));
    }
    return errors;
  }
  if (!isRecord(value)) return [];
  const errors: FieldError[] = [];
  const values = valueSchema(schema);
  for (const [key, child] of Object.entries(value)) {
    if (typeof child !== "object") continue;
    const named = ownProperty(schema.properties, key);
    const [next, path] =
      named === undefined ? [values, `${field}[${key}]`] : [named, field === "" ? key : `${field}.${key}`];
    if (next !== undefined) errors.push(...validateListTypes(resolved(next, definitions), definitions, child, path));
  }
  return errors;
}

function repeatedKeys(schema: Schema, list: readonly unknown[], field: string): FieldError[] {
  for (const [index, item] of list.entries()) {
    if (item === null || isRecord(item)) continue;
    return [invalid(`${field}[${index}]`, item, "must be an object for an array of list-type map")];
  }
  const names = schema["x-kubernetes-list-map-keys"] ?? [];
  const keys = list.map((item) => {
    const present = names.filter((name) => isRecord(item) && Object.hasOwn(item, name));
    return Object.fromEntries(present.map((name) => [name, (item as Record<string, unknown>)[name]]));
  });
  return repeated(keys).map((index) => duplicate(`${field}[${index}]`, keys[index]));
}

/** Indices of repeated values. */
function repeated(values: readonly unknown[]): number[] {
  const seen = new Map<string, number>();
  const again: number[] = [];
  for (const [index, value] of values.entries()) {
    const text = canonicalJson(value);
    const times = seen.get(text) ?? 0;
    if (times === 1) again.push(index);
    seen.set(text, times + 1);
  }
  return again;
}
