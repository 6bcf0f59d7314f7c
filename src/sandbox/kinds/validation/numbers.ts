import type { FieldError } from "../../types.ts";
import { invalid } from "../../fieldErrors.ts";
import { patternText } from "../names.ts";
import { isMissing } from "../values.ts";

/** A missing value is valid. */
export function notNegative(value: unknown, at: string): FieldError[] {
  return typeof value === "number" && value < 0 ? [invalid(at, value, "must be greater than or equal to 0")] : [];
}

/** A number, or a percentage such as `25%`. */
export function intOrPercent(value: unknown, at: string): FieldError[] {
  if (isMissing(value)) return [];
  if (typeof value === "string") {
    if (/^[0-9]+%$/.test(value)) return [];
    const text = "a valid percent string must be a numeric string followed by an ending '%'";
    return [invalid(at, value, patternText(text, "[0-9]+%", "1%", "93%"))];
  }
  return notNegative(value, at);
}

export function atMost100Percent(value: unknown, at: string): FieldError[] {
  const percent = typeof value === "string" && /^[0-9]+%$/.test(value) ? Number.parseInt(value, 10) : 0;
  return percent > 100 ? [invalid(at, value, "must not be greater than 100%")] : [];
}

/** The number, also of a percentage; 0 for any other value. */
export function numberOrPercent(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return 0;
  const number = /^[0-9]+%?$/.test(value) ? Number.parseInt(value, 10) : Number.NaN;
  return Number.isNaN(number) ? 0 : number;
}
