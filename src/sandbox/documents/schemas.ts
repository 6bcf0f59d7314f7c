import type { Resource, ResourceVersion, Schema } from "../types.ts";
import type { ServedResource } from "./groups.ts";

/** A schema with the extensions that only documents have. */
export type DocumentSchema = Schema & Record<`x-${string}`, unknown>;

export type Definitions = Record<string, DocumentSchema>;

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const SCALE = "io.k8s.api.autoscaling.v1.Scale";

const API_VERSION: Schema = {
  description:
    "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources",
  type: "string",
};
const KIND: Schema = {
  description:
    "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds",
  type: "string",
};
const METADATA: Schema = {
  description:
    "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  $ref: `#/definitions/${META}.ObjectMeta`,
};
const LIST_METADATA: Schema = {
  description:
    "Standard list metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds",
  $ref: `#/definitions/${META}.ListMeta`,
};

/** Names of a resource's definitions: the object and its list. */
export interface SchemaNames {
  object: string;
  list: string;
}

export function schemaNames({ resource, version }: ServedResource): SchemaNames {
  if (resource.crd === undefined) {
    const object = referenced(version.schema) ?? resource.kind;
    return { object, list: `${object}List` };
  }
  const prefix = `${resource.group.split(".").reverse().join(".")}.${version.name}`;
  return { object: `${prefix}.${resource.kind}`, list: `${prefix}.${resource.listKind}` };
}

/** The NAME in `#/definitions/NAME`. */
export function referenced({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf("/") + 1);
}

/**
 * The definitions that documents of these resources need, by name: objects and lists, everything that they refer to,
 * and the server's other answers. References have the form `#/definitions/NAME`.
 */
export function definitionsOf(all: readonly Resource[], served: readonly ServedResource[]): Definitions {
  const builtin = all.find(({ crd }) => crd === undefined)?.definitions ?? {};
  const found: Definitions = {};
  const add = (name: string) => {
    const schema = builtin[name];
    if (schema === undefined || Object.hasOwn(found, name)) return;
    found[name] = schema as DocumentSchema;
    for (const other of references(schema)) add(other);
  };
  for (const item of served) {
    const names = schemaNames(item);
    if (item.resource.crd === undefined) {
      add(names.object);
      add(names.list);
    } else {
      const made = { [names.object]: customSchema(item), [names.list]: customListSchema(item, names) };
      Object.assign(found, made);
      for (const schema of Object.values(made)) for (const other of references(schema)) add(other);
    }
    if (item.version.scale !== undefined) add(SCALE);
    for (const { group, version, kind } of item.version.subresources ?? []) {
      const name = definitionOfKind(builtin, group ?? item.resource.group, version ?? item.version.name, kind);
      if (name !== undefined) add(name);
    }
  }
  for (const name of ["Status", "DeleteOptions"]) add(`${META}.${name}`);
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

/** The name of the definition of that kind. */
export function definitionOfKind(
  definitions: Readonly<Record<string, Schema>>,
  group: string,
  version: string,
  kind: string,
): string | undefined {
  return kindIndex(definitions).get(`${group}/${version}/${kind}`);
}

const kindIndexes = new WeakMap<Readonly<Record<string, Schema>>, ReadonlyMap<string, string>>();

function kindIndex(definitions: Readonly<Record<string, Schema>>): ReadonlyMap<string, string> {
  let index = kindIndexes.get(definitions);
  if (index === undefined) {
    index = new Map(
      Object.entries(definitions).flatMap(([name, schema]) =>
        kindsOf(schema).map(({ group, version, kind }) => [`${group}/${version}/${kind}`, name] as const),
      ),
    );
    kindIndexes.set(definitions, index);
  }
  return index;
}

function kindsOf(schema: Schema): readonly GroupVersionKind[] {
  const kinds = (schema as DocumentSchema)["x-kubernetes-group-version-kind"] as
    | readonly GroupVersionKind[]
    | undefined;
  // DeleteOptions and Status belong to every group.
  return kinds === undefined || kinds.length > 1 ? [] : kinds;
}

/** Names that a schema and its parts refer to. */
function* references(schema: Schema): Generator<string> {
  const name = referenced(schema);
  if (name !== undefined) yield name;
  for (const part of parts(schema)) yield* references(part);
}

function parts(schema: Schema): Schema[] {
  const { properties = {}, additionalProperties, items, allOf = [], anyOf = [], oneOf = [], not } = schema;
  return [
    ...Object.values(properties),
    ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
    ...(items === undefined ? [] : [items]),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...(not === undefined ? [] : [not]),
  ];
}

function customSchema({ resource, version }: ServedResource): DocumentSchema {
  return {
    ...embedded(version.schema, true),
    "x-kubernetes-group-version-kind": [{ group: resource.group, kind: resource.kind, version: version.name }],
    ...selectable(version),
  };
}

/** Adds the fields of every object, at the root and in embedded objects. */
function embedded(schema: Schema, isObject: boolean): Schema {
  const { properties, items, additionalProperties } = schema;
  if (!isObject && properties === undefined && items === undefined && typeof additionalProperties !== "object")
    return schema;
  const shown: Schema = { ...schema };
  if (properties !== undefined || isObject) {
    const own = isObject ? { apiVersion: API_VERSION, kind: KIND, metadata: METADATA } : {};
    const rest = Object.entries(properties ?? {})
      .filter(([name]) => !Object.hasOwn(own, name))
      .map(([name, part]) => [name, embedded(part, part["x-kubernetes-embedded-resource"] === true)] as const);
    shown.properties = { ...own, ...Object.fromEntries(rest) };
    if (schema["x-kubernetes-embedded-resource"] === true) {
      shown.required = [
        ...(schema.required ?? []),
        ...["kind", "apiVersion"].filter((name) => !schema.required?.includes(name)),
      ];
    }
  }
  if (items !== undefined) shown.items = embedded(items, items["x-kubernetes-embedded-resource"] === true);
  if (typeof additionalProperties === "object") {
    const isEmbedded = additionalProperties["x-kubernetes-embedded-resource"] === true;
    const isIntOrString = additionalProperties["x-kubernetes-int-or-string"] === true;
    shown.additionalProperties = {
      ...(isIntOrString ? { anyOf: [{ type: "integer" }, { type: "string" }] as Schema[] } : {}),
      ...embedded(additionalProperties, isEmbedded),
    };
  }
  return shown;
}

function customListSchema({ resource, version }: ServedResource, { object }: SchemaNames): DocumentSchema {
  return {
    description: `${resource.listKind} is a list of ${resource.kind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: API_VERSION,
      items: {
        description: `List of ${resource.plural}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md`,
        type: "array",
        items: { $ref: `#/definitions/${object}` },
      },
      kind: KIND,
      metadata: LIST_METADATA,
    },
    "x-kubernetes-group-version-kind": [{ group: resource.group, kind: resource.listKind, version: version.name }],
    ...selectable(version),
  };
}

function selectable({ selectableFields }: ResourceVersion) {
  if (selectableFields.length === 0) return {};
  return { "x-kubernetes-selectable-fields": selectableFields.map((path) => ({ fieldPath: path.replace(/^\./, "") })) };
}
