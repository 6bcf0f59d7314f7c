import { defined } from "../../../apis/index.ts";
import type { Schema } from "../../types.ts";
import { objectMeta } from "./objectMeta.ts";

/**
 * The parts of a schema that ownership needs: leaves, atomic values, list keys. A type may be of several kinds at once
 * (a CRD's field of any type); the value decides. Compiled lazily, once per schema and process.
 */
export interface FieldType {
  readonly scalar?: Scalar | undefined;
  readonly list?: ListType | undefined;
  readonly map?: MapType | undefined;
}

export type Scalar = "numeric" | "string" | "boolean" | "untyped";

export interface ListType {
  /** False: a list-map if the list has keys, else a set. */
  readonly atomic: boolean;
  /** Keys in declared order, for messages. */
  readonly keys: readonly string[];
  /** The same keys, sorted as in path elements. */
  readonly sortedKeys: readonly string[];
  /** Default of each key for items without it, in the order of `sortedKeys`. */
  readonly keyDefaults: readonly unknown[];
  readonly element: FieldType;
}

export interface MapType {
  readonly atomic: boolean;
  /** A type without declared fields that accepts any value. */
  readonly deduced: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  /** Type of undeclared keys; undefined if the schema allows none. */
  readonly element: FieldType | undefined;
}

export interface Field {
  /** The path element, `f:name`. */
  readonly label: string;
  readonly type: FieldType;
  readonly default: unknown;
}

export type Definitions = Readonly<Record<string, Schema>>;

const NO_FIELDS: ReadonlyMap<string, Field> = new Map();

/** A value of any kind that is one leaf. */
const UNTYPED_ATOMIC: FieldType = {
  scalar: "untyped",
  list: {
    atomic: true,
    keys: [],
    sortedKeys: [],
    keyDefaults: [],
    get element() {
      return UNTYPED_ATOMIC;
    },
  },
  map: {
    atomic: true,
    deduced: false,
    fields: NO_FIELDS,
    get element() {
      return UNTYPED_ATOMIC;
    },
  },
};

/** A value of any kind whose objects have an owner for each field. */
const DEDUCED: FieldType = {
  scalar: "untyped",
  list: { atomic: true, keys: [], sortedKeys: [], keyDefaults: [], element: UNTYPED_ATOMIC },
  map: {
    atomic: false,
    deduced: true,
    fields: NO_FIELDS,
    get element() {
      return DEDUCED;
    },
  },
};

const compiled = new WeakMap<Definitions, WeakMap<Schema, Compiler>>();

/** The type of a whole object. The server's own schema always applies to its metadata. */
export function objectType(schema: Schema, definitions: Definitions): FieldType {
  let types = compiled.get(definitions);
  if (types === undefined) compiled.set(definitions, (types = new WeakMap()));
  let compiler = types.get(schema);
  if (compiler === undefined) types.set(schema, (compiler = new Compiler(schema, definitions)));
  return compiler.root;
}

class Compiler {
  readonly root: FieldType;
  readonly #definitions: Definitions;
  readonly #named = new Map<string, FieldType>();
  #metadata: FieldType | undefined;

  constructor(schema: Schema, definitions: Definitions) {
    this.#definitions = definitions;
    this.root = this.#objectWithMetadata(this.#resolve(schema));
  }

  #resolve(schema: Schema): Schema {
    const name = referenceOf(schema);
    if (name === undefined) return schema;
    const found = this.#definitions[name];
    if (found === undefined) throw new Error(`the schema refers to ${name}, which is not among its definitions`);
    return found;
  }

  /** An object with its own metadata: the whole object, or an embedded resource. */
  #objectWithMetadata(schema: Schema): FieldType {
    if (schema.properties?.["metadata"] !== undefined && referenceOf(schema.properties["metadata"]) !== undefined) {
      return this.#inline(schema, false);
    }
    const type = this.#inline({ ...schema, type: "object" }, false, this.#typeMeta());
    return type;
  }

  #typeMeta(): Map<string, Field> {
    this.#metadata ??= this.#inline(objectMeta, false);
    return new Map([
      ["apiVersion", { label: "f:apiVersion", type: { scalar: "string" }, default: undefined }],
      ["kind", { label: "f:kind", type: { scalar: "string" }, default: undefined }],
      ["metadata", { label: "f:metadata", type: this.#metadata, default: undefined }],
    ]);
  }

  /**
   * `preserve` passes from a schema with x-kubernetes-preserve-unknown-fields to all schemas inside, but not through a
   * `$ref`.
   */
  #typeOf(schema: Schema, preserve: boolean): FieldType {
    const name = referenceOf(schema);
    if (name === undefined) return this.#inline(schema, preserve);
    let type = this.#named.get(name);
    if (type === undefined) this.#named.set(name, (type = this.#namedType(name)));
    const relation = schema["x-kubernetes-map-type"];
    return relation === undefined ? type : withRelation(type, relation === "atomic");
  }

  #namedType(name: string): FieldType {
    if (name.endsWith(".api.resource.Quantity")) return { scalar: "untyped" };
    if (name.endsWith(".pkg.runtime.RawExtension")) return UNTYPED_ATOMIC;
    return lazy(() => this.#inline(this.#resolve({ $ref: name }), false));
  }

  #inline(schema: Schema, preserved: boolean, typeMeta?: ReadonlyMap<string, Field>): FieldType {
    const preserve = preserved || schema["x-kubernetes-preserve-unknown-fields"] === true;
    const meta = typeMeta ?? (schema["x-kubernetes-embedded-resource"] === true ? this.#typeMeta() : undefined);
    switch (schema.type) {
      case "object":
        return { map: this.#map(schema, preserve, meta) };
      case "array":
        return { list: this.#list(schema, preserve) };
      case "integer":
      case "number":
        return { scalar: "numeric" };
      case "boolean":
        return { scalar: "boolean" };
      case "string":
        return {
          scalar:
            schema.format === undefined || schema.format === "" || schema.format === "byte" ? "string" : "untyped",
        };
      default:
        return { scalar: "untyped", list: this.#list(schema, preserve), map: this.#map(schema, preserve, meta) };
    }
  }

  #map(schema: Schema, preserve: boolean, typeMeta: ReadonlyMap<string, Field> | undefined): MapType {
    const fields = new Map<string, Field>();
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (typeMeta?.has(name) !== true) fields.set(name, this.#field(name, property, preserve));
    }
    for (const [name, field] of typeMeta ?? []) fields.set(name, field);
    const element = this.#elementOfMap(schema, preserve, fields.size > 0);
    return {
      atomic: schema["x-kubernetes-map-type"] === "atomic",
      deduced: fields.size === 0 && (element === DEDUCED || isInlineUntyped(schema, element)),
      fields,
      element,
    };
  }

  #field(name: string, schema: Schema, preserve: boolean): Field {
    const make = () => this.#typeOf(schema, preserve);
    let type: FieldType | undefined;
    return {
      label: `f:${name}`,
      get type() {
        return (type ??= make());
      },
      default: schema.default,
    };
  }

  #elementOfMap(schema: Schema, preserve: boolean, hasFields: boolean): FieldType | undefined {
    const { additionalProperties } = schema;
    if (additionalProperties === undefined) return preserve || !hasFields ? DEDUCED : undefined;
    if (typeof additionalProperties === "object") return this.#typeOf(additionalProperties, preserve);
    return additionalProperties ? DEDUCED : undefined;
  }

  #list(schema: Schema, preserve: boolean): ListType {
    const { items } = schema;
    const { atomic, keys } = relationOf(schema);
    const sortedKeys = keys.toSorted();
    const make = () => (items === undefined ? UNTYPED_ATOMIC : this.#typeOf(items, preserve));
    let element: FieldType | undefined;
    let keyDefaults: readonly unknown[] | undefined;
    return {
      atomic,
      keys,
      sortedKeys,
      get element() {
        return (element ??= make());
      },
      get keyDefaults() {
        return (keyDefaults ??= sortedKeys.map((key) => this.element.map?.fields.get(key)?.default));
      },
    };
  }
}

function isInlineUntyped({ additionalProperties }: Schema, element: FieldType | undefined): boolean {
  if (typeof additionalProperties !== "object" || referenceOf(additionalProperties) !== undefined) return false;
  return element?.scalar === "untyped";
}

function referenceOf(schema: Schema): string | undefined {
  const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  return reference?.slice(reference.lastIndexOf("/") + 1);
}

/** The list type, or the strategic merge patch strategy if the schema declares no list type. */
function relationOf(schema: Schema): { atomic: boolean; keys: readonly string[] } {
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return { atomic: false, keys: schema["x-kubernetes-list-map-keys"] ?? [] };
    case "set":
      return { atomic: false, keys: [] };
    case "atomic":
      return { atomic: true, keys: [] };
    default:
  }
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (strategy !== "merge" && strategy !== "merge,retainKeys") return { atomic: true, keys: [] };
  const key = schema["x-kubernetes-patch-merge-key"];
  return { atomic: false, keys: key === undefined ? [] : [key] };
}

/** A field may override for its referenced type whether that type is atomic. */
function withRelation(type: FieldType, atomic: boolean): FieldType {
  const make = (): FieldType => {
    const { scalar, list, map } = type;
    const kinds = defined({ scalar, list });
    if (map !== undefined) return { ...kinds, map: { ...map, atomic } };
    return list === undefined ? kinds : { ...kinds, list: withAtomic(list, atomic) };
  };
  return lazy(make);
}

function withAtomic(list: ListType, atomic: boolean): ListType {
  const { keys, sortedKeys, keyDefaults, element } = list;
  return { atomic, keys, sortedKeys, keyDefaults, element };
}

/** Types may refer to themselves, so a named type is compiled only when it is read. */
function lazy(make: () => FieldType): FieldType {
  let type: FieldType | undefined;
  return {
    get scalar() {
      return (type ??= make()).scalar;
    },
    get list() {
      return (type ??= make()).list;
    },
    get map() {
      return (type ??= make()).map;
    },
  };
}
