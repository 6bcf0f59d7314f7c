import { dns1035Label, nameIsPathSegment } from "../kinds/names.ts";
import { validateObjectMeta } from "../kinds/objectMeta.ts";
import type { FieldError, KubeObject, Schema } from "../types.ts";
import { invalid, required } from "../fieldErrors.ts";
import { isRecord } from "../jsonType.ts";
import { type Definitions, isList, ownProperty, resolved, valueSchema } from "./references.ts";

/** Errors in the apiVersion, kind and metadata of embedded resources. */
export function validateEmbedded(schema: Schema, definitions: Definitions, value: unknown, field = ""): FieldError[] {
  if (isList(value)) {
    if (schema.items === undefined) return [];
    const items = resolved(schema.items, definitions);
    return value.flatMap((item, index) => validateEmbedded(items, definitions, item, `${field}[${index}]`));
  }
  if (!isRecord(value)) return [];
  const errors = schema["x-kubernetes-embedded-resource"] === true ? validateResource(value, field) : [];
  const values = valueSchema(schema);
  for (const [key, child] of Object.entries(value)) {
    if (typeof child !== "object") continue;
    const named = ownProperty(schema.properties, key);
    const [next, path] = named === undefined ? [values, `${field}[${key}]`] : [named, below(field, key)];
    if (next !== undefined) errors.push(...validateEmbedded(resolved(next, definitions), definitions, child, path));
  }
  return errors;
}

/** Validates one embedded resource by the rules of every object, except that the name may be missing. */
export function validateResource(resource: Readonly<Record<string, unknown>>, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ["apiVersion", "kind"]) {
    if (!Object.hasOwn(resource, key)) errors.push(required(below(field, key)));
  }
  const { apiVersion, kind, metadata } = resource;
  if (apiVersion !== undefined) errors.push(...validateApiVersion(apiVersion, below(field, "apiVersion")));
  if (kind !== undefined) errors.push(...validateKind(kind, below(field, "kind")));
  if (isRecord(metadata)) {
    const named = { ...metadata, name: (metadata["name"] as string | undefined) || "fakename" };
    const object = { apiVersion: "", kind: "", metadata: named } as KubeObject;
    const namespaced = typeof metadata["namespace"] === "string" && metadata["namespace"] !== "";
    errors.push(...validateObjectMeta(object, { namespaced, name: nameIsPathSegment }, below(field, "metadata")));
  }
  return errors;
}

function validateApiVersion(value: unknown, field: string): FieldError[] {
  if (typeof value !== "string") return [invalid(field, value, "must be a string")];
  if (value === "") return [invalid(field, value, "must not be empty")];
  if (value.split("/").length > 2) return [invalid(field, value, `unexpected GroupVersion string: ${value}`)];
  return [];
}

function validateKind(value: unknown, field: string): FieldError[] {
  if (typeof value !== "string") return [invalid(field, value, "must be a string")];
  if (value === "") return [invalid(field, value, "must not be empty")];
  const wrong = dns1035Label(value.toLowerCase());
  const detail = `may have mixed case, but should otherwise match: ${wrong.join(",")}`;
  return wrong.length === 0 ? [] : [invalid(field, value, detail)];
}

function below(field: string, name: string): string {
  return field === "" ? name : `${field}.${name}`;
}
