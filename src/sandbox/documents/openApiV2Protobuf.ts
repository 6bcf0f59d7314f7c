import type { Schema } from "../types.ts";
import type { OpenApiV2, OperationV2, ParameterV2, PathItemV2 } from "./openApiV2.ts";
import { Message } from "./protobuf.ts";
import type { DocumentSchema } from "./schemas.ts";

/**
 * Encodes the OpenAPI v2 document in the format that kubectl requests (`openapi.v2.Document` of
 * github.com/google/gnostic). The numbers are protobuf field numbers.
 */
export function encodeOpenApiV2({ swagger, info, paths, definitions }: OpenApiV2): Buffer {
  return new Message()
    .text(1, swagger)
    .message(2, new Message().text(1, info.title).text(2, info.version))
    .message(8, new Message().messages(2, named(paths, encodePath)))
    .message(9, new Message().messages(1, named(definitions, encodeSchema)))
    .bytes();
}

/** Name-value pairs, gnostic's encoding of every map. */
function named<T>(values: Readonly<Record<string, T>>, encode: (value: T) => Message): Message[] {
  return Object.entries(values).map(([name, value]) => new Message().text(1, name).message(2, encode(value)));
}

function encodePath({ parameters, ...operations }: PathItemV2): Message {
  return new Message()
    .message(2, optional(operations.get, encodeOperation))
    .message(3, optional(operations.put, encodeOperation))
    .message(4, optional(operations.post, encodeOperation))
    .message(5, optional(operations.delete, encodeOperation))
    .message(8, optional(operations.patch, encodeOperation))
    .messages(9, parameters.map(encodeParameter));
}

function optional<T>(value: T | undefined, encode: (value: T) => Message): Message | undefined {
  return value === undefined ? undefined : encode(value);
}

function encodeOperation(operation: OperationV2): Message {
  const responses = named(operation.responses, ({ description, schema }) => {
    const response = new Message().text(1, description);
    if (schema !== undefined) response.message(2, new Message().message(1, new Message().text(1, schema.$ref)));
    return new Message().message(1, response);
  });
  return new Message()
    .texts(1, operation.tags)
    .text(3, operation.description)
    .text(5, operation.operationId)
    .texts(6, operation.produces)
    .texts(7, operation.consumes)
    .messages(8, operation.parameters.map(encodeParameter))
    .message(9, new Message().messages(1, responses))
    .texts(10, operation.schemes)
    .messages(13, extensions(operation));
}

function encodeParameter(parameter: ParameterV2): Message {
  if (parameter.in === "body") {
    const body = new Message()
      .text(2, parameter.name)
      .text(3, parameter.in)
      .flag(4, parameter.required)
      .message(5, new Message().text(1, parameter.schema.$ref));
    return new Message().message(1, new Message().message(1, body));
  }
  const { required, in: where, description, name, type, uniqueItems } = parameter;
  const message = new Message().flag(1, required).text(2, where).text(3, description).text(4, name);
  const whole =
    where === "query" ? message.text(6, type).flag(20, uniqueItems) : message.text(5, type).flag(19, uniqueItems);
  return new Message().message(1, new Message().message(2, new Message().message(where === "query" ? 3 : 4, whole)));
}

function encodeSchema(schema: Schema): Message {
  return new Message()
    .text(1, schema.$ref)
    .text(2, schema.format)
    .text(3, schema.title)
    .text(4, schema.description)
    .double(6, schema.multipleOf)
    .double(7, schema.maximum)
    .flag(8, schema.exclusiveMaximum)
    .double(9, schema.minimum)
    .flag(10, schema.exclusiveMinimum)
    .integer(11, schema.maxLength)
    .integer(12, schema.minLength)
    .text(13, schema.pattern)
    .integer(14, schema.maxItems)
    .integer(15, schema.minItems)
    .flag(16, schema.uniqueItems)
    .integer(17, schema.maxProperties)
    .integer(18, schema.minProperties)
    .texts(19, schema.required)
    .messages(20, (schema.enum ?? []).map(anything))
    .message(21, additional(schema.additionalProperties))
    .message(
      22,
      optional(schema.type, (type) => new Message().texts(1, [type])),
    )
    .message(
      23,
      optional(schema.items, (items) => new Message().messages(1, [encodeSchema(items)])),
    )
    .messages(24, (schema.allOf ?? []).map(encodeSchema))
    .message(
      25,
      optional(schema.properties, (properties) => new Message().messages(1, named(properties, encodeSchema))),
    )
    .messages(31, extensions(schema as DocumentSchema));
}

function additional(value: Schema["additionalProperties"]): Message | undefined {
  if (value === undefined) return undefined;
  // A false in a oneof would have to be written; the API server never publishes one.
  return typeof value === "object" ? new Message().message(1, encodeSchema(value)) : new Message().flag(2, value);
}

function extensions(value: object): Message[] {
  const own = Object.entries(value).filter(([name]) => name.startsWith("x-"));
  return named(Object.fromEntries(own), anything);
}

/** A value of any type is encoded as YAML, of which JSON is a subset. */
function anything(value: unknown): Message {
  return new Message().text(2, `${JSON.stringify(value)}\n`);
}
