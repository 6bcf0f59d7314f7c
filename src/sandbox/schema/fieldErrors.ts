import type { FieldError } from "../types.ts";
import { goJson, goNumber, goQuoted } from "./goText.ts";

/** Findings exactly as the API server words them. */

/** The server prints no value here: for objects and lists that a rule refuses. */
export const OMITTED = Symbol("omitted");

/** What the server prints where a finding has no path. */
export const NO_PATH = "<nil>";

export function required(field: string, detail = ""): FieldError {
  return { reason: "FieldValueRequired", field, message: joined("Required value", detail) };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: "FieldValueInvalid", field, message: joined(`Invalid value${shown(value)}`, detail) };
}

export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: "FieldValueTypeInvalid", field, message: joined(`Invalid value${shown(value)}`, detail) };
}

export function notSupported(field: string, value: unknown, supported: readonly unknown[]): FieldError {
  const values = supported.map((one) => goQuoted(typeof one === "string" ? one : goJson(one)));
  const detail = values.length === 0 ? "" : `supported values: ${values.join(", ")}`;
  return { reason: "FieldValueNotSupported", field, message: joined(`Unsupported value${shown(value)}`, detail) };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { reason: "FieldValueDuplicate", field, message: `Duplicate value${shown(value)}` };
}

export function forbidden(field: string, detail: string): FieldError {
  return { reason: "FieldValueForbidden", field, message: joined("Forbidden", detail) };
}

export function tooLong(field: string, maximum: number): FieldError {
  const detail = `may not be more than ${maximum} ${maximum === 1 ? "byte" : "bytes"}`;
  return { reason: "FieldValueTooLong", field, message: joined("Too long", detail) };
}

export function tooMany(field: string, actual: number, maximum: number): FieldError {
  const detail = `must have at most ${maximum} ${maximum === 1 ? "item" : "items"}`;
  return { reason: "FieldValueTooMany", field, message: joined(`Too many: ${actual}`, detail) };
}

/** A value that is already written as the server prints it. */
export class Printed {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function joined(kind: string, detail: string): string {
  return detail === "" ? kind : `${kind}: ${detail}`;
}

function shown(value: unknown): string {
  if (value === OMITTED) return "";
  if (value instanceof Printed) return `: ${value.text}`;
  if (typeof value === "string") return `: ${goQuoted(value)}`;
  if (typeof value === "number") return `: ${goNumber(value)}`;
  return `: ${value === undefined ? "null" : goJson(value)}`;
}
