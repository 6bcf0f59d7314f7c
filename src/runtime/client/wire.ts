import { isRecord, type KubeObject, type ObjectMeta } from "../../apis/index.ts";
import { TransportError } from "../core/index.ts";
import { apiVersionOf } from "./resources.ts";
import type { ApiStatus, ObjectList, ResourceType, WatchEvent } from "../types.ts";

/**
 * Turns the JSON of a server into typed values; no other code reads an answer of unknown shape. An answer that breaks
 * the rules of the API is a failure of the server ({@link TransportError} `Protocol`). Only metadata is checked: the
 * readers of other fields must expect any value.
 */
const LONGEST_NAME = 253;
const LONGEST_VERSION = 128;
const LONGEST_MESSAGE = 4_096;
/** Most characters of a `continue` token. */
const LONGEST_TOKEN = 8_192;
const MOST_CAUSES = 64;
/** Twice the longest label key, label value or field manager. */
const LONGEST_LABEL = 640;
const LONGEST_TIME = 64;
/** All annotations together, and all finalizers: four times the API server's limit. */
const MOST_TEXT = 1 << 20;

/** Characters that separate names in keys and paths. */
const NOT_IN_NAMES = /[\s/%]|\p{Cc}/u;

/** The value is fresh from the parser, so apiVersion and kind are set in place. */
export function objectFrom(value: unknown, type: ResourceType, host: string): KubeObject {
  const fault = isRecord(value) ? faultOf(value["metadata"]) : "that is not an object";
  if (fault !== undefined) throw new TransportError("Protocol", `${host} sent an object of ${type.plural} ${fault}`);
  // Items of a list have no apiVersion and kind, and metadata-only answers have a kind of their own.
  const object = value as KubeObject;
  object.apiVersion = apiVersionOf(type);
  object.kind = type.kind;
  return object;
}

/** Throws if a store cannot hold the object. */
export function storable(object: KubeObject, type: ResourceType, cluster: string): KubeObject {
  const { uid, resourceVersion, namespace } = object.metadata;
  const missing =
    uid === undefined || uid === ""
      ? "uid"
      : resourceVersion === undefined || resourceVersion === ""
        ? "resourceVersion"
        : type.namespaced && namespace === undefined
          ? "namespace"
          : undefined;
  if (missing === undefined) return object;
  throw new TransportError("Protocol", `${cluster} sent an object of ${type.plural} without metadata.${missing}`);
}

/** The kind must end in `List`: a server that answers `{}` is not an empty cluster. `null` is an empty list. */
export function listFrom(value: unknown, type: ResourceType, host: string): ObjectList {
  const { kind, metadata = {}, items: given } = isRecord(value) ? value : {};
  const items = given === null ? [] : given;
  if (typeof kind !== "string" || !kind.endsWith("List") || !isRecord(metadata) || !Array.isArray(items))
    throw new TransportError("Protocol", `${host} sent something that is not a list of ${type.plural}`);
  const { resourceVersion = "", continue: next } = metadata;
  if (!isText(resourceVersion, LONGEST_VERSION) || (next !== undefined && !isText(next, LONGEST_TOKEN)))
    throw new TransportError("Protocol", `${host} sent a list of ${type.plural} that says no version`);
  return {
    items: items.map((item) => objectFrom(item, type, host)),
    resourceVersion,
    ...(next === undefined || next === "" ? {} : { continue: next }),
  };
}

export function eventFrom(value: unknown, type: ResourceType, host: string): WatchEvent {
  const event = isRecord(value) ? value : {};
  switch (event["type"]) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type: event["type"], object: objectFrom(event["object"], type, host) };
    case "BOOKMARK":
      return { type: "BOOKMARK", object: bookmarkFrom(event["object"], type, host) };
    case "ERROR":
      return { type: "ERROR", status: statusFrom(event["object"]) ?? { code: 0 } };
    default:
      throw new TransportError("Protocol", `${host} sent an event of an unknown type in a watch`);
  }
}

/** A bookmark concerns the whole selection, so its object has no name. */
function bookmarkFrom(value: unknown, type: ResourceType, host: string): KubeObject {
  const metadata = isRecord(value) ? value["metadata"] : undefined;
  const { resourceVersion, annotations } = isRecord(metadata) ? metadata : {};
  if (!isText(resourceVersion, LONGEST_VERSION) || !isTextMap(annotations, MOST_TEXT))
    throw new TransportError("Protocol", `${host} sent a bookmark without a version in a watch of ${type.plural}`);
  const { object } = bookmarkOf(type, resourceVersion);
  return annotations === undefined ? object : { ...object, metadata: { ...object.metadata, annotations } };
}

/** Every change up to this version is known. */
export function bookmarkOf(type: ResourceType, resourceVersion: string): Extract<WatchEvent, { type: "BOOKMARK" }> {
  const object = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name: "", resourceVersion } };
  return { type: "BOOKMARK", object };
}

/** The fields that readers need; undefined for another value. */
export function statusFrom(value: unknown): ApiStatus | undefined {
  if (!isRecord(value) || (value["kind"] !== undefined && value["kind"] !== "Status")) return undefined;
  const { code, reason, message, details } = value;
  return {
    code: typeof code === "number" ? code : 0,
    ...(typeof reason === "string" && reason !== "" ? { reason: cut(reason, LONGEST_NAME) } : {}),
    ...(typeof message === "string" && message !== "" ? { message: cut(message, LONGEST_MESSAGE) } : {}),
    ...(isRecord(details) ? { details: detailsFrom(details) } : {}),
  };
}

function detailsFrom(details: Record<string, unknown>): NonNullable<ApiStatus["details"]> {
  const { name, group, kind, retryAfterSeconds, causes } = details;
  return {
    ...(typeof name === "string" ? { name: cut(name, LONGEST_NAME) } : {}),
    ...(typeof group === "string" ? { group: cut(group, LONGEST_NAME) } : {}),
    ...(typeof kind === "string" ? { kind: cut(kind, LONGEST_NAME) } : {}),
    ...(typeof retryAfterSeconds === "number" ? { retryAfterSeconds } : {}),
    ...(Array.isArray(causes) ? { causes: causes.slice(0, MOST_CAUSES).filter(isRecord).map(causeFrom) } : {}),
  };
}

function causeFrom({ reason, message, field }: Record<string, unknown>): { [key: string]: string } {
  return {
    ...(typeof reason === "string" ? { reason: cut(reason, LONGEST_NAME) } : {}),
    ...(typeof message === "string" ? { message: cut(message, LONGEST_MESSAGE) } : {}),
    ...(typeof field === "string" ? { field: cut(field, LONGEST_NAME) } : {}),
  };
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length);
}

/** First fault of an object's metadata. */
function faultOf(metadata: unknown): string | undefined {
  if (!isRecord(metadata)) return "without metadata";
  // So some servers write an object without a namespace.
  if (metadata["namespace"] === "") delete metadata["namespace"];
  const meta: { [field in keyof ObjectMeta]?: unknown } = metadata;
  if (!isName(meta.name)) return "without a name that objects can have";
  if (meta.namespace !== undefined && !isName(meta.namespace)) return "in a namespace that cannot be";
  if (meta.uid !== undefined && !isText(meta.uid, LONGEST_NAME)) return "whose uid is not a text";
  if (meta.resourceVersion !== undefined && !isText(meta.resourceVersion, LONGEST_VERSION))
    return "whose resourceVersion is not a text";
  if (meta.deletionTimestamp !== undefined && !isText(meta.deletionTimestamp, LONGEST_TIME))
    return "whose deletionTimestamp is not a time";
  const { creationTimestamp = null } = meta;
  if (creationTimestamp !== null && !isText(creationTimestamp, LONGEST_TIME))
    return "whose creationTimestamp is not a time";
  if (meta.generation !== undefined && !Number.isFinite(meta.generation)) return "whose generation is not a number";
  if (!isTextMap(meta.labels, LONGEST_LABEL)) return "whose labels are not short texts";
  if (!isTextMap(meta.annotations, MOST_TEXT)) return "whose annotations are not texts, or too long";
  if (!isTextList(meta.finalizers)) return "whose finalizers are not texts, or too long";
  if (!isListOf(meta.ownerReferences, isOwnerReference)) return "whose ownerReferences are malformed";
  if (!isListOf(meta.managedFields, isManagedFieldsEntry)) return "whose managedFields are malformed";
  return undefined;
}

function isOwnerReference(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { apiVersion, kind, name, uid } = value;
  return [apiVersion, kind, name, uid].every((text) => isOptionalText(text));
}

function isManagedFieldsEntry(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { manager, operation, subresource, time, fieldsV1 } = value;
  return (
    isOptionalText(manager) &&
    isOptionalText(operation) &&
    isOptionalText(subresource) &&
    isOptionalText(time, LONGEST_TIME) &&
    (fieldsV1 === undefined || isRecord(fieldsV1))
  );
}

function isName(value: unknown): boolean {
  return isText(value, LONGEST_NAME) && value !== "" && value !== "." && value !== ".." && !NOT_IN_NAMES.test(value);
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === "string" && value.length <= longest;
}

function isOptionalText(value: unknown, longest = LONGEST_LABEL): boolean {
  return value === undefined || isText(value, longest);
}

/** `longest`: of each value. The whole map has a limit as well. */
function isTextMap(value: unknown, longest: number): value is Record<string, string> | undefined {
  if (value === undefined) return true;
  if (!isRecord(value)) return false;
  let length = 0;
  for (const key in value) {
    const text = value[key];
    if (!isText(text, longest) || key.length > LONGEST_LABEL) return false;
    length += key.length + text.length;
    if (length > MOST_TEXT) return false;
  }
  return true;
}

function isTextList(value: unknown): boolean {
  let length = 0;
  return isListOf(value, (item) => isText(item, MOST_TEXT) && (length += item.length) <= MOST_TEXT);
}

function isListOf(value: unknown, accepts: (item: unknown) => boolean): boolean {
  return value === undefined || (Array.isArray(value) && value.every(accepts));
}
