import type { KubeObject, Schema } from "../../types.ts";
import type { Definitions } from "./fieldType.ts";

/**
 * The empty Go struct of a built-in kind. A server compares a created object with the empty struct: a struct that
 * always exists (`spec`) has no owner, and the creator owns the fields inside. The published schema shows both cases: a
 * struct has the default `{}`, and a field that Go never omits is required.
 */
export function zeroObject(schema: Schema, definitions: Definitions, apiVersion: string, kind: string): KubeObject {
  let known = zeros.get(schema);
  if (known === undefined) zeros.set(schema, (known = zeroStruct(schema, definitions, 0)));
  return { ...known, ...ALWAYS_WRITTEN[`${apiVersion}/${kind}`], apiVersion, kind } as KubeObject;
}

/** Fields that a server writes even when empty, although the schema calls them optional. */
const ALWAYS_WRITTEN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "v1/Event": {
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: "",
    reportingInstance: "",
  },
};

const zeros = new WeakMap<Schema, Record<string, unknown>>();

/** Guards against a schema that contains itself. No struct of a built-in kind holds itself other than by pointer. */
const DEEPEST = 32;

function zeroStruct(schema: Schema, definitions: Definitions, depth: number): Record<string, unknown> {
  const { properties = {}, required = [] } = resolve(schema, definitions);
  const zero: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    if (isStruct(property) && depth < DEEPEST) zero[name] = zeroStruct(property, definitions, depth + 1);
    else if (required.includes(name)) zero[name] = zeroValue(resolve(property, definitions), property);
  }
  return zero;
}

function isStruct(schema: Schema): boolean {
  const { default: value } = schema;
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

/** The zero value of pointers, lists and maps is null. */
function zeroValue({ type, format }: Schema, { default: value }: Schema): unknown {
  if (value === undefined) return null;
  if (type === "string") return format === undefined || format === "" ? "" : null;
  if (type === "integer" || type === "number") return 0;
  return type === "boolean" ? false : null;
}

function resolve(schema: Schema, definitions: Definitions): Schema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference === undefined) return schema;
  return definitions[reference.slice(reference.lastIndexOf("/") + 1)] ?? schema;
}
