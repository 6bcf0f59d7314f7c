import { fields, fieldsList, isMissing, textMap } from "./values.ts";

/** Values as Go prints them in a finding. */

/** A map: its keys in order. */
export function goMap(map: unknown): Record<string, unknown> | null {
  if (isMissing(map)) return null;
  const entries = Object.entries(fields(map));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A label selector: its fields in the order of the struct. */
export function goSelector(selector: unknown): Record<string, unknown> | null {
  if (isMissing(selector)) return null;
  const { matchLabels, matchExpressions } = fields(selector);
  const labels = goMap(textMap(matchLabels)) ?? {};
  const requirements = fieldsList(matchExpressions).map(({ key, operator, values }) => ({
    key,
    operator,
    ...(values === undefined ? {} : { values }),
  }));
  return {
    ...(Object.keys(labels).length === 0 ? {} : { matchLabels: labels }),
    ...(requirements.length === 0 ? {} : { matchExpressions: requirements }),
  };
}

/** A struct of the server's inside, whose fields have no JSON names: as Go calls them, in the given order. */
export function goStruct(struct: unknown, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [capital(name), fields(struct)[name] ?? null]));
}

function capital(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
