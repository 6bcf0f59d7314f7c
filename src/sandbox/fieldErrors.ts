import type { FieldError } from "./types.ts";

/** Errors about fields of an object. Reason and field are the API server's; the text says what is wrong. */

/** Replaces the field path in an error about the whole object. */
export const NO_PATH = "<nil>";

/** Longer values are cut in messages. */
const LONGEST_SHOWN = 200;

/** An undefined value is left out of the message. */
function said(kind: string, value: unknown, detail: string): string {
  const text = value === undefined ? "" : JSON.stringify(value);
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  return [kind, shown, detail].filter((part) => part !== "").join(": ");
}

export function required(field: string, detail = ""): FieldError {
  return { reason: "FieldValueRequired", field, message: said("Required value", undefined, detail) };
}

export function invalid(field: string, value: unknown, detail = ""): FieldError {
  return { reason: "FieldValueInvalid", field, message: said("Invalid value", value, detail) };
}

export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: "FieldValueTypeInvalid", field, message: said("Invalid value", value, detail) };
}

export function immutable(field: string, value: unknown): FieldError {
  return invalid(field, value, "field is immutable");
}

export function notSupported(field: string, value: unknown, supported: readonly unknown[]): FieldError {
  const values = supported.map((one) => JSON.stringify(one)).join(", ");
  const detail = values === "" ? "" : `supported values: ${values}`;
  return { reason: "FieldValueNotSupported", field, message: said("Unsupported value", value, detail) };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { reason: "FieldValueDuplicate", field, message: said("Duplicate value", value, "") };
}

export function forbidden(field: string, detail: string): FieldError {
  return { reason: "FieldValueForbidden", field, message: said("Forbidden", undefined, detail) };
}

export function notFoundValue(field: string, value: unknown): FieldError {
  return { reason: "FieldValueNotFound", field, message: said("Not found", value, "") };
}

export function tooLong(field: string, maximum: number): FieldError {
  return { reason: "FieldValueTooLong", field, message: `Too long: may not be more than ${maximum} bytes` };
}

export function tooMany(field: string, actual: number, maximum: number): FieldError {
  return { reason: "FieldValueTooMany", field, message: `Too many: ${actual}: must have at most ${maximum} items` };
}
