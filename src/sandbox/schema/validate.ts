import type { FieldError, Schema } from "../types.ts";
import { SchemaRules } from "./cel/rules.ts";
import { Correlation } from "./correlation.ts";
import { declaredSchema } from "./declaredSchema.ts";
import { validateEmbedded } from "./embedded.ts";
import { invalid, NO_PATH } from "../fieldErrors.ts";
import { validateListTypes } from "./listTypes.ts";
import { validateOpenApi } from "./openApi.ts";
import { type Definitions, resolved } from "./references.ts";

/** Reasons of errors after which the API server does not evaluate rules. */
const BLOCKING = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/**
 * Errors of an object by its schema: types, bounds, patterns, formats, enums, required fields, duplicates in lists of
 * type set and map, embedded resources and CEL rules. With the old object, unchanged parts are not validated
 * (ratcheting), and rules see `oldSelf`. The object's own metadata (names, labels and so on) is not checked.
 */
export function validate(schema: Schema, definitions: Definitions, value: unknown, old?: unknown): FieldError[] {
  const declared = resolved(declaredSchema(schema), definitions);
  const correlation = old === undefined ? undefined : new Correlation(value, old, declared, definitions);
  const errors = validateOpenApi(declared, definitions, value, correlation);
  errors.push(...validateEmbedded(declared, definitions, value));
  if (old === undefined || validateListTypes(declared, definitions, old).length === 0) {
    errors.push(...validateListTypes(declared, definitions, value));
  }
  const rules = SchemaRules.of(declared);
  if (rules.isEmpty) return errors;
  if (errors.some(({ reason }) => BLOCKING.has(reason))) {
    const why =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return [...errors, invalid(NO_PATH, null, why)];
  }
  return [...errors, ...rules.validate(value, old, correlation)];
}
