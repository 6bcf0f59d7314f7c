import type { Environment } from "@marcbachmann/cel-js";
import type { Schema } from "../../types.ts";
import { valueSchema } from "../references.ts";
import { namesOf } from "./escaping.ts";
import { CelObject, type ObjectType, type ObjectTypes } from "./values.ts";

const TEXT: Schema = { type: "string" };
const META: Schema = { type: "object", properties: { name: TEXT, generateName: TEXT } };

/** Names that every JavaScript class has; expressions cannot see a field with such a name. */
const TAKEN = new Set(["constructor", "field", "equals", "raw", "__proto__"]);

/**
 * The CEL types of a schema. Expressions cannot see values without a declared type
 * (`x-kubernetes-preserve-unknown-fields` without a type, and lists and maps of them).
 */
export class SchemaTypes implements ObjectTypes {
  readonly #objects = new Map<Schema, ObjectType | undefined>();
  readonly #resources = new Map<Schema, Schema>();
  #count = 0;

  /** The library's name of the type; undefined if expressions cannot see such values. */
  typeName(schema: Schema): string | undefined {
    if (schema["x-kubernetes-int-or-string"] === true) return "dyn";
    switch (schema.type) {
      case "array": {
        const items = schema.items === undefined ? undefined : this.typeName(this.asResource(schema.items));
        return items === undefined ? undefined : `list<${items}>`;
      }
      case "object": {
        const values = valueSchema(schema);
        if (values === undefined) return this.objectType(schema)?.name;
        const type = this.typeName(this.asResource(values));
        return type === undefined ? undefined : `map<string, ${type}>`;
      }
      case "string":
        return TYPE_OF_FORMAT[schema.format ?? ""] ?? "string";
      case "integer":
        return "int";
      case "number":
        return "double";
      case "boolean":
        return "bool";
      default:
        return undefined;
    }
  }

  /** Undefined unless the schema is an object with fields. */
  objectType(reference: Schema): ObjectType | undefined {
    const schema = this.asResource(reference);
    if (this.#objects.has(schema)) return this.#objects.get(schema);
    if (schema.type !== "object" || valueSchema(schema) !== undefined) return undefined;
    const fields = new Map<string, { property: string; schema: Schema; type: string }>();
    for (const [property, child] of Object.entries(schema.properties ?? {})) {
      const type = this.typeName(this.asResource(child));
      if (type === undefined) continue;
      for (const name of namesOf(property)) {
        if (!TAKEN.has(name)) fields.set(name, { property, schema: this.asResource(child), type });
      }
    }
    const names = new Map([...fields].map(([name, { property }]) => [property, name]));
    const type: ObjectType = {
      name: `object${++this.#count}`,
      fields,
      nameOf: (property) => names.get(property),
      valueClass: classWith(fields.keys()),
    };
    this.#objects.set(schema, type);
    return type;
  }

  /**
   * Adds the fields that expressions see in every resource: apiVersion, kind, and name and generateName of the
   * metadata.
   */
  asResource(schema: Schema, root = schema["x-kubernetes-embedded-resource"] === true): Schema {
    if (!root) return schema;
    let resource = this.#resources.get(schema);
    if (resource === undefined) {
      const properties = { ...schema.properties, kind: TEXT, apiVersion: TEXT, metadata: META };
      resource = { ...schema, "x-kubernetes-embedded-resource": false, properties };
      this.#resources.set(schema, resource);
    }
    return resource;
  }

  /** Declares every object type requested so far. */
  declare(environment: Environment): void {
    for (const type of this.#objects.values()) {
      if (type === undefined) continue;
      const fields = Object.fromEntries([...type.fields].map(([name, field]) => [name, field.type]));
      environment.registerType(type.name, { ctor: type.valueClass, fields });
    }
  }
}

const TYPE_OF_FORMAT: Readonly<Record<string, string>> = {
  byte: "bytes",
  duration: "google.protobuf.Duration",
  date: "google.protobuf.Timestamp",
  "date-time": "google.protobuf.Timestamp",
};

/** The library identifies types by class and reads fields as properties. */
function classWith(names: Iterable<string>): ObjectType["valueClass"] {
  const constructor = class extends CelObject {};
  for (const name of names) {
    Object.defineProperty(constructor.prototype, name, {
      get(this: CelObject) {
        return this.field(name);
      },
    });
  }
  return constructor;
}
