import { deepFreeze } from "../freeze.ts";
import type { Schema } from "../types.ts";
import { isRecord } from "../jsonType.ts";
import { type Definitions, fieldSchema, isList, resolved } from "./references.ts";

/**
 * The value with the schema's defaults, where a field is missing or has a null that the schema does not allow. A
 * forbidden null without a default is removed. Unchanged parts are shared with the argument; the defaults are shared
 * too, and frozen.
 */
export function withDefaults<T>(schema: Schema, definitions: Definitions, value: T): T {
  return filled(resolved(schema, definitions), definitions, value) as T;
}

function filled(schema: Schema | undefined, definitions: Definitions, value: unknown): unknown {
  if (schema === undefined) return value;
  if (isList(value)) return filledList(schema, definitions, value);
  if (isRecord(value)) return filledObject(schema, definitions, value);
  return value;
}

function filledList(schema: Schema, definitions: Definitions, list: readonly unknown[]): readonly unknown[] {
  if (schema.items === undefined) return list;
  const items = resolved(schema.items, definitions);
  const byDefault = defaultOf(schema.items, items);
  let copy: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const given = item === null && byDefault !== undefined && items.nullable !== true ? byDefault : item;
    const next = filled(items, definitions, given);
    if (next !== item) (copy ??= [...list])[index] = next;
  }
  return copy ?? list;
}

function filledObject(
  schema: Schema,
  definitions: Definitions,
  object: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  let copy: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(object)) {
    const reference = fieldSchema(schema, key);
    if (reference === undefined) continue;
    const field = resolved(reference, definitions);
    if (value === null) {
      if (field.nullable === true || reference.nullable === true) continue;
      copy ??= { ...object };
      const byDefault = defaultOf(reference, field);
      if (byDefault === undefined) delete copy[key];
      else copy[key] = filled(field, definitions, byDefault);
      continue;
    }
    const next = filled(field, definitions, value);
    if (next !== value) (copy ??= { ...object })[key] = next;
  }
  for (const [key, reference] of defaultedFields(schema, definitions)) {
    if (Object.hasOwn(object, key)) continue;
    const field = resolved(reference, definitions);
    (copy ??= { ...object })[key] = filled(field, definitions, defaultOf(reference, field));
  }
  return copy ?? object;
}

/** The default beside a `$ref` wins over the default of the referenced schema. */
function defaultOf(reference: Schema, target: Schema): unknown {
  const schema = hasDefault(reference) ? reference : target;
  return hasDefault(schema) ? deepFreeze(schema.default) : undefined;
}

function hasDefault(schema: Schema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

const fieldsWithDefault = new WeakMap<Schema, readonly (readonly [string, Schema])[]>();

function defaultedFields(schema: Schema, definitions: Definitions): readonly (readonly [string, Schema])[] {
  let fields = fieldsWithDefault.get(schema);
  if (fields === undefined) {
    fields = Object.entries(schema.properties ?? {}).filter(
      ([, field]) => hasDefault(field) || hasDefault(resolved(field, definitions)),
    );
    fieldsWithDefault.set(schema, fields);
  }
  return fields;
}
