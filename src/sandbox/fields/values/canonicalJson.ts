import { compareText } from "./order.ts";

/** JSON as the API server writes it where equal values need equal texts: keys sorted, `<`, `>` and `&` escaped. */
export function canonicalJson(value: unknown): string {
  return escapeHtml(JSON.stringify(sorted(value)));
}

/** Escapes the characters that Go's encoder escapes and JSON.stringify does not. */
export function escapeHtml(json: string): string {
  if (!/[<>&\u2028\u2029]/.test(json)) return json;
  return json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(sortedEntries(value).map(([key, child]) => [key, sorted(child)]));
}

function sortedEntries(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => compareText(a, b));
}
