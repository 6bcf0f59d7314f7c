import { compareText } from "./order.ts";

/**
 * Values in the words of Go, where the server's texts hold them: `%v`, `%#v`, `%q`, `%T` of decoded JSON, and Go's own JSON with sorted keys.
 */

/** As `%v`: `map[a:1 b:[x y]]`. */
export function goPlain(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goPlain).join(" ")}]`;
  if (typeof value === "object") {
    const entries = sortedEntries(value).map(([key, child]) => `${key}:${goPlain(child)}`);
    return `map[${entries.join(" ")}]`;
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** As `%#v`: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return goQuoted(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (typeof value === "object") {
    const entries = sortedEntries(value).map(([key, child]) => `${goQuoted(key)}:${goSyntax(child)}`);
    return `map[string]interface {}{${entries.join(", ")}}`;
  }
  return JSON.stringify(value);
}

/** As `%T`. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}

/** What Go's decoder calls a JSON value that does not fit: `object`, `array`, `string`, `number`, `bool`. */
export function jsonKind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** As `%q`. */
export function goQuoted(text: string): string {
  return JSON.stringify(text).replace(/\\u0007|\\u000b/g, (escape) => (escape === "\\u0007" ? "\\a" : "\\v"));
}

/** JSON as Go's encoder writes it: keys sorted, `<`, `>` and `&` escaped. */
export function goJson(value: unknown): string {
  return escapeHtml(JSON.stringify(sorted(value)));
}

/** What Go's encoder escapes and JSON.stringify does not. */
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
