/** Readers for decoded values. A missing field reads as the zero value, as in Go. */

export type Fields = Readonly<Record<string, unknown>>;

const NOTHING: Fields = Object.freeze({});
const NONE: readonly never[] = Object.freeze([]);

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fields(value: unknown): Fields {
  return isFields(value) ? value : NOTHING;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : NONE;
}

export function fieldsList(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as unknown[]).map(fields) : NONE;
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as unknown[]).map(text) : NONE;
}

export function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

export function optionalCount(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** A map of strings, such as labels. */
export function textMap(value: unknown): Readonly<Record<string, string>> {
  return fields(value) as Readonly<Record<string, string>>;
}

export function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Deep equality of decoded values; key order does not count. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return isMissing(a) && isMissing(b);
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => isEqual(item, b[index]));
  }
  const left = a as Fields;
  const right = b as Fields;
  for (const key of Object.keys(left)) if (!isEqual(left[key], right[key])) return false;
  for (const key of Object.keys(right)) if (left[key] === undefined && !isMissing(right[key])) return false;
  return true;
}

/** A copy without the field; the same object if the field is absent. */
export function without<T extends object>(object: T, field: string): T {
  if (!Object.hasOwn(object, field)) return object;
  const { [field]: _, ...rest } = object as Record<string, unknown>;
  return rest as T;
}

/** A copy with the field's value of `source`, or without the field if `source` has none. */
export function withFieldOf<T extends object>(object: T, source: object, field: string): T {
  const value = (source as Fields)[field];
  return value === undefined ? without(object, field) : { ...object, [field]: value };
}
