import { parseJson, parseYaml as readYaml, YamlError } from "../../../apis/index.ts";
import { jsonType } from "../../jsonType.ts";
import { DecodeError } from "../../kinds/index.ts";
import { decodeObject, PROTOBUF_TYPE, ProtobufError } from "../../protobuf/index.ts";
import { prune } from "../../schema/index.ts";
import { badRequest, failure, type StatusError } from "../../statusError.ts";
import type { Json, KubeObject, RequestContext } from "../../types.ts";
import { type Catalog, type Endpoint } from "../catalog/index.ts";
import { repeatedFields } from "./repeatedFields.ts";

/** The raw body of a request. */
export interface Body {
  /** Empty for protobuf, which is binary. */
  text: string;
  bytes: Buffer;
  /** The media type without parameters, in lower case; "" if absent. */
  type: string;
}

/** The type of object that an endpoint accepts. */
export interface Expected {
  apiVersion: string;
  kind: string;
}

/** Reads JSON or YAML into an object. Throws a StatusError: 400 for an unreadable body, 415 for another media type. */
export function readBody(body: Body, { kind, apiVersion }: Expected, context: RequestContext): Record<string, Json> {
  const value = parseBody(body, kind);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw unrecognized(kind, `it is ${jsonType(value)}`);
  }
  if (context.fieldValidation !== "Ignore" && (body.type === "" || body.type === "application/json")) {
    const repeated = repeatedFields(body.text);
    if (repeated.length > 0) {
      const complaints = repeated.map((path) => `duplicate field "${path}"`);
      report(complaints, context, (why) => cannotBe(kind, apiVersion, why));
    }
  }
  return value as Record<string, Json>;
}

function parseBody({ text, type, bytes }: Body, kind: string): unknown {
  switch (type) {
    case PROTOBUF_TYPE:
      try {
        return decodeObject(bytes);
      } catch (error) {
        if (error instanceof ProtobufError) throw badRequest(error.message);
        throw error;
      }
    case "":
    case "application/json":
      try {
        return parseJson(text);
      } catch (cause) {
        throw unrecognized(kind, (cause as Error).message);
      }
    case "application/yaml":
      return parseYaml(text);
    default:
      throw failure(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
      );
  }
}

/** Reads YAML, of which JSON is a subset. Throws a StatusError 400. */
export function parseYaml(text: string): unknown {
  // The JSON parser is much faster. A text that only looks like JSON may still be YAML.
  if (text.startsWith("{")) {
    try {
      return parseJson(text);
    } catch {
      return parseAsYaml(text);
    }
  }
  return parseAsYaml(text);
}

function parseAsYaml(text: string): unknown {
  try {
    return readYaml(text, { uniqueKeys: true });
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause;
    throw badRequest(`error decoding YAML: ${cause.message}`);
  }
}

function unrecognized(kind: string, why: string): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why}`);
}

/**
 * Checks that an object is of the endpoint's kind, and fills in a missing apiVersion or kind. Throws a StatusError 400.
 */
export function ofKind(catalog: Catalog, endpoint: Endpoint, value: Readonly<Record<string, Json>>): KubeObject {
  const { resource, apiVersion } = endpoint;
  if (resource.crd !== undefined && (value["kind"] ?? "") === "") {
    throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
  }
  return ofKindNamed(catalog, value, apiVersion, resource.kind);
}

/** Like {@link ofKind}, for kinds that are no resource: Scale, Binding, Eviction… */
export function ofKindNamed(
  catalog: Catalog,
  value: Readonly<Record<string, Json>>,
  apiVersion: string,
  kind: string,
): KubeObject {
  const saidVersion = textOf(value["apiVersion"]) || apiVersion;
  const saidKind = textOf(value["kind"]) || kind;
  if (saidVersion !== apiVersion || saidKind !== kind) {
    const served = catalog.byKind(saidVersion, saidKind);
    if (served?.resource.crd !== undefined || (served === undefined && saidKind === kind && kind !== "")) {
      throw badRequest(
        `the API version in the data (${saidVersion}) does not match the expected API version (${apiVersion})`,
      );
    }
    throw badRequest(cannotBe(saidKind, saidVersion, `${kind} of ${apiVersion} is expected`));
  }
  const metadata = value["metadata"];
  if (metadata !== undefined && metadata !== null && (typeof metadata !== "object" || Array.isArray(metadata))) {
    throw badRequest(cannotBe(kind, apiVersion, `metadata must be an object, not ${jsonType(metadata)}`));
  }
  return { ...value, apiVersion, kind, metadata: metadata ?? {} } as unknown as KubeObject;
}

/**
 * Decodes a submission: unknown fields are removed, with a warning or refusal as the request asks, and defaults are
 * set. Throws a StatusError 400.
 */
export function decoded(endpoint: Endpoint, object: KubeObject, context: RequestContext): KubeObject {
  const { resource, version, apiVersion, rules } = endpoint;
  const { kind } = resource;
  const refusal = (why: string) => cannotBe(kind, apiVersion, why);
  // The decoder of a built-in kind drops unknown fields by itself.
  const isReported = resource.crd !== undefined || context.fieldValidation !== "Ignore";
  const { value, unknown } = isReported
    ? prune(version.schema, resource.definitions, object)
    : { value: object, unknown: [] };
  if (unknown.length > 0) {
    report(
      unknown.map((path) => `unknown field "${path}"`),
      context,
      refusal,
    );
  }
  try {
    return rules.defaults?.(value, apiVersion) ?? value;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(refusal(error.message));
    throw error;
  }
}

/**
 * Like {@link decoded}, for an object made from the decoded object `base`. Parts identical to `base` are not checked
 * again and stay identical.
 */
export function decodedOver(
  endpoint: Endpoint,
  object: KubeObject,
  base: KubeObject | undefined,
  context: RequestContext,
): KubeObject {
  // stringData of a Secret becomes part of its data, and defaults of a Service's status depend on its spec.
  const isMixed = endpoint.resource.group === "" && ["Secret", "Service"].includes(endpoint.resource.kind);
  if (base === undefined || base.apiVersion !== object.apiVersion || isMixed) return decoded(endpoint, object, context);
  const same: Record<string, unknown> = {};
  const changed: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(object)) {
    const isSame = typeof value === "object" && field !== "metadata" && value === base[field];
    (isSame ? same : changed)[field] = value;
  }
  return { ...decoded(endpoint, changed as KubeObject, context), ...same };
}

function report(
  complaints: readonly string[],
  { fieldValidation, warn }: RequestContext,
  refusal: (why: string) => string,
): void {
  if (fieldValidation === "Strict") throw badRequest(refusal(`strict decoding error: ${complaints.join(", ")}`));
  if (fieldValidation === "Warn") for (const complaint of complaints) warn(complaint);
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function cannotBe(kind: string, apiVersion: string, why: string): string {
  return `${kind} in version "${versionOf(apiVersion)}" cannot be handled as a ${kind}: ${why}`;
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}
