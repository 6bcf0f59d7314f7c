import type { KubeObject, Resource, Schema } from "../types.ts";
import { definitions, nullWhenAbsent, omittedWhenEmpty } from "./builtin.ts";
import { structDefaults } from "./defaults/index.ts";
import { canonicalAmount, canonicalQuantity, quantityError } from "./quantity.ts";

/** A value has another type than its field: what the server answers with 400, or 422 when a patch led to it. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

type Json = Record<string, unknown>;

/** Where the decoder is, for the text of an error: the struct, and the names of the fields that led to it. */
interface Place {
  struct: string;
  path: string;
}

/** Turns a submitted value into what the server would write back. Undefined: the field is left out. */
type Decoder = (value: unknown, place: Place) => unknown;

const decoders = new Map<string, Decoder>();

/** See {@link KindRules.defaults}. */
export function decode(resource: Resource, object: KubeObject, apiVersion: string): KubeObject {
  const version = resource.versions.find(({ name }) => apiVersion.endsWith(name)) ?? resource.versions[0];
  const name = definitionName(version?.schema.$ref);
  if (name === undefined) throw new Error(`${resource.plural} has no schema for ${apiVersion}`);
  const decoded = decoderOf(name)(object, { struct: "", path: "" }) as KubeObject;
  return { ...decoded, apiVersion, kind: resource.kind };
}

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** The metadata of any object, in the form in which the server writes it. Throws {@link DecodeError}. */
export function decodedMetadata(metadata: KubeObject["metadata"]): KubeObject["metadata"] {
  return decoderOf(OBJECT_META)(metadata, { struct: "", path: "" }) as KubeObject["metadata"];
}

function definitionName(reference: string | undefined): string | undefined {
  return reference?.slice(reference.lastIndexOf("/") + 1);
}

function decoderOf(name: string): Decoder {
  let decoder = decoders.get(name);
  if (decoder === undefined) {
    const schema = definitions[name];
    if (schema === undefined) throw new Error(`no definition ${name}`);
    // A definition may contain itself, so that it is looked up again only when it is first met in a value.
    let made: Decoder | undefined;
    decoder = (value, place) => (made ??= definitionDecoder(name, schema))(value, place);
    decoders.set(name, decoder);
  }
  return decoder;
}

function definitionDecoder(name: string, schema: Schema): Decoder {
  if (name.endsWith(".resource.Quantity")) return quantity;
  if (name.endsWith(".IntOrString")) return intOrString;
  if (name.endsWith(".v1.MicroTime")) return time("2006-01-02T15:04:05.000000Z07:00", 6, microseconds);
  if (name.endsWith(".v1.Time")) return time("2006-01-02T15:04:05Z07:00", undefined, seconds);
  if (schema.properties !== undefined) return structDecoder(name, schema.properties);
  // Raw extensions, managed fields and free JSON travel as they are.
  if (schema.type === undefined || (schema.type === "object" && schema.additionalProperties === undefined))
    return asItIs;
  return schemaDecoder(schema);
}

function schemaDecoder(schema: Schema): Decoder {
  const name = definitionName(schema.$ref);
  if (name !== undefined) return decoderOf(name);
  switch (schema.type) {
    case "object":
      return typeof schema.additionalProperties === "object" ? mapDecoder(schema.additionalProperties) : asItIs;
    case "array":
      return arrayDecoder(schema.items ?? {});
    case "string":
      return schema.format === "byte" ? bytes : scalar("string", "string");
    case "boolean":
      return scalar("boolean", "bool");
    case "integer":
      return integer(schema.format === "int64" ? "int64" : "int32");
    case "number":
      return scalar("number", "float64");
    default:
      return asItIs;
  }
}

/** A struct of Go: its fields, what it does not write, and what stands for what is missing. */
function structDecoder(name: string, properties: Readonly<Record<string, Schema>>): Decoder {
  const struct = name.slice(name.lastIndexOf(".") + 1);
  const omitted = new Set(omittedWhenEmpty[name]);
  const nulls = nullWhenAbsent[name] ?? [];
  const setDefaults = structDefaults[name];
  const fields = new Map(
    Object.entries(properties).map(([field, schema]) => [
      field,
      { decoder: schemaDecoder(schema), isOmitted: omitted.has(field) },
    ]),
  );
  const zeros = Object.entries(properties).flatMap(([field, { default: value }]) =>
    value === undefined || (omitted.has(field) && isEmpty(value)) ? [] : [{ field, value }],
  );
  return (value, place) => {
    if (value === null) return undefined;
    if (!isRecord(value)) throw wrongType(value, place, goType(name));
    const decoded: Json = {};
    for (const key of Object.keys(value)) {
      const field = fields.get(key);
      // Code of this process may write undefined for a field that is not there.
      if (field === undefined || value[key] === undefined) continue;
      const at = { struct, path: place.path === "" ? key : `${place.path}.${key}` };
      const member = field.decoder(value[key], at);
      if (member === undefined || (field.isOmitted && isEmpty(member))) continue;
      decoded[key] = member;
    }
    for (const { field, value: zero } of zeros) {
      if (decoded[field] !== undefined) continue;
      decoded[field] = isRecord(zero) ? fields.get(field)?.decoder(zero, place) : zero;
    }
    setDefaults?.(decoded);
    for (const field of nulls) decoded[field] ??= null;
    return decoded;
  };
}

function mapDecoder(items: Schema): Decoder {
  // Wherever quantities stand by name, they are amounts of resources.
  const decoder = items.$ref?.endsWith(".resource.Quantity") === true ? amount : schemaDecoder(items);
  const zero = items.default;
  return (value, place) => {
    if (value === null) return undefined;
    if (!isRecord(value)) throw wrongType(value, place, `map[string]${goTypeOf(items)}`);
    const decoded: Json = {};
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      // The server names the map, not its key.
      decoded[key] = decoder(member, place) ?? zero ?? null;
    }
    return decoded;
  };
}

function arrayDecoder(items: Schema): Decoder {
  const decoder = schemaDecoder(items);
  const zero = items.default;
  return (value, place) => {
    if (value === null) return undefined;
    if (!Array.isArray(value)) throw wrongType(value, place, `[]${goTypeOf(items)}`);
    return value.map((item) => {
      const decoded = decoder(item, place);
      if (decoded !== undefined) return decoded;
      return isRecord(zero) ? decoder(zero, place) : (zero ?? null);
    });
  };
}

function scalar(type: "string" | "boolean" | "number", go: string): Decoder {
  return (value, place) => {
    if (value === null) return undefined;
    if (typeof value !== type) throw wrongType(value, place, go);
    return value;
  };
}

function integer(go: "int32" | "int64"): Decoder {
  const limit = go === "int32" ? 2 ** 31 : 2 ** 63;
  return (value, place) => {
    if (value === null) return undefined;
    if (typeof value !== "number") throw wrongType(value, place, go);
    if (!Number.isInteger(value) || value < -limit || value >= limit) {
      throw new DecodeError(
        `json: cannot unmarshal number ${value} into Go struct field ${placeText(place)} of type ${go}`,
      );
    }
    return value;
  };
}

/** Base64, which comes back in its one proper form. */
const bytes: Decoder = (value, place) => {
  if (value === null) return undefined;
  if (typeof value !== "string") throw wrongType(value, place, "[]uint8");
  const given = value.replaceAll(/[\r\n]/g, "");
  const wrong = /[^A-Za-z0-9+/]/.exec(given.replace(/={1,2}$/, ""))?.index;
  if (wrong === undefined && given.length % 4 === 0) return Buffer.from(given, "base64").toString("base64");
  throw new DecodeError(`illegal base64 data at input byte ${wrong ?? given.length - (given.length % 4)}`);
};

const asItIs: Decoder = (value) => (value === null ? undefined : value);

const intOrString: Decoder = (value, place) => {
  if (value === null) return undefined;
  if (typeof value === "string" || (typeof value === "number" && Number.isInteger(value))) return value;
  throw wrongType(value, place, "intstr.IntOrString");
};

/** With the way to write it: a quantity as it is, or an amount of a resource. */
function quantityDecoder(write: (text: string) => string | undefined): Decoder {
  return (value) => {
    if (value === null) return "0";
    // A number is read as the text that stands for it.
    const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
    const written = write(text);
    if (written !== undefined) return written;
    throw new DecodeError(quantityError(text) ?? "unable to parse numeric part of quantity");
  };
}

const quantity = quantityDecoder(canonicalQuantity);
const amount = quantityDecoder(canonicalAmount);

const RFC_3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** With `digits`, exactly so many are wanted after the point. */
function time(
  layout: string,
  digits: number | undefined,
  print: (milliseconds: number, fraction: string) => string,
): Decoder {
  return (value, place) => {
    if (value === null) return undefined;
    if (typeof value !== "string") throw wrongType(value, place, "string");
    const [, day = "", point = "", zone = ""] = RFC_3339.exec(value) ?? [];
    const milliseconds = day === "" ? Number.NaN : Date.parse(value);
    const unreadable = (rest: string, as: string) =>
      new DecodeError(
        `parsing time ${JSON.stringify(value)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(as)}`,
      );
    if (Number.isNaN(milliseconds)) throw unreadable(value, "2006");
    if (digits !== undefined && point.length < digits + 1) throw unreadable(point + zone, `.${"0".repeat(digits)}`);
    if (digits !== undefined && point.length > digits + 1) {
      throw unreadable(point.slice(digits + 1) + zone, "Z07:00");
    }
    return print(milliseconds, point.slice(1));
  };
}

function seconds(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

function microseconds(milliseconds: number, fraction: string): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, "0")}Z`;
}

function wrongType(value: unknown, place: Place, go: string): DecodeError {
  const found = Array.isArray(value)
    ? "array"
    : value === null
      ? "null"
      : typeof value === "boolean"
        ? "bool"
        : typeof value;
  const where = place.struct === "" ? "value" : `struct field ${placeText(place)}`;
  return new DecodeError(`json: cannot unmarshal ${found} into Go ${where} of type ${go}`);
}

function placeText({ struct, path }: Place): string {
  return `${struct}.${path}`;
}

function goTypeOf(schema: Schema): string {
  const name = definitionName(schema.$ref);
  if (name !== undefined) return goType(name);
  switch (schema.type) {
    case "boolean":
      return "bool";
    case "integer":
      return schema.format === "int64" ? "int64" : "int32";
    case "array":
      return `[]${goTypeOf(schema.items ?? {})}`;
    default:
      return schema.type ?? "interface {}";
  }
}

/** `io.k8s.api.apps.v1.DeploymentSpec` is v1.DeploymentSpec. */
function goType(name: string): string {
  return name.split(".").slice(-2).join(".");
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false || value === null;
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
