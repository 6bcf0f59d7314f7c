import type { FieldError, Schema } from "../../types.ts";
import { SchemaRules } from "../cel/rules.ts";
import { validateEmbedded, validateResource } from "../embedded.ts";
import { equalJson } from "../../equalJson.ts";
import { invalid, NO_PATH } from "../../fieldErrors.ts";
import { validateOpenApiAt } from "../openApi.ts";
import { pruneValue } from "../prune.ts";
import { isRecord } from "../../jsonType.ts";

/**
 * Checks that the schema accepts its own defaults. Defaults of map values are not checked; defaults of a resource's
 * metadata are checked only as far as possible without the resource.
 */
export function validateDefaults(schema: Schema, field: string): FieldError[] {
  return [...defaultErrors(schema, field), ...below(schema, field, true)];
}

function below(schema: Schema, field: string, isResource: boolean): FieldError[] {
  const errors = schema.items === undefined ? [] : validateDefaults(schema.items, `${field}.items`);
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const at = `${field}.properties[${name}]`;
    const isMeta = isResource && (name === "metadata" || name === "apiVersion" || name === "kind");
    if (isMeta) errors.push(...metaDefaults(child, at));
    else
      errors.push(...defaultErrors(child, at), ...below(child, at, child["x-kubernetes-embedded-resource"] === true));
  }
  return errors;
}

function defaultErrors(schema: Schema, field: string): FieldError[] {
  const { default: value } = schema;
  if (value === undefined || value === null) return [];
  const at = `${field}.default`;
  const errors: FieldError[] = [];
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  if (!equalJson(pruneValue(schema, value, embedded), value)) {
    errors.push(invalid(at, value, "must not have unknown fields"));
  }
  const resources = embedded && isRecord(value) ? validateResource(value, at) : validateEmbedded(schema, {}, value, at);
  if (resources.length > 0) return [...errors, ...resources];
  const values = validateOpenApiAt(at, schema, {}, value);
  if (values.length > 0) return [...errors, ...values];
  const rules = SchemaRules.of(schema);
  const asUpdate = rules.validate(value, value, undefined);
  const broken = asUpdate.length > 0 ? asUpdate : rules.validate(value, undefined, undefined);
  return [...errors, ...broken.map((error) => ({ ...error, field: placed(error.field, at) }))];
}

function metaDefaults(schema: Schema, field: string): FieldError[] {
  const value = schema.default;
  const own = value === undefined || value === null ? [] : validateOpenApiAt(`${field}.default`, schema, {}, value);
  const properties = Object.entries(schema.properties ?? {});
  return [...own, ...properties.flatMap(([name, child]) => metaDefaults(child, `${field}.properties[${name}]`))];
}

function placed(field: string, at: string): string {
  return field === NO_PATH || field === "" ? at : `${at}.${field}`;
}
