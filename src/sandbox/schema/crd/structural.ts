import type { FieldError, Schema } from "../../types.ts";
import { equalJson } from "../../equalJson.ts";
import { forbidden, invalid, required } from "../../fieldErrors.ts";
import { valueSchema } from "../references.ts";
import { compilePattern, PatternError } from "../regularExpression.ts";

/**
 * Checks that a schema is structural: every part has a type, and junctors (allOf, anyOf, oneOf, not) only restrict
 * values and name only fields that exist outside of them. Errors are sorted by text, as in the API server.
 */
export function validateStructural(schema: Schema, field: string): FieldError[] {
  const errors = [...invariants(schema, "root", field), ...completeness(schema, schema, field, field)];
  const text = (error: FieldError) => `${error.field}: ${error.message}`;
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
}

type Level = "root" | "item" | "field";

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

const INT_OR_STRING = [{ type: "integer" }, { type: "string" }];

function invariants(schema: Schema, level: Level, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  const preserves = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const { type = "", items, properties = {}, additionalProperties } = schema;
  const says = (error: FieldError) => errors.push(error);

  if (type === "array" && items === undefined) says(required(`${field}.items`, "must be specified"));
  if (items !== undefined) errors.push(...invariants(items, "item", `${field}.items`));
  for (const [name, child] of Object.entries(properties)) {
    errors.push(...invariants(child, "field", `${field}.properties[${name}]`));
  }
  if (additionalProperties !== undefined) {
    if (level === "root") says(forbidden(`${field}.additionalProperties`, "must not be used at the root"));
    const values = valueSchema(schema);
    if (values !== undefined) errors.push(...invariants(values, "field", `${field}.additionalProperties`));
  }
  if (intOrString && preserves) {
    const why = "must be false if x-kubernetes-int-or-string is true";
    says(invalid(`${field}.x-kubernetes-preserve-unknown-fields`, true, why));
  }
  if (intOrString && embedded) {
    says(
      invalid(`${field}.x-kubernetes-embedded-resource`, true, "must be false if x-kubernetes-int-or-string is true"),
    );
  }
  errors.push(...valueValidation(schema, field, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf)));
  if (embedded && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true";
    says(type === "" ? required(`${field}.type`, why) : invalid(`${field}.type`, type, why));
  } else if (type === "" && !intOrString && !preserves) says(required(`${field}.type`, EMPTY_TYPE[level]));
  if (embedded && additionalProperties !== undefined) {
    says(forbidden(`${field}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"));
  }
  if (level === "root" && type !== "" && type !== "object") {
    says(invalid(`${field}.type`, type, "must be object at the root"));
  }
  if (level === "root" || embedded) errors.push(...typeMeta(schema, field));
  const metadata = properties["metadata"];
  if (metadata !== undefined) {
    const at = `${field}.properties[metadata]`;
    if ((level === "root" || embedded) && metadata.type !== "object") {
      says(invalid(`${at}.type`, metadata.type ?? "", "must be object"));
    }
    if (level === "root" && !onlyNames(metadata)) {
      const why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
      says(forbidden(at, why));
    }
  }
  if (embedded && !preserves && Object.keys(properties).length === 0) {
    const why =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    says(required(`${field}.properties`, why));
  }
  return errors;
}

function typeMeta(schema: Schema, field: string): FieldError[] {
  return ["kind", "apiVersion"].flatMap((name) => {
    const property = schema.properties?.[name];
    if (property === undefined || property.type === "string") return [];
    return [invalid(`${field}.properties[${name}].type`, property.type ?? "", "must be string")];
  });
}

/** True if the metadata schema only restricts the two names, whose schemas are checked elsewhere. */
function onlyNames(metadata: Schema): boolean {
  const { type: _type, default: _default, properties = {}, ...rest } = metadata;
  return (
    Object.keys(rest).length === 0 &&
    Object.keys(properties).every((name) => name === "name" || name === "generateName")
  );
}

function isIntOrString(branches: readonly Schema[] | undefined): boolean {
  return branches !== undefined && equalJson(branches, INT_OR_STRING);
}

function valueValidation(schema: Schema, field: string, skipAnyOf = false, skipFirstAllOf = false): FieldError[] {
  const errors: FieldError[] = [];
  if (!skipAnyOf) {
    for (const [index, one] of (schema.anyOf ?? []).entries()) errors.push(...nested(one, `${field}.anyOf[${index}]`));
  }
  for (const [index, one] of (schema.allOf ?? []).entries()) {
    errors.push(...nested(one, `${field}.allOf[${index}]`, skipFirstAllOf && index === 0));
  }
  for (const [index, one] of (schema.oneOf ?? []).entries()) errors.push(...nested(one, `${field}.oneOf[${index}]`));
  if (schema.not !== undefined) errors.push(...nested(schema.not, `${field}.not`));
  const wrong = patternError(schema.pattern);
  if (wrong !== undefined) {
    const why = `must be a valid regular expression, but isn't: ${wrong}`;
    errors.push(invalid(`${field}.pattern`, schema.pattern, why));
  }
  return errors;
}

function patternError(pattern: string | undefined): string | undefined {
  if (pattern === undefined || pattern === "") return undefined;
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

/** Keys forbidden inside a junctor, with the API server's messages. */
const FORBIDDEN: readonly (readonly [keyof Schema, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function nested(schema: Schema, field: string, skipAnyOf = false): FieldError[] {
  const errors = valueValidation(schema, field, skipAnyOf);
  if (schema.items !== undefined) errors.push(...nested(schema.items, `${field}.items`));
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    errors.push(...nested(child, `${field}.properties[${name}]`));
  }
  for (const [key, why] of FORBIDDEN) {
    const value = schema[key];
    const isEmpty = value === undefined || value === "" || (value === false && key !== "additionalProperties");
    if (!isEmpty && !(Array.isArray(value) && value.length === 0)) errors.push(forbidden(`${field}.${key}`, why));
  }
  if (schema.properties?.["metadata"] !== undefined) {
    errors.push(forbidden(`${field}.properties[metadata]`, "must not be specified in a nested context"));
  }
  return errors;
}

/** A field named in a junctor must also exist outside of it. */
function completeness(validation: Schema, schema: Schema, at: string, validationAt: string): FieldError[] {
  const branches: [Schema, string][] = [];
  if (validation.not !== undefined) branches.push([validation.not, "not"]);
  for (const key of ["allOf", "anyOf", "oneOf"] as const) {
    for (const [index, one] of (validation[key] ?? []).entries()) branches.push([one, `${key}[${index}]`]);
  }
  return branches.flatMap(([branch, name]) => branchCompleteness(branch, schema, at, `${validationAt}.${name}`));
}

function branchCompleteness(branch: Schema, schema: Schema | undefined, at: string, branchAt: string): FieldError[] {
  if (schema === undefined) return [required(at, `because it is defined in ${branchAt}`)];
  const errors = completeness(branch, schema, at, branchAt);
  if (branch.items !== undefined) {
    errors.push(...branchCompleteness(branch.items, schema.items, `${at}.items`, `${branchAt}.items`));
  }
  for (const [name, child] of Object.entries(branch.properties ?? {})) {
    const key = `properties[${name}]`;
    errors.push(...branchCompleteness(child, schema.properties?.[name], `${at}.${key}`, `${branchAt}.${key}`));
  }
  return errors;
}
