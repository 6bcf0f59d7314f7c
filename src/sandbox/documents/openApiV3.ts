import type { Schema } from "../types.ts";
import type { ServedVersion } from "./groups.ts";
import { type Operation, type Parameter, type PathItem, pathsOf } from "./operations.ts";
import type { Definitions, DocumentSchema } from "./schemas.ts";

const UNAUTHORIZED = { description: "Unauthorized" };
const ANSWERS = ["application/json", "application/yaml"];

/** The OpenAPI v3 document of one group and version. */
export function openApiV3(served: ServedVersion, definitions: Definitions, title: string, version: string) {
  const patch = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
  const paths = served.resources.flatMap((item) => Object.entries(pathsOf(item, definitions)));
  return {
    openapi: "3.0.0",
    info: { title, version },
    paths: Object.fromEntries(paths.sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, item]) => [path, pathItem(item)])),
    components: {
      schemas: {
        ...Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, schemaV3(schema)])),
        [patch]: {
          description: "Patch is provided to give a concrete name and type to the Kubernetes PATCH request body.",
          type: "object",
        },
      },
    },
  };
}

function pathItem({ parameters, operations }: PathItem) {
  return {
    ...Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, describe(operation)])),
    parameters: parameters.map(describeParameter),
  };
}

function describe({ operationId, description, action, parameters, request, answer, kind, tag }: Operation) {
  const answered = { description: "OK", ...(answer === undefined ? {} : { content: contentOf(ANSWERS, answer) }) };
  return {
    tags: [tag],
    description,
    operationId,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(describeParameter) }),
    ...(request === undefined
      ? {}
      : {
          requestBody: {
            content: contentOf(request.contentTypes, request.schema),
            ...(action === "delete" ? {} : { required: true }),
          },
        }),
    responses: {
      200: answered,
      ...(action === "post" || action === "put" ? { 201: { ...answered, description: "Created" } } : {}),
      401: UNAUTHORIZED,
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": kind,
  };
}

function contentOf(types: readonly string[], schema: string) {
  return Object.fromEntries(types.map((type) => [type, { schema: { $ref: `#/components/schemas/${schema}` } }]));
}

function describeParameter({ name, in: where, description, type }: Parameter) {
  const required = where === "path" ? { required: true } : {};
  return { name, in: where, description, ...required, schema: { type, uniqueItems: true } };
}

/**
 * A schema in v3: references have another prefix, a reference with siblings becomes `allOf`, and int-or-string becomes
 * `oneOf`.
 */
function schemaV3(schema: Schema): DocumentSchema {
  const { $ref, properties, additionalProperties, items, ...rest } = schema;
  if ($ref !== undefined) {
    const reference = { $ref: $ref.replace("#/definitions/", "#/components/schemas/") };
    return (Object.keys(rest).length === 0 ? reference : { ...rest, allOf: [reference] }) as DocumentSchema;
  }
  const shown: Schema = rest.format === "int-or-string" ? intOrString(rest) : rest;
  if (properties !== undefined) {
    shown.properties = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, schemaV3(part)]));
  }
  if (typeof additionalProperties === "object") shown.additionalProperties = schemaV3(additionalProperties);
  else if (additionalProperties !== undefined) shown.additionalProperties = additionalProperties;
  if (items !== undefined) shown.items = schemaV3(items);
  for (const field of ["allOf", "anyOf", "oneOf"] as const) {
    const several = rest[field];
    if (several !== undefined) shown[field] = several.map(schemaV3);
  }
  if (rest.not !== undefined) shown.not = schemaV3(rest.not);
  return shown as DocumentSchema;
}

/** The sandbox's own x-kubernetes-int-or-string is not published. */
function intOrString({ type: _, "x-kubernetes-int-or-string": _mark, ...rest }: Schema): Schema {
  return { ...rest, oneOf: [{ type: "integer" }, { type: "string" }] };
}
