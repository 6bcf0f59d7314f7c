import type { Schema, ValidationRule } from "../../types.ts";
import { escapeHtml } from "../../fields/goText.ts";
import { Printed } from "../fieldErrors.ts";
import type { CrdVersion } from "./crdTypes.ts";

/**
 * Schemas, versions and rules as the API server prints them in its findings: as JSON of its own internal types, with every field of theirs and in
 * their order.
 */

type Shape = Readonly<Record<string, unknown>>;

export function printedRule(rule: ValidationRule): Printed {
  return printed(ruleShape(rule));
}

export function printedSchema(schema: Schema): Printed {
  return printed(schemaShape(schema));
}

/** Without the parts that all versions have in common: the API server keeps those at the top of the spec. */
export function printedVersions(versions: readonly CrdVersion[]): Printed {
  return printed(versions.map(versionShape));
}

function printed(shape: unknown): Printed {
  return new Printed(escapeHtml(JSON.stringify(shape)));
}

function ruleShape({
  rule,
  message = "",
  messageExpression = "",
  reason,
  fieldPath = "",
  optionalOldSelf,
}: ValidationRule): Shape {
  return {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  };
}

function versionShape(version: CrdVersion): Shape {
  const { schema, subresources, additionalPrinterColumns: columns, selectableFields: fields } = version;
  const { scale } = subresources ?? {};
  return {
    Name: version.name ?? "",
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: schema === undefined ? null : { OpenAPIV3Schema: optional(schema.openAPIV3Schema) },
    Subresources:
      subresources === undefined
        ? null
        : {
            Status: subresources.status === undefined ? null : {},
            Scale:
              scale === undefined
                ? null
                : {
                    SpecReplicasPath: scale.specReplicasPath ?? "",
                    StatusReplicasPath: scale.statusReplicasPath ?? "",
                    LabelSelectorPath: scale.labelSelectorPath ?? null,
                  },
          },
    AdditionalPrinterColumns:
      columns?.map((column) => ({
        Name: column.name ?? "",
        Type: column.type ?? "",
        Format: column.format ?? "",
        Description: column.description ?? "",
        Priority: column.priority ?? 0,
        JSONPath: column.jsonPath ?? "",
      })) ?? null,
    SelectableFields: fields?.map(({ jsonPath = "" }) => ({ JSONPath: jsonPath })) ?? null,
  };
}

function optional(schema: Schema | undefined): Shape | null {
  return schema === undefined ? null : schemaShape(schema);
}

/** Keys that the sandbox does not use but that may stand in a CRD. */
type AnySchema = Schema & Readonly<Record<string, unknown>>;

function schemaShape(given: Schema): Shape {
  const schema = given as AnySchema;
  const list = (schemas: readonly Schema[] | undefined) => schemas?.map(schemaShape) ?? null;
  const { properties, additionalProperties: values } = schema;
  return {
    ID: schema["id"] ?? "",
    Schema: schema["$schema"] ?? "",
    Ref: schema.$ref ?? null,
    Description: schema.description ?? "",
    Type: schema.type ?? "",
    Nullable: schema.nullable ?? false,
    Format: schema.format ?? "",
    Title: schema.title ?? "",
    Default: schema.default ?? null,
    Maximum: schema.maximum ?? null,
    ExclusiveMaximum: schema.exclusiveMaximum ?? false,
    Minimum: schema.minimum ?? null,
    ExclusiveMinimum: schema.exclusiveMinimum ?? false,
    MaxLength: schema.maxLength ?? null,
    MinLength: schema.minLength ?? null,
    Pattern: schema.pattern ?? "",
    MaxItems: schema.maxItems ?? null,
    MinItems: schema.minItems ?? null,
    UniqueItems: schema.uniqueItems ?? false,
    MultipleOf: schema.multipleOf ?? null,
    Enum: schema.enum ?? null,
    MaxProperties: schema.maxProperties ?? null,
    MinProperties: schema.minProperties ?? null,
    Required: schema.required ?? null,
    Items: schema.items === undefined ? null : { Schema: schemaShape(schema.items), JSONSchemas: null },
    AllOf: list(schema.allOf),
    OneOf: list(schema.oneOf),
    AnyOf: list(schema.anyOf),
    Not: optional(schema.not),
    Properties:
      properties === undefined
        ? null
        : Object.fromEntries(
            Object.entries(properties)
              .toSorted(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, child]) => [name, schemaShape(child)]),
          ),
    AdditionalProperties:
      values === undefined
        ? null
        : typeof values === "boolean"
          ? { Allows: values, Schema: null }
          : { Allows: true, Schema: schemaShape(values) },
    PatternProperties: schema["patternProperties"] ?? null,
    Dependencies: schema["dependencies"] ?? null,
    AdditionalItems: schema["additionalItems"] ?? null,
    Definitions: schema["definitions"] ?? null,
    ExternalDocs: schema["externalDocs"] ?? null,
    Example: schema["example"] ?? null,
    XPreserveUnknownFields: schema["x-kubernetes-preserve-unknown-fields"] ?? null,
    XEmbeddedResource: schema["x-kubernetes-embedded-resource"] ?? false,
    XIntOrString: schema["x-kubernetes-int-or-string"] ?? false,
    XListMapKeys: schema["x-kubernetes-list-map-keys"] ?? null,
    XListType: schema["x-kubernetes-list-type"] ?? null,
    XMapType: schema["x-kubernetes-map-type"] ?? null,
    XValidations: schema["x-kubernetes-validations"]?.map(ruleShape) ?? null,
  };
}

const NAMES: Readonly<Record<string, string>> = {
  $ref: "Ref",
  $schema: "Schema",
  id: "ID",
  "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields",
  "x-kubernetes-embedded-resource": "XEmbeddedResource",
  "x-kubernetes-int-or-string": "XIntOrString",
  "x-kubernetes-list-map-keys": "XListMapKeys",
  "x-kubernetes-list-type": "XListType",
  "x-kubernetes-map-type": "XMapType",
  "x-kubernetes-validations": "XValidations",
};

/** What the API server calls a key of a schema inside. */
export function internalName(key: string): string {
  return NAMES[key] ?? `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
}
