import type { Schema } from "../types.ts";
import { isRecord } from "../jsonType.ts";
import {
  type Definitions,
  isList,
  isPublished,
  OBJECT_META,
  ownProperty,
  resolved,
  valueSchema,
} from "./references.ts";

export interface Pruned<T> {
  value: T;
  /** Paths of the removed fields as the API server prints them: `spec.ports[0].x`. */
  unknown: string[];
}

/**
 * Removes fields that the schema does not know; unchanged parts are shared. A schema from `definitions` is a published
 * one, where an object without properties accepts anything. In a CRD's schema such an object accepts nothing, unless it
 * sets `x-kubernetes-preserve-unknown-fields`. The metadata of the object and of embedded resources has the server's
 * own schema.
 */
export function prune<T>(schema: Schema, definitions: Definitions, value: T): Pruned<T> {
  const pass = new Pass(definitions);
  const published = isPublished(schema, definitions);
  const pruned = pass.node(value, resolved(schema, definitions), {
    path: "",
    published,
    resource: true,
    keeps: false,
  });
  const own = published ? pass.unknown : pass.unknown.sort();
  return { value: pruned as T, unknown: [...pass.unknownRootMeta, ...own, ...pass.unknownMeta] };
}

/**
 * Prunes a part of an object by a part of a CRD's schema. Its apiVersion, kind and metadata stay only if it is a
 * resource.
 */
export function pruneValue(schema: Schema, value: unknown, resource: boolean): unknown {
  return new Pass({}).node(value, schema, { path: "", published: false, resource, keeps: false });
}

interface Place {
  path: string;
  published: boolean;
  /** The value is a resource: apiVersion, kind and metadata are allowed by any schema. */
  resource: boolean;
  /** Unknown fields stay; known ones are pruned. */
  keeps: boolean;
}

const META_FIELDS = new Set(["apiVersion", "kind", "metadata"]);

class Pass {
  readonly unknown: string[] = [];
  readonly unknownRootMeta: string[] = [];
  readonly unknownMeta: string[] = [];
  readonly #definitions: Definitions;

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  node(value: unknown, schema: Schema | undefined, place: Place, into = this.unknown): unknown {
    if (isList(value)) return this.#list(value, schema, place, into);
    if (isRecord(value)) return this.#object(value, schema, place, into);
    return value;
  }

  #list(list: readonly unknown[], schema: Schema | undefined, place: Place, into: string[]): readonly unknown[] {
    if (schema === undefined && (place.published || place.keeps)) return list;
    const keeps = keepsUnknown(schema, place);
    if (schema?.items === undefined && keeps) return list;
    let copy: unknown[] | undefined;
    for (const [index, item] of list.entries()) {
      const path = `${place.path}[${index}]`;
      const next =
        schema?.items === undefined
          ? this.node(item, undefined, { ...place, path, resource: false }, into)
          : this.#child(item, schema.items, { ...place, path, keeps }, into);
      if (next !== item) (copy ??= [...list])[index] = next;
    }
    return copy ?? list;
  }

  #object(
    object: Readonly<Record<string, unknown>>,
    schema: Schema | undefined,
    place: Place,
    into: string[],
  ): Readonly<Record<string, unknown>> {
    if (place.published && (schema === undefined || isOpen(schema))) return object;
    const resource = place.resource || schema?.["x-kubernetes-embedded-resource"] === true;
    const keeps = keepsUnknown(schema, place);
    let copy: Record<string, unknown> | undefined;
    for (const [key, value] of Object.entries(object)) {
      const path = place.path === "" ? key : `${place.path}.${key}`;
      let next = value;
      const known = schema === undefined ? undefined : (ownProperty(schema.properties, key) ?? valueSchema(schema));
      if (resource && META_FIELDS.has(key) && !place.published) {
        if (key === "metadata") next = this.#metadata(value, path, place.path === "");
      } else if (known !== undefined) {
        // A named field or a map value decides anew whether unknown fields stay.
        next = this.#child(value, known, { ...place, path, keeps: false }, into);
      } else if (schema?.additionalProperties !== undefined && !place.published) {
        // `additionalProperties: true` has no schema for the values, so objects inside lose all fields.
        next = this.node(value, undefined, { ...place, path, resource: false, keeps: false }, into);
      } else if (schema?.additionalProperties === true || keeps) {
        continue;
      } else {
        into.push(path);
        delete (copy ??= { ...object })[key];
        continue;
      }
      if (next !== value) (copy ??= { ...object })[key] = next;
    }
    return copy ?? object;
  }

  #child(value: unknown, schema: Schema, place: Place, into: string[]): unknown {
    const published = place.published || isPublished(schema, this.#definitions);
    return this.node(value, resolved(schema, this.#definitions), { ...place, published, resource: false }, into);
  }

  #metadata(value: unknown, path: string, root: boolean): unknown {
    const schema = this.#definitions[OBJECT_META];
    if (schema === undefined) return value;
    const place: Place = { path, published: true, resource: false, keeps: false };
    return this.node(value, schema, place, root ? this.unknownRootMeta : this.unknownMeta);
  }
}

/** `x-kubernetes-preserve-unknown-fields` of a list applies to the objects in it. */
function keepsUnknown(schema: Schema | undefined, place: Place): boolean {
  if (schema?.["x-kubernetes-preserve-unknown-fields"] === true) return true;
  return place.keeps && schema !== undefined;
}

/** Published schemas without fields: RawExtension, FieldsV1, JSON. */
function isOpen(schema: Schema): boolean {
  return schema.properties === undefined && schema.additionalProperties === undefined;
}
