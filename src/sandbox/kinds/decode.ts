import { setMember } from "../../apis/index.ts";
import { jsonType } from "../jsonType.ts";
import type { KubeObject, Resource, Schema } from "../types.ts";
import { definitions, nullWhenAbsent, omittedWhenEmpty } from "./builtin.ts";
import { structDefaults } from "./defaults/index.ts";
import { canonicalAmount, canonicalQuantity, quantityError } from "./quantity.ts";

/** A value of the wrong type for its field. The server answers with 400, or with 422 if a patch produced the value. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

type Json = Record<string, unknown>;

/** Turns a submitted value into the value that the server would return; undefined omits the field. Errors name `path`. */
type Decoder = (value: unknown, path: string) => unknown;

const decoders = new Map<string, Decoder>();

/** See {@link KindRules.defaults}. */
export function decode(resource: Resource, object: KubeObject, apiVersion: string): KubeObject {
  const version = resource.versions.find(({ name }) => apiVersion.endsWith(name)) ?? resource.versions[0];
  const name = definitionName(version?.schema.$ref);
  if (name === undefined) throw new Error(`${resource.plural} has no schema for ${apiVersion}`);
  const decoded = decoderOf(name)(object, "") as KubeObject;
  return { ...decoded, apiVersion, kind: resource.kind };
}

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** Decodes the metadata of any object into the server's form. Throws {@link DecodeError}. */
export function decodedMetadata(metadata: KubeObject["metadata"]): KubeObject["metadata"] {
  return decoderOf(OBJECT_META)(metadata, "metadata") as KubeObject["metadata"];
}

function definitionName(reference: string | undefined): string | undefined {
  return reference?.slice(reference.lastIndexOf("/") + 1);
}

function decoderOf(name: string): Decoder {
  let decoder = decoders.get(name);
  if (decoder === undefined) {
    const schema = definitions[name];
    if (schema === undefined) throw new Error(`no definition ${name}`);
    // A definition may contain itself, so its decoder is built only when a value needs it.
    let made: Decoder | undefined;
    decoder = (value, path) => (made ??= definitionDecoder(name, schema))(value, path);
    decoders.set(name, decoder);
  }
  return decoder;
}

function definitionDecoder(name: string, schema: Schema): Decoder {
  if (name.endsWith(".resource.Quantity")) return quantity;
  if (name.endsWith(".IntOrString")) return intOrString;
  if (name.endsWith(".v1.MicroTime")) return time(6, microseconds);
  if (name.endsWith(".v1.Time")) return time(undefined, seconds);
  if (schema.properties !== undefined) return structDecoder(name, schema.properties);
  // Raw extensions, managed fields and free JSON stay unchanged.
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
      return schema.format === "byte" ? bytes : scalar("string");
    case "boolean":
      return scalar("boolean");
    case "integer":
      return integer(schema.format === "int64" ? "int64" : "int32");
    case "number":
      return scalar("number");
    default:
      return asItIs;
  }
}

/** Decodes a Go struct: its fields, the fields omitted when empty, and the defaults of missing fields. */
function structDecoder(name: string, properties: Readonly<Record<string, Schema>>): Decoder {
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
  return (value, path) => {
    if (value === null) return undefined;
    if (!isRecord(value)) throw wrongType(value, path, "an object");
    const decoded: Json = {};
    for (const key of Object.keys(value)) {
      const field = fields.get(key);
      // Code of this process may write undefined for an absent field.
      if (field === undefined || value[key] === undefined) continue;
      const member = field.decoder(value[key], path === "" ? key : `${path}.${key}`);
      if (member === undefined || (field.isOmitted && isEmpty(member))) continue;
      decoded[key] = member;
    }
    for (const { field, value: zero } of zeros) {
      if (decoded[field] !== undefined) continue;
      decoded[field] = isRecord(zero) ? fields.get(field)?.decoder(zero, path) : zero;
    }
    setDefaults?.(decoded);
    for (const field of nulls) decoded[field] ??= null;
    return decoded;
  };
}

function mapDecoder(items: Schema): Decoder {
  // A map of quantities by name always holds amounts of resources.
  const decoder = items.$ref?.endsWith(".resource.Quantity") === true ? amount : schemaDecoder(items);
  const zero = items.default;
  return (value, path) => {
    if (value === null) return undefined;
    if (!isRecord(value)) throw wrongType(value, path, "an object");
    const decoded: Json = {};
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      setMember<unknown>(decoded, key, decoder(member, `${path}[${key}]`) ?? zero ?? null);
    }
    return decoded;
  };
}

function arrayDecoder(items: Schema): Decoder {
  const decoder = schemaDecoder(items);
  const zero = items.default;
  return (value, path) => {
    if (value === null) return undefined;
    if (!Array.isArray(value)) throw wrongType(value, path, "a list");
    return value.map((item, index) => {
      const decoded = decoder(item, `${path}[${index}]`);
      if (decoded !== undefined) return decoded;
      return isRecord(zero) ? decoder(zero, path) : (zero ?? null);
    });
  };
}

function scalar(type: "string" | "boolean" | "number"): Decoder {
  return (value, path) => {
    if (value === null) return undefined;
    if (typeof value !== type) throw wrongType(value, path, `a ${type}`);
    return value;
  };
}

function integer(type: "int32" | "int64"): Decoder {
  const limit = type === "int32" ? 2 ** 31 : 2 ** 63;
  const isInteger = (value: unknown) => typeof value === "bigint" || Number.isInteger(value);
  return (value, path) => {
    if (value === null) return undefined;
    if (isInteger(value) && (value as number) >= -limit && (value as number) < limit) return value;
    throw wrongType(value, path, `an integer (${type})`);
  };
}

/** Base64, returned in canonical form. */
const bytes: Decoder = (value, path) => {
  if (value === null) return undefined;
  if (typeof value !== "string") throw wrongType(value, path, "base64");
  const given = value.replaceAll(/[\r\n]/g, "");
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(given) && given.length % 4 === 0)
    return Buffer.from(given, "base64").toString("base64");
  throw new DecodeError(`${path}: illegal base64 data`);
};

const asItIs: Decoder = (value) => (value === null ? undefined : value);

const intOrString: Decoder = (value, path) => {
  if (value === null) return undefined;
  if (typeof value === "string" || (typeof value === "number" && Number.isInteger(value))) return value;
  throw wrongType(value, path, "an integer or a string");
};

/** `write` prints the quantity: exactly, or as an amount of a resource. */
function quantityDecoder(write: (text: string) => string | undefined): Decoder {
  return (value, path) => {
    if (value === null) return "0";
    // A number is read as its text.
    const isText = typeof value === "string" || typeof value === "number" || typeof value === "bigint";
    const text = isText ? String(value) : "";
    const written = write(text);
    if (written !== undefined) return written;
    throw new DecodeError(`${path}: ${quantityError(text) ?? "it is no quantity"}`);
  };
}

const quantity = quantityDecoder(canonicalQuantity);
const amount = quantityDecoder(canonicalAmount);

const RFC_3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** `digits`: exact number of fraction digits required, if any. */
function time(digits: number | undefined, print: (milliseconds: number, fraction: string) => string): Decoder {
  return (value, path) => {
    if (value === null) return undefined;
    if (typeof value !== "string") throw wrongType(value, path, "a time");
    const [, day, point = ""] = RFC_3339.exec(value) ?? [];
    const milliseconds = day === undefined ? Number.NaN : Date.parse(value);
    if (Number.isNaN(milliseconds) || (digits !== undefined && point.length !== digits + 1)) {
      const form = `2006-01-02T15:04:05${digits === undefined ? "" : `.${"0".repeat(digits)}`}Z`;
      throw new DecodeError(`${path}: ${JSON.stringify(value)} is no time in the form ${form}`);
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

function wrongType(value: unknown, path: string, wanted: string): DecodeError {
  const shown = typeof value === "number" ? ` (${value})` : "";
  return new DecodeError(`${path === "" ? "the object" : path} must be ${wanted}, not ${jsonType(value)}${shown}`);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false || value === null;
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
