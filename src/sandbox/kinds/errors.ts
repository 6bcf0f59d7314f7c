import type { FieldError } from "../types.ts";

/** Findings in the words of the API server. */

/** A value as the server prints it in a finding: strings quoted, the rest as JSON. */
function shown(value: unknown): string {
  if (value === undefined) return "null";
  // Go has shorter names for two characters.
  return JSON.stringify(value).replace(/\\u0007|\\u000b/g, (escape) => (escape === "\\u0007" ? "\\a" : "\\v"));
}

function said(kind: string, detail: string): string {
  return detail === "" ? kind : `${kind}: ${detail}`;
}

export function required(field: string, detail = ""): FieldError {
  return { reason: "FieldValueRequired", field, message: said("Required value", detail) };
}

export function invalidValue(field: string, value: unknown, detail = ""): FieldError {
  return { reason: "FieldValueInvalid", field, message: said(`Invalid value: ${shown(value)}`, detail) };
}

export function immutable(field: string, value: unknown): FieldError {
  return invalidValue(field, value, "field is immutable");
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map((one) => JSON.stringify(one)).join(", ");
  return {
    reason: "FieldValueNotSupported",
    field,
    message: said(`Unsupported value: ${shown(value)}`, values === "" ? "" : `supported values: ${values}`),
  };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { reason: "FieldValueDuplicate", field, message: `Duplicate value: ${shown(value)}` };
}

export function forbidden(field: string, detail: string): FieldError {
  return { reason: "FieldValueForbidden", field, message: said("Forbidden", detail) };
}

export function notFoundValue(field: string, value: unknown): FieldError {
  return { reason: "FieldValueNotFound", field, message: `Not found: ${shown(value)}` };
}

export function tooLong(field: string, maximum: number): FieldError {
  return {
    reason: "FieldValueTooLong",
    field,
    message: `Too long: may not be more than ${maximum} ${maximum === 1 ? "byte" : "bytes"}`,
  };
}
