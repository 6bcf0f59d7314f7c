/** Reading values that nobody has validated: parts of an object, whose types may be other than expected. */

export type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = Object.freeze({});

/** The value as an object, or an empty one when it is something else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NO_FIELDS;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as a list of objects; entries that are something else are left out. */
export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The points in time among the values, in their order; everything else is left out. */
export function timesIn(values: readonly unknown[]): string[] {
  return values
    .flatMap((value) => textOf(value) ?? [])
    .filter((text) => !Number.isNaN(Date.parse(text)))
    .toSorted((a, b) => Date.parse(a) - Date.parse(b));
}

/** A copy with that leaf at that path; parts of the path that are missing are made. */
export function withValueAt(value: unknown, [field, ...rest]: readonly string[], leaf: unknown): unknown {
  if (field === undefined) return leaf;
  const parent = fieldsOf(value);
  return { ...parent, [field]: withValueAt(parent[field], rest, leaf) };
}

const EMPTY = Symbol("empty");

function pruned(value: unknown): unknown {
  if (value === null || value === undefined) return EMPTY;
  if (Array.isArray(value)) {
    const entries = value.map(pruned).filter((entry) => entry !== EMPTY);
    return entries.length === 0 ? EMPTY : entries;
  }
  if (!isFields(value)) return value;
  const keys = Object.keys(value);
  const kept: Record<string, unknown> = {};
  let left = 0;
  for (const key of keys) {
    const member = pruned(value[key]);
    if (member === EMPTY) continue;
    kept[key] = member;
    left++;
  }
  return left === 0 && keys.length > 0 ? EMPTY : kept;
}

/**
 * A copy without null, empty lists, and objects that hold nothing else: an API server drops those, so that nobody can own
 * them. An object that was written empty stays, since its presence may mean something (`emptyDir: {}`). Undefined when nothing
 * is left.
 */
export function prune(value: unknown): unknown {
  const rest = pruned(value);
  return rest === EMPTY ? undefined : rest;
}
