import type { Schema } from "../types.ts";

/** Schemas by the NAME of a `$ref: "#/definitions/NAME"`. */
export type Definitions = Readonly<Record<string, Schema>>;

export const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

const PREFIX = "#/definitions/";

/** The schema after following references; a schema without a reference is returned itself. */
export function resolved(schema: Schema, definitions: Definitions): Schema {
  let current = schema;
  for (;;) {
    const reference = current.$ref ?? onlyReference(current);
    if (reference === undefined) return current;
    const target = definitions[reference.startsWith(PREFIX) ? reference.slice(PREFIX.length) : reference];
    if (target === undefined) throw new Error(`the schema refers to ${reference}, which is not among its definitions`);
    current = target;
  }
}

/** True for schemas that the API server publishes, which are in `definitions`. Schemas of CRDs never are. */
export function isPublished(schema: Schema, definitions: Definitions): boolean {
  if (schema.$ref !== undefined || onlyReference(schema) !== undefined) return true;
  let published = publishedSchemas.get(definitions);
  if (published === undefined) {
    published = new WeakSet(Object.values(definitions));
    publishedSchemas.set(definitions, published);
  }
  return published.has(schema);
}

const publishedSchemas = new WeakMap<Definitions, WeakSet<Schema>>();

/** OpenAPI v3 writes a reference with a default or a description as `allOf` with one entry. */
function onlyReference(schema: Schema): string | undefined {
  return schema.allOf?.length === 1 && schema.type === undefined ? schema.allOf[0]?.$ref : undefined;
}

/** The schema of a map's values; undefined without one, as with `additionalProperties: true`. */
export function valueSchema(schema: Schema): Schema | undefined {
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** The schema of a named field, else of the map's values. */
export function fieldSchema(schema: Schema, field: string): Schema | undefined {
  return ownProperty(schema.properties, field) ?? valueSchema(schema);
}

/** The record's own property, because a field may be called `constructor`. */
export function ownProperty<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
