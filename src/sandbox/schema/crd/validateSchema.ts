import type { FieldError, Schema } from "../../types.ts";
import { SchemaRules } from "../cel/rules.ts";
import { forbidden, invalid } from "../../fieldErrors.ts";
import { type Part, partsOf } from "./openApiSchema.ts";
import { validateDefaults } from "./schemaDefaults.ts";
import { validateStructural } from "./structural.ts";

/**
 * Keys allowed at the root if the CRD has a status subresource. A status update validates the status alone, so other
 * restrictions of the whole object would be lost.
 */
const ALLOWED_AT_ROOT =
  "description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems multipleOf required items properties externalDocs example x-kubernetes-preserve-unknown-fields x-kubernetes-validations".split(
    " ",
  );

/** Errors of the schema of one version of a CRD; `field` is the path of the schema. */
export function validateSchema(schema: Schema, field: string, hasStatus: boolean): FieldError[] {
  const errors = hasStatus ? validateRoot(schema, field) : [];
  if (schema.nullable === true) errors.push(forbidden(`${field}.nullable`, "nullable cannot be true at the root"));
  const unsupported = Array.isArray(schema.items);
  const parts = partsOf(schema, field, { isRoot: true, insideMeta: false });
  let structural: FieldError[] = [];
  if (!unsupported && !hasUnsupported(parts)) {
    structural = validateStructural(schema, field);
    if (structural.length === 0) structural = validateDefaults(schema, field);
    errors.push(...structural);
  }
  const own = ownErrors(parts);
  errors.push(...own);
  // Rules are compiled only for a sound schema.
  if (structural.length > 0 || unsupported) return errors;
  return [...errors, ...ruleErrors(parts, SchemaRules.of(schema))];
}

function validateRoot(schema: Schema, field: string): FieldError[] {
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || value === false || value === "") continue;
    if (key === "type") {
      if (value === "object") continue;
      const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(`${field}.type`, value, why)];
    }
    if (ALLOWED_AT_ROOT.includes(key)) continue;
    const why = `${key} is not among the fields that are allowed at the root of the schema if the status subresource is enabled`;
    return [invalid(field, undefined, why)];
  }
  return [];
}

/** Keys that no structural schema can have. Their own error is enough, so the structural check is skipped. */
function hasUnsupported(part: Part): boolean {
  const schema = part.schema as Readonly<Record<string, unknown>>;
  const keys = ["id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"];
  if (keys.some((key) => schema[key] !== undefined) || schema["x-kubernetes-preserve-unknown-fields"] === false)
    return true;
  return part.children.some(hasUnsupported);
}

function ownErrors(part: Part): FieldError[] {
  return [...part.before, ...part.children.flatMap(ownErrors), ...part.after];
}

/** Rules are not checked at a part with other errors at or below it. */
function ruleErrors(part: Part, rules: SchemaRules): FieldError[] {
  const below = part.children.flatMap((child) => ruleErrors(child, rules));
  if (part.isBranch || ownErrors(part).length > 0) return below;
  const errors = rules.compiledAt(part.schema).flatMap(({ source, result, message }, index) => {
    const at = `${part.field}.x-kubernetes-validations[${index}]`;
    const found: FieldError[] = [];
    if ("error" in result) found.push(invalid(`${at}.rule`, source.rule, result.error));
    if (message !== undefined && "error" in message) {
      found.push(invalid(`${at}.messageExpression`, source.messageExpression, message.error));
    }
    const usesOldSelf = "program" in result && result.program.usesOldSelf;
    const { uncorrelatable } = part.context;
    if (usesOldSelf && uncorrelatable !== undefined) {
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      found.push(invalid(`${at}.rule`, source.rule, why));
    }
    if (!usesOldSelf && source.optionalOldSelf !== undefined) {
      const why = "may not be set if oldSelf is not used in rule";
      found.push(invalid(`${at}.optionalOldSelf`, source.optionalOldSelf, why));
    }
    return found;
  });
  return [...below, ...errors];
}
