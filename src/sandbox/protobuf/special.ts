import { parseJson } from "../../apis/index.ts";
import type { Json } from "../types.ts";
import { fieldsOf, ProtobufError } from "./reader.ts";

/** Messages whose JSON form is no object of their fields. */

type Read = (name: string) => (bytes: Buffer) => Json;

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const CRD = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

const SPECIAL: Readonly<Record<string, (bytes: Buffer, read: Read) => Json>> = {
  [`${META}.Time`]: (bytes) => time(bytes, 0),
  [`${META}.MicroTime`]: (bytes) => time(bytes, 6),
  [`${META}.FieldsV1`]: json,
  "io.k8s.apimachinery.pkg.runtime.RawExtension": json,
  [`${CRD}.JSON`]: json,
  "io.k8s.apimachinery.pkg.api.resource.Quantity": (bytes) => text(bytes, 1) ?? "0",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": intOrString,
  "io.k8s.api.authentication.v1.ExtraValue": (bytes) => texts(bytes, 1),
  "io.k8s.api.authorization.v1.ExtraValue": (bytes) => texts(bytes, 1),
  [`${CRD}.JSONSchemaPropsOrBool`]: (bytes, read) => part(bytes, 2, read) ?? integer(bytes, 1) !== 0n,
  [`${CRD}.JSONSchemaPropsOrArray`]: (bytes, read) => part(bytes, 1, read) ?? parts(bytes, 2, read),
  [`${CRD}.JSONSchemaPropsOrStringArray`]: (bytes, read) => part(bytes, 1, read) ?? texts(bytes, 2),
};

export function isSpecial(name: string): boolean {
  return Object.hasOwn(SPECIAL, name);
}

/** Null for an empty message. `read` returns the reader of another message. */
export function specialValue(name: string, bytes: Buffer, read: Read): Json {
  const decode = SPECIAL[name];
  if (decode === undefined) throw new ProtobufError(`no message ${name}`);
  return decode(bytes, read);
}

/** A time from seconds and nanoseconds since 1970, as text with `digits` fraction digits. */
function time(bytes: Buffer, digits: number): Json {
  if (bytes.length === 0) return null;
  const seconds = Number(BigInt.asIntN(64, integer(bytes, 1)));
  const nanos = Number(BigInt.asIntN(64, integer(bytes, 2)));
  const moment = new Date(seconds * 1000);
  if (Number.isNaN(moment.getTime())) throw new ProtobufError(`no such time: ${seconds} s`);
  const whole = moment.toISOString().slice(0, 19);
  return digits === 0 ? `${whole}Z` : `${whole}.${String(nanos).padStart(9, "0").slice(0, digits)}Z`;
}

function json(bytes: Buffer): Json {
  const raw = text(bytes, 1) ?? "";
  if (raw === "") return null;
  try {
    return parseJson(raw) as Json;
  } catch (cause) {
    throw new ProtobufError(`an embedded value is no JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Type 0 is a number, type 1 a string. */
function intOrString(bytes: Buffer): Json {
  if (integer(bytes, 1) === 0n) return Number(BigInt.asIntN(64, integer(bytes, 2)));
  return text(bytes, 3) ?? "";
}

function integer(bytes: Buffer, number: number): bigint {
  for (const field of fieldsOf(bytes)) if (field.number === number && field.kind === "Varint") return field.value;
  return 0n;
}

function values(bytes: Buffer, number: number): Buffer[] {
  return [...fieldsOf(bytes)].flatMap((field) =>
    field.number === number && field.kind === "Bytes" ? [field.value] : [],
  );
}

function text(bytes: Buffer, number: number): string | undefined {
  return values(bytes, number).at(-1)?.toString();
}

function texts(bytes: Buffer, number: number): string[] {
  return values(bytes, number).map((value) => value.toString());
}

function part(bytes: Buffer, number: number, read: Read): Json | undefined {
  const value = values(bytes, number).at(-1);
  return value === undefined ? undefined : read(`${CRD}.JSONSchemaProps`)(value);
}

function parts(bytes: Buffer, number: number, read: Read): Json[] {
  return values(bytes, number).map(read(`${CRD}.JSONSchemaProps`));
}
