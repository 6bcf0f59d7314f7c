import type { Json, KubeObject } from "../types.ts";
import { type Message, type MessageField, messageNameOf, messageOf } from "./messages.ts";
import { fieldsOf, ProtobufError, type WireField } from "./reader.ts";
import { isSpecial, specialValue } from "./special.ts";

type JsonObject = { [name: string]: Json };

/** The first bytes of every object. */
const MAGIC = Buffer.from("k8s\0");

/**
 * Decodes an object of a built-in kind in Kubernetes' protobuf format (`application/vnd.kubernetes.protobuf`). The
 * result equals the JSON that the same client would have sent. Throws a {@link ProtobufError} for invalid bytes.
 */
export function decodeObject(bytes: Buffer): KubeObject {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new ProtobufError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  const { apiVersion, kind, raw } = envelope(bytes.subarray(MAGIC.length));
  const name = messageNameOf(apiVersion, kind);
  const message = name === undefined ? undefined : messageOf(name);
  if (message === undefined) throw new ProtobufError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  return { apiVersion, kind, metadata: {}, ...decodeMessage(message, raw) } as unknown as KubeObject;
}

/** The envelope message Unknown: the type, and the bytes of the object. */
function envelope(bytes: Buffer): { apiVersion: string; kind: string; raw: Buffer } {
  const found: { apiVersion: string; kind: string; raw: Buffer } = { apiVersion: "", kind: "", raw: Buffer.alloc(0) };
  for (const field of fieldsOf(bytes)) {
    if (field.kind !== "Bytes") continue;
    if (field.number === 2) found.raw = field.value;
    if (field.number !== 1) continue;
    for (const part of fieldsOf(field.value)) {
      if (part.kind !== "Bytes") continue;
      if (part.number === 1) found.apiVersion = part.value.toString();
      if (part.number === 2) found.kind = part.value.toString();
    }
  }
  return found;
}

function decodeMessage(message: Message, bytes: Buffer): JsonObject {
  const object: JsonObject = {};
  for (const wire of fieldsOf(bytes)) {
    const field = message.fields.get(wire.number);
    // A newer client may send fields that this server does not know.
    if (field !== undefined) put(object, field, wire);
  }
  for (const name of message.omitted) if (isEmpty(object[name])) delete object[name];
  return object;
}

function put(object: JsonObject, field: MessageField, wire: WireField): void {
  const { name, form, type } = field;
  if (name === "-") {
    Object.assign(object, value(type, wire));
    return;
  }
  if (form === "map") {
    const [key, mapped] = entry(type, wire);
    object[name] = { ...(object[name] as JsonObject | undefined), [key]: mapped };
    return;
  }
  const single = value(type, wire);
  if (form === "single") {
    // Null means an unset time or extension, which JSON omits.
    if (single !== null) object[name] = single;
    return;
  }
  const list = object[name] as Json[] | undefined;
  if (list === undefined) object[name] = [single];
  else list.push(single);
}

function entry(type: string, wire: WireField): [string, Json] {
  let key = "";
  let mapped: Json = type === "string" || type === "bytes" ? "" : {};
  for (const part of fieldsOf(bytesOf(wire))) {
    if (part.number === 1) key = bytesOf(part).toString();
    if (part.number === 2) mapped = value(type, part);
  }
  return [key, mapped];
}

/** A number if it holds the integer exactly, else a BigInt. */
function exact(integer: bigint): Json {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

function value(type: string, wire: WireField): Json {
  switch (type) {
    case "string":
      return bytesOf(wire).toString();
    case "bytes":
      return bytesOf(wire).toString("base64");
    case "bool":
      return integerOf(wire) !== 0n;
    case "int32":
    case "int64":
      return exact(BigInt.asIntN(64, integerOf(wire)));
    case "uint32":
    case "uint64":
      return exact(integerOf(wire));
    case "double":
      return fixedOf(wire).readDoubleLE();
    case "float":
      return fixedOf(wire).readFloatLE();
    default:
      return messageValue(type, bytesOf(wire));
  }
}

function messageValue(type: string, bytes: Buffer): Json {
  if (isSpecial(type)) return specialValue(type, bytes, (name) => (part) => messageValue(name, part));
  const message = messageOf(type);
  if (message === undefined) throw new ProtobufError(`no message ${type}`);
  return decodeMessage(message, bytes);
}

function isEmpty(json: Json | undefined): boolean {
  if (json === "" || json === 0 || json === false || json === null) return true;
  return typeof json === "object" && Object.keys(json).length === 0;
}

function bytesOf(wire: WireField): Buffer {
  if (wire.kind !== "Bytes") throw new ProtobufError(`proto: wrong wireType for field ${wire.number}`);
  return wire.value;
}

function fixedOf(wire: WireField): Buffer {
  if (wire.kind !== "Fixed") throw new ProtobufError(`proto: wrong wireType for field ${wire.number}`);
  return wire.value;
}

function integerOf(wire: WireField): bigint {
  if (wire.kind !== "Varint") throw new ProtobufError(`proto: wrong wireType for field ${wire.number}`);
  return wire.value;
}
