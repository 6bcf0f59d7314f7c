import { isRecord, jsonType } from "../jsonType.ts";
import type { Schema } from "../types.ts";
import { type Definitions, isList, OBJECT_META, ownProperty, resolved, valueSchema } from "./references.ts";
import { parseRfc3339 } from "./time.ts";

/**
 * Error if the API server cannot decode a custom resource: a metadata field, of the object or of an embedded resource,
 * has a wrong type. The text follows `… cannot be handled as a KIND: ` (HTTP 400). Undefined if the object can be
 * decoded.
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
  return schema === undefined ? undefined : mismatch(metadata, schema, definitions, "metadata");
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
  const wrong = ["apiVersion", "kind"].find((key) => resource[key] !== undefined && typeof resource[key] !== "string");
  if (wrong !== undefined) return `${field}.${wrong} must be a string`;
  const why = metadataError(resource["metadata"], definitions);
  return why === undefined ? undefined : `${field}.${why}`;
}

/** Error if a value has another type than its field. */
function mismatch(value: unknown, reference: Schema, definitions: Definitions, path: string): string | undefined {
  if (value === null || value === undefined) return undefined;
  const said = (wanted: string) => `${path} must be ${wanted}, not ${jsonType(value)}`;
  if (reference.$ref?.endsWith(".Time") === true) {
    if (typeof value === "string" && parseRfc3339(value) !== undefined) return undefined;
    return said("a time");
  }
  const schema = resolved(reference, definitions);
  const values = valueSchema(schema);
  if (schema.properties !== undefined || values !== undefined) {
    if (!isRecord(value)) return said("an object");
    return first(Object.entries(value), ([key, child]) => {
      const next = schema.properties === undefined ? values : ownProperty(schema.properties, key);
      return next === undefined ? undefined : mismatch(child, next, definitions, `${path}.${key}`);
    });
  }
  const { items, type } = schema;
  if (items !== undefined) {
    if (!isList(value)) return said("a list");
    return first(value, (child) => mismatch(child, items, definitions, path));
  }
  const fits =
    type === "integer" ? Number.isInteger(value) : type === undefined || type === "object" || typeof value === type;
  return fits ? undefined : said(`a value of type ${type}`);
}

function first<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
