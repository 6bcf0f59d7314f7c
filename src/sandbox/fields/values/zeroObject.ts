import type { KubeObject, Schema } from "../../types.ts";
import type { Definitions } from "./fieldType.ts";

/**
 * The Go struct of a built-in kind before anything is set in it. A server compares a created object with that, so a struct that is always there
 * (`spec`) belongs to nobody, and what lies in it to its creator. The published schema says so: a struct has the default `{}`; what is never left out
 * is required.
 */
export function zeroObject(schema: Schema, definitions: Definitions, apiVersion: string, kind: string): KubeObject {
  let known = zeros.get(schema);
  if (known === undefined) zeros.set(schema, (known = zeroStruct(schema, definitions, 0)));
  return { ...known, ...ALWAYS_WRITTEN[`${apiVersion}/${kind}`], apiVersion, kind } as KubeObject;
}

/** What a server writes even when there is nothing in it, although the schema calls it optional. */
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

/** No struct of a built-in kind holds itself otherwise than by pointer; this only guards against a schema that says so. */
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

/** Pointers, lists and maps are null. */
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
