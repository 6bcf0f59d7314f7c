/** The server's order of names and values. A server sorts bytes, JavaScript sorts UTF-16 units. */

const SURROGATE = /[\uD800-\uDFFF]/;

/** Compares by UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  // The two orders differ only beyond the basic multilingual plane.
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** Orders JSON values: numbers, then texts, booleans, lists, objects, null. */
export function compareValues(a: unknown, b: unknown): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return Math.sign(rank);
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "boolean") return Math.sign(Number(a) - Number(b));
  if (typeof a === "string") return compareText(a, b as string);
  if (Array.isArray(a)) return compareLists(a, b as unknown[], compareValues);
  if (a === null) return 0;
  return compareLists(fieldsOf(a as object), fieldsOf(b as object), compareFields);
}

/** Orders the keys of list items by name, then by value. */
export function compareFields(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return compareText(a[0], b[0]) || compareValues(a[1], b[1]);
}

export function compareLists<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compare(a[i] as T, b[i] as T);
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

export function fieldsOf(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => compareText(a, b));
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function rankOf(value: unknown): number {
  if (isNumber(value)) return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  if (Array.isArray(value)) return 3;
  return value === null ? 5 : 4;
}
