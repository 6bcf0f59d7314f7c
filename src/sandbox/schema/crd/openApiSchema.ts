import type { FieldError, Schema, ValidationRule } from "../../types.ts";
import { followPath } from "../cel/fieldPath.ts";
import { forbidden, invalid, notSupported, required } from "../../fieldErrors.ts";
import { valueSchema } from "../references.ts";

/** Validates each part of a CRD's schema before its rules are compiled. */

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];

/** Rules for a schema part that depend on its position. */
export interface SchemaContext {
  /** The reason why no default is allowed here; undefined if one is. */
  noDefaults?: string;
  insideMeta: boolean;
  /** Path of the enclosing list whose items cannot be correlated with the old ones. */
  uncorrelatable?: string;
  isRoot: boolean;
}

/** A schema part with its errors. Rules are checked only if neither the part nor the parts below have errors. */
export interface Part {
  schema: Schema;
  field: string;
  context: SchemaContext;
  /** Errors reported before those of the children. */
  before: FieldError[];
  children: Part[];
  /** Errors reported after those of the children. */
  after: FieldError[];
  /** Inside a junctor no rules are compiled. */
  isBranch: boolean;
}

export function partsOf(schema: Schema, field: string, context: SchemaContext, isBranch = false): Part {
  const children: Part[] = [];
  const add = (child: Schema | undefined, name: string, more: Partial<SchemaContext> = {}, branch = isBranch) => {
    if (child === undefined) return;
    children.push(partsOf(child, `${field}.${name}`, { ...context, isRoot: false, ...more }, branch));
  };
  add(valueSchema(schema), "additionalProperties", insideMap(context));
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    add(child, `properties[${name}]`, insideField(schema, name, context));
  }
  add(schema.not, "not", {}, true);
  for (const key of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [index, one] of (schema[key] ?? []).entries()) add(one, `${key}[${index}]`, {}, true);
  }
  if (!Array.isArray(schema.items)) {
    const correlates = schema["x-kubernetes-list-type"] === "map";
    add(schema.items, "items", correlates || context.uncorrelatable !== undefined ? {} : { uncorrelatable: field });
  }
  const after = [...extensions(schema, field), ...ruleTexts(schema, field)];
  return { schema, field, context, before: standard(schema, field, context), children, after, isBranch };
}

function insideMap({ insideMeta }: SchemaContext): Partial<SchemaContext> {
  return insideMeta ? { noDefaults: "inside additionalProperties applying to object metadata" } : {};
}

function insideField(schema: Schema, name: string, { isRoot }: SchemaContext): Partial<SchemaContext> {
  const isResource = isRoot || schema["x-kubernetes-embedded-resource"] === true;
  if (!isResource || !["metadata", "kind", "apiVersion"].includes(name)) return {};
  return { insideMeta: true, ...(isRoot ? { noDefaults: `in top-level ${name}` } : {}) };
}

const UNSUPPORTED: readonly (readonly [key: string, why: string])[] = [
  ["id", "id is not supported"],
  ["additionalItems", "additionalItems is not supported"],
  ["patternProperties", "patternProperties is not supported"],
  ["definitions", "definitions is not supported"],
  ["dependencies", "dependencies is not supported"],
  ["$ref", "$ref is not supported"],
];

function standard(schema: Schema, field: string, { noDefaults, insideMeta }: SchemaContext): FieldError[] {
  const errors: FieldError[] = [];
  const type = schema.type as string | undefined;
  if (type !== undefined && type !== "" && !TYPES.includes(type)) {
    errors.push(notSupported(`${field}.type`, type, TYPES));
  }
  if (schema.default !== undefined && schema.default !== null && noDefaults !== undefined) {
    errors.push(forbidden(`${field}.default`, `must not be set ${noDefaults}`));
  }
  for (const [key, why] of UNSUPPORTED) {
    const value = (schema as Readonly<Record<string, unknown>>)[key];
    if (value !== undefined && value !== "") errors.push(forbidden(`${field}.${key}`, why));
  }
  if (type === "null") {
    errors.push(forbidden(`${field}.type`, "type cannot be set to null, use nullable as an alternative"));
  }
  if (Array.isArray(schema.items)) {
    errors.push(forbidden(`${field}.items`, "items must be a schema object and not an array"));
  }
  if (insideMeta && schema["x-kubernetes-embedded-resource"] === true) {
    errors.push(forbidden(`${field}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  }
  if (schema.uniqueItems === true) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbidden(`${field}.uniqueItems`, why));
  }
  const hasFields = Object.keys(schema.properties ?? {}).length > 0;
  if (hasFields && schema.additionalProperties !== undefined && schema.additionalProperties !== true) {
    const why = "additionalProperties and properties are mutual exclusive";
    errors.push(forbidden(`${field}.additionalProperties`, why));
  }
  return errors;
}

function extensions(schema: Schema, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const { type = "", items } = schema;
  const mapType = schema["x-kubernetes-map-type"] as string | undefined;
  const listType = schema["x-kubernetes-list-type"] as string | undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const wrongType = (needed: string, because: string) => {
    const why = `must be ${needed} if ${because} is specified`;
    errors.push(type === "" ? required(`${field}.type`, why) : invalid(`${field}.type`, type, why));
  };
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.push(invalid(`${field}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  if (mapType !== undefined && type !== "object") wrongType("object", "x-kubernetes-map-type");
  if (mapType !== undefined && mapType !== "atomic" && mapType !== "granular") {
    errors.push(notSupported(`${field}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  if (listType !== undefined && type !== "array") wrongType("array", "x-kubernetes-list-type");
  else if (listType === "set" && items !== undefined) errors.push(...setItems(items, `${field}.items`));
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType)) {
    errors.push(notSupported(`${field}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  }
  if (keys.length > 0 && listType !== "map") {
    const at = `${field}.x-kubernetes-list-type`;
    const why = "must be map if x-kubernetes-list-map-keys is non-empty";
    errors.push(listType === undefined ? required(at, why) : invalid(at, listType, why));
  }
  if (listType === "map") errors.push(...mapItems(items, keys, field));
  if (items !== undefined && (listType === "map" || listType === "set")) {
    errors.push(...nullableItems(items, keys, listType, field));
  }
  return errors;
}

function setItems(items: Schema, field: string): FieldError[] {
  const why = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items["x-kubernetes-list-type"];
  if (items.type === "array" && listType !== undefined && listType !== "atomic") {
    return [invalid(`${field}.x-kubernetes-list-type`, listType, why)];
  }
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    // The API server prints the list type here, regardless of the map type.
    return [invalid(`${field}.x-kubernetes-map-type`, listType ?? null, why)];
  }
  return [];
}

function mapItems(items: Schema | undefined, keys: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = `${field}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(required(at, "must not be empty if x-kubernetes-list-type is map"));
  if (items === undefined) {
    return [...errors, required(`${field}.items`, "must have a schema if x-kubernetes-list-type is map")];
  }
  if (items.type !== "object") {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(`${field}.items.type`, items.type ?? "", why)];
  }
  for (const [index, key] of keys.entries()) {
    const property = items.properties?.[key];
    if (property === undefined) {
      errors.push(invalid(at, keys, "entries must all be names of item properties"));
    } else if (property.type === "array" || property.type === "object") {
      const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${field}.items.properties[${key}].type`, items.type, why));
    }
    if (keys.indexOf(key) !== index) errors.push(invalid(at, keys, "must not contain duplicate entries"));
  }
  return errors;
}

function nullableItems(items: Schema, keys: readonly string[], listType: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    const why = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbidden(`${field}.items.nullable`, why));
  }
  if (listType !== "map") return errors;
  for (const key of keys) {
    const property = items.properties?.[key];
    if (property === undefined) continue;
    const at = `${field}.items.properties[${key}]`;
    const because = "this property is in x-kubernetes-list-map-keys, so it";
    if (items.required?.includes(key) !== true && (property.default === undefined || property.default === null)) {
      errors.push(required(`${at}.default`, `${because} must have a default or be a required property`));
    }
    if (property.nullable === true) errors.push(forbidden(`${at}.nullable`, `${because} cannot be nullable`));
  }
  return errors;
}

const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

function ruleTexts(schema: Schema, field: string): FieldError[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  return rules.flatMap((rule, index) => ruleText(rule, schema, `${field}.x-kubernetes-validations[${index}]`));
}

function ruleText(given: ValidationRule, schema: Schema, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const { rule, message = "", messageExpression = "", reason, fieldPath = "" } = given;
  const hasLines = (text: string) => /[\n\r]/.test(text.trim());
  if (rule.trim() === "") errors.push(required(`${field}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "") {
    errors.push(invalid(`${field}.message`, message, "must be non-empty if specified"));
  } else if (hasLines(message)) errors.push(invalid(`${field}.message`, message, "must not contain line breaks"));
  else if (hasLines(rule) && message.trim() === "") {
    errors.push(required(`${field}.message`, "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(required(`${field}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (reason !== undefined && !REASONS.includes(reason)) {
    errors.push(notSupported(`${field}.reason`, reason, REASONS));
  }
  if (fieldPath === "") return errors;
  const at = `${field}.fieldPath`;
  if (fieldPath.trim() === "") errors.push(invalid(at, fieldPath, "must be non-empty if specified"));
  if (hasLines(fieldPath)) errors.push(invalid(at, fieldPath, "must not contain line breaks"));
  if ("error" in followPath(fieldPath, schema)) errors.push(invalid(at, fieldPath, "must be a valid path"));
  return errors;
}
