import type { Schema } from "../types.ts";
import { invalid } from "./fieldErrors.ts";
import { type Definitions, isList, isRecord, OBJECT_META, ownProperty, resolved, valueSchema } from "./references.ts";
import { parseRfc3339 } from "./time.ts";

/**
 * Why the API server cannot even read a custom resource: its metadata, or that of a resource embedded in it, has a value of another type than the field.
 * The text follows `… cannot be handled as a KIND: ` (HTTP 400). Undefined when it can be read.
 */
export function decodeError(schema: Schema, definitions: Definitions, value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  return (
    metadataError(value["metadata"], definitions) ??
    embeddedError(resolved(schema, definitions), definitions, value, "")
  );
}

function metadataError(metadata: unknown, definitions: Definitions): string | undefined {
  const schema = definitions[OBJECT_META];
  return schema === undefined ? undefined : mismatch(metadata, schema, { definitions, struct: "", path: "" });
}

function embeddedError(schema: Schema, definitions: Definitions, value: unknown, field: string): string | undefined {
  if (isList(value)) {
    const { items } = schema;
    if (items === undefined) return undefined;
    return first(value.entries(), ([index, item]) =>
      embeddedError(resolved(items, definitions), definitions, item, `${field}[${index}]`),
    );
  }
  if (!isRecord(value)) return undefined;
  const own = schema["x-kubernetes-embedded-resource"] === true ? resourceError(value, definitions, field) : undefined;
  if (own !== undefined) return own;
  const values = valueSchema(schema);
  return first(Object.entries(value), ([key, child]) => {
    const named = ownProperty(schema.properties, key);
    const next = named ?? values;
    if (next === undefined) return undefined;
    const path = named === undefined ? `${field}[${key}]` : field === "" ? key : `${field}.${key}`;
    return embeddedError(resolved(next, definitions), definitions, child, path);
  });
}

function resourceError(
  resource: Readonly<Record<string, unknown>>,
  definitions: Definitions,
  field: string,
): string | undefined {
  const said = (key: string, why: string) => {
    const at = `${field}.${key}`;
    return `${at}: ${invalid(at, resource[key], why).message}`;
  };
  for (const key of ["apiVersion", "kind"]) {
    if (resource[key] !== undefined && typeof resource[key] !== "string") return said(key, "must be a string");
  }
  const wrong = metadataError(resource["metadata"], definitions);
  return wrong === undefined ? undefined : said("metadata", wrong);
}

interface Place {
  definitions: Definitions;
  /** The struct of Go, and the fields that led to the value. */
  struct: string;
  path: string;
}

/** As Go's JSON decoder tells that a value has another type than its field. */
function mismatch(value: unknown, reference: Schema, place: Place): string | undefined {
  if (value === null || value === undefined) return undefined;
  const { definitions } = place;
  const name = reference.$ref?.split(".").at(-1) ?? (place.path === "" ? "ObjectMeta" : undefined);
  if (name === "Time") return timeError(value, place);
  const schema = resolved(reference, definitions);
  if (schema.properties !== undefined) {
    if (!isRecord(value)) return said(value, place, `v1.${name ?? "Object"}`);
    return first(Object.entries(value), ([key, child]) => {
      const next = ownProperty(schema.properties, key);
      if (next === undefined) return undefined;
      const path = place.path === "" ? key : `${place.path}.${key}`;
      return mismatch(child, next, { definitions, struct: name ?? place.struct, path });
    });
  }
  const values = valueSchema(schema);
  if (values !== undefined) {
    if (!isRecord(value)) return said(value, place, `map[string]${goType(values, definitions)}`);
    return first(Object.values(value), (child) => mismatch(child, values, place));
  }
  const { items } = schema;
  if (items !== undefined) {
    if (!isList(value)) return said(value, place, `[]${goType(items, definitions)}`);
    return first(value, (child) => mismatch(child, items, place));
  }
  const fits =
    schema.type === "integer"
      ? Number.isInteger(value)
      : schema.type === undefined || schema.type === "object" || typeof value === schema.type;
  return fits ? undefined : said(value, place, goType(reference, definitions));
}

function timeError(value: unknown, place: Place): string | undefined {
  if (typeof value !== "string") return said(value, place, "string");
  if (parseRfc3339(value) !== undefined) return undefined;
  const layout = "2006-01-02T15:04:05Z07:00";
  return `parsing time ${JSON.stringify(value)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(value)} as "2006"`;
}

function said(value: unknown, { struct, path }: Place, type: string): string {
  const where = path === "" ? "value" : `struct field ${struct}.${path}`;
  return `json: cannot unmarshal ${jsonKind(value)} into Go ${where} of type ${type}`;
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "number" : `number ${value}`;
  return typeof value === "boolean" ? "bool" : typeof value;
}

function goType(reference: Schema, definitions: Definitions): string {
  const name = reference.$ref?.split(".").at(-1);
  if (name !== undefined) return `v1.${name}`;
  const { type, format } = resolved(reference, definitions);
  if (type === "integer") return format ?? "int64";
  return type === "boolean" ? "bool" : (type ?? "string");
}

function first<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
