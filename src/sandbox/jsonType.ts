/** What a value of JSON is, for a person: `a string`, `a list`, `nothing`. */
export function jsonType(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
