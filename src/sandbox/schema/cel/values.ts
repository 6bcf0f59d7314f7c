import type { Schema } from "../../types.ts";
import { isRecord } from "../../jsonType.ts";
import { isList, valueSchema } from "../references.ts";
import { parseDurationFormat } from "../time.ts";
import { durationOf, evaluationError } from "./library.ts";

/**
 * JSON values as CEL sees them by their schema. Objects are converted lazily, because a rule reads few of their fields.
 */

/** A declared object type: the expression name and the schema of each field. */
export interface ObjectType {
  name: string;
  fields: ReadonlyMap<string, { property: string; schema: Schema; type: string }>;
  /** The name of a property in expressions; undefined for a property that expressions cannot see. */
  nameOf(property: string): string | undefined;
  valueClass: new (raw: Readonly<Record<string, unknown>>, type: ObjectType, types: ObjectTypes) => CelObject;
}

/** The types declared by a schema. */
export interface ObjectTypes {
  /** Undefined unless the schema is an object with fields. */
  objectType(schema: Schema): ObjectType | undefined;
}

/** How a list of type set or map compares its items. */
export interface ListKind {
  type: "set" | "map";
  /** The key of an item in a list of type map, as one text. */
  keyOf: (item: unknown) => unknown;
  marked: (list: unknown[]) => unknown[];
}

const listKinds = new WeakMap<object, ListKind>();

/** Undefined for an atomic list, and for a list made by an expression. */
export function listKind(list: readonly unknown[]): ListKind | undefined {
  return listKinds.get(list);
}

/** An object with declared fields. Each declared type has its own class with one property per field. */
export class CelObject {
  readonly #raw: Readonly<Record<string, unknown>>;
  readonly #type: ObjectType;
  readonly #types: ObjectTypes;
  readonly #converted = new Map<string, unknown>();

  constructor(raw: Readonly<Record<string, unknown>>, type: ObjectType, types: ObjectTypes) {
    this.#raw = raw;
    this.#type = type;
    this.#types = types;
  }

  /** Undefined for an absent or null field. */
  field(name: string): unknown {
    const known = this.#converted.get(name);
    if (known !== undefined) return known;
    const field = this.#type.fields.get(name);
    if (field === undefined || !Object.hasOwn(this.#raw, field.property)) return undefined;
    const raw = this.#raw[field.property];
    if (raw === null || raw === undefined) return undefined;
    const value = celValue(raw, field.schema, this.#types);
    this.#converted.set(name, value);
    return value;
  }

  equals(other: CelObject, equal: (a: unknown, b: unknown) => boolean): boolean {
    const keys = new Set([...Object.keys(this.#raw), ...Object.keys(other.#raw)]);
    for (const key of keys) {
      const name = this.#type.nameOf(key);
      const [mine, theirs] =
        name === undefined ? [this.#raw[key], other.#raw[key]] : [this.field(name), other.field(name)];
      if (!equal(mine ?? undefined, theirs ?? undefined)) return false;
    }
    return true;
  }

  /** The raw value of a property by its name in the schema. */
  raw(property: string): unknown {
    return this.#raw[property];
  }
}

/** Converts a JSON value to its CEL value. */
export function celValue(raw: unknown, schema: Schema, types: ObjectTypes): unknown {
  if (raw === null) return null;
  if (schema["x-kubernetes-int-or-string"] === true) return typeof raw === "number" ? BigInt(raw) : raw;
  switch (schema.type) {
    case "integer":
      return typeof raw === "number" ? BigInt(Math.trunc(raw)) : raw;
    case "number":
      return typeof raw === "bigint" ? Number(raw) : raw;
    case "string":
      return typeof raw === "string" ? formatted(raw, schema) : raw;
    case "array":
      return isList(raw) ? listValue(raw, schema, types) : raw;
    case "object":
      return isRecord(raw) ? objectValue(raw, schema, types) : raw;
    default:
      return raw;
  }
}

function objectValue(raw: Readonly<Record<string, unknown>>, schema: Schema, types: ObjectTypes): unknown {
  const values = valueSchema(schema);
  if (values !== undefined) {
    return new Map(Object.entries(raw).map(([key, value]) => [key, celValue(value, values, types)]));
  }
  const type = types.objectType(schema);
  return type === undefined ? raw : new type.valueClass(raw, type, types);
}

function listValue(raw: readonly unknown[], schema: Schema, types: ObjectTypes): unknown[] {
  const { items } = schema;
  if (items === undefined) return [...raw];
  const list = raw.map((item) => celValue(item, items, types));
  const kind = kindOf(schema);
  return kind === undefined ? list : kind.marked(list);
}

function kindOf(schema: Schema): ListKind | undefined {
  const type = schema["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const kind: ListKind = {
    type,
    keyOf: (item) => (item instanceof CelObject ? JSON.stringify(keys.map((key) => item.raw(key) ?? null)) : item),
    marked(list) {
      listKinds.set(list, kind);
      return list;
    },
  };
  return kind;
}

function formatted(raw: string, schema: Schema): unknown {
  switch (schema.format) {
    case "byte":
      return new Uint8Array(Buffer.from(raw, "base64"));
    case "duration": {
      const nanoseconds = parseDurationFormat(raw);
      if (nanoseconds === undefined)
        throw evaluationError(`Invalid duration ${raw}: unable to parse ${raw} as duration`);
      return durationOf(nanoseconds);
    }
    case "date":
    case "date-time": {
      const date = new Date(raw);
      if (Number.isNaN(date.getTime())) throw evaluationError(`Invalid ${schema.format} formatted string ${raw}`);
      return date;
    }
    default:
      return raw;
  }
}
