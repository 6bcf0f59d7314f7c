import { defined } from "../../apis/index.ts";
import type { Schema } from "../types.ts";
import type { ServedGroup } from "./groups.ts";
import { type Operation, type Parameter, type PathItem, pathsOf } from "./operations.ts";
import type { Definitions, DocumentSchema } from "./schemas.ts";

/** A query or path parameter. */
export interface NonBodyParameterV2 {
  name: string;
  in: "query" | "path";
  description: string;
  required?: true;
  type: string;
  uniqueItems: true;
}

export interface BodyParameterV2 {
  name: "body";
  in: "body";
  required?: true;
  schema: { $ref: string };
}

export type ParameterV2 = NonBodyParameterV2 | BodyParameterV2;

export interface OperationV2 {
  tags: string[];
  description: string;
  operationId: string;
  consumes: readonly string[];
  produces: readonly string[];
  schemes: string[];
  parameters: ParameterV2[];
  responses: Record<string, { description: string; schema?: { $ref: string } }>;
  "x-kubernetes-action": string;
  "x-kubernetes-group-version-kind": Operation["kind"];
}

export type PathItemV2 = { parameters: ParameterV2[] } & {
  [Method in "get" | "put" | "post" | "delete" | "patch"]?: OperationV2;
};

export interface OpenApiV2 {
  swagger: "2.0";
  info: { title: string; version: string };
  paths: Record<string, PathItemV2>;
  definitions: Record<string, DocumentSchema>;
}

const PRODUCES = ["application/json", "application/yaml"];

/** The OpenAPI v2 document of all served resources. */
export function openApiV2(groups: readonly ServedGroup[], definitions: Definitions, version: string): OpenApiV2 {
  const served = groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
  const custom = new Set(
    served.filter(({ resource }) => resource.crd !== undefined).map(({ resource }) => resource.group),
  );
  const paths = served.flatMap((item) => Object.entries(pathsOf(item, definitions)));
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version },
    paths: Object.fromEntries(paths.sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, item]) => [path, pathItem(item)])),
    definitions: {
      ...Object.fromEntries(
        Object.entries(definitions).map(([name, schema]) => [
          name,
          isOf(schema, custom) ? customSchema(schema) : builtinSchema(schema),
        ]),
      ),
      "io.k8s.apimachinery.pkg.apis.meta.v1.Patch": {
        description: "Patch is provided to give a concrete name and type to the Kubernetes PATCH request body.",
        type: "object",
      },
    },
  };
}

function isOf(schema: DocumentSchema, groups: ReadonlySet<string>): boolean {
  const kinds = schema["x-kubernetes-group-version-kind"] as readonly { group: string }[] | undefined;
  return kinds?.length === 1 && groups.has(kinds[0]?.group ?? "");
}

function pathItem({ parameters, operations }: PathItem): PathItemV2 {
  return {
    ...Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, describe(operation)])),
    parameters: parameters.map(describeParameter),
  };
}

function describe({
  operationId,
  description,
  action,
  parameters,
  request,
  answer,
  kind,
  tag,
}: Operation): OperationV2 {
  const schema = answer === undefined ? {} : { schema: { $ref: `#/definitions/${answer}` } };
  const body: ParameterV2[] =
    request === undefined
      ? []
      : [
          {
            name: "body",
            in: "body",
            ...(action === "delete" ? {} : { required: true as const }),
            schema: { $ref: `#/definitions/${request.schema}` },
          },
        ];
  return {
    tags: [tag],
    description,
    operationId,
    consumes: request?.contentTypes ?? ["*/*"],
    produces: PRODUCES,
    schemes: ["https"],
    parameters: [...body, ...parameters.map(describeParameter)],
    responses: {
      200: { description: "OK", ...schema },
      ...(action === "post" || action === "put" ? { 201: { description: "Created", ...schema } } : {}),
      401: { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": kind,
  };
}

function describeParameter({ name, in: where, description, type }: Parameter): NonBodyParameterV2 {
  const required = where === "path" ? { required: true as const } : {};
  return { name, in: where, description, ...required, type, uniqueItems: true };
}

/** A built-in schema in v2, which publishes no defaults and shows int-or-string as string. */
function builtinSchema(schema: Schema): DocumentSchema {
  const {
    default: _,
    "x-kubernetes-int-or-string": _mark,
    oneOf,
    properties,
    items,
    additionalProperties,
    ...rest
  } = schema;
  return {
    ...rest,
    ...(oneOf === undefined ? {} : { type: "string" }),
    ...mapped(properties, items, additionalProperties, builtinSchema),
  } as DocumentSchema;
}

/** Leaves open what v2 cannot express about a custom resource, as the server does: unknown fields, null, alternatives. */
function customSchema(schema: Schema): DocumentSchema {
  const { default: _, nullable, anyOf: _any, oneOf: _one, allOf: _all, not: _not, ...rest } = schema;
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) {
    const { type, properties: _p, items: _i, additionalProperties: _a, required: _r, ...open } = rest;
    // At the root the type stays and x-kubernetes-preserve-unknown-fields is removed.
    const { "x-kubernetes-preserve-unknown-fields": _mark, ...root } = open;
    const isRoot = Object.hasOwn(schema, "x-kubernetes-group-version-kind");
    return (isRoot ? { ...root, ...defined({ type }) } : open) as DocumentSchema;
  }
  if (nullable === true || schema["x-kubernetes-int-or-string"] === true) {
    const { type: _t, format: _f, properties: _p, items: _i, additionalProperties: _a, required: _r, ...open } = rest;
    return open as DocumentSchema;
  }
  const { properties, items, additionalProperties, ...others } = rest;
  return { ...others, ...mapped(properties, items, additionalProperties, customSchema) } as DocumentSchema;
}

function mapped(
  properties: Schema["properties"],
  items: Schema["items"],
  additionalProperties: Schema["additionalProperties"],
  map: (schema: Schema) => Schema,
): Schema {
  const shown: Schema = {};
  if (properties !== undefined) {
    shown.properties = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, map(part)]));
  }
  if (items !== undefined) shown.items = map(items);
  if (typeof additionalProperties === "object") shown.additionalProperties = map(additionalProperties);
  else if (additionalProperties !== undefined) shown.additionalProperties = additionalProperties;
  return shown;
}
