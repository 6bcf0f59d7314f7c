/** Reads values that nobody has validated: parts of an object, whose types may differ from the expected ones. */

import { setMember } from "../apis/index.ts";

export type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = Object.freeze({});

/** The value, or an empty object. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NO_FIELDS;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Objects in the list. */
export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Timestamps among the values, earliest first; everything else is left out. */
export function timesIn(values: readonly unknown[]): string[] {
  return values
    .flatMap((value) => textOf(value) ?? [])
    .filter((text) => !Number.isNaN(Date.parse(text)))
    .toSorted((a, b) => Date.parse(a) - Date.parse(b));
}

/** Copy with the leaf at the path; missing parts of the path are made. */
export function withValueAt(value: unknown, [field, ...rest]: readonly string[], leaf: unknown): unknown {
  if (field === undefined) return leaf;
  const parent = fieldsOf(value);
  return { ...parent, [field]: withValueAt(parent[field], rest, leaf) };
}

/**
 * The value without fields that are null or an empty list: Go reads them as absent, so the API server drops them.
 * Everything else has a meaning, also an empty object and every item of a list. Undefined if the value itself is
 * dropped.
 */
export function prune(value: unknown): unknown {
  return isAbsent(value) ? undefined : pruned(value);
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned);
  if (!isFields(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) if (!isAbsent(value[key])) setMember(kept, key, pruned(value[key]));
  return kept;
}
