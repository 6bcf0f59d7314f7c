export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined when a field on the path is missing. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const field of path) {
    if (!isRecord(value) || !Object.hasOwn(value, field)) return undefined;
    value = value[field];
  }
  return value;
}
