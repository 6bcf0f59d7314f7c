import { evaluationError, isDurationValue, nanosecondsOf } from "./library.ts";

/** `'%s has %d'.format(['a', 1])`: the clauses, their arguments and their output. */

interface Clause {
  verb: string;
  precision: number | undefined;
}

function parseTemplate(template: string): (string | Clause)[] {
  return Array.from(template.matchAll(/[^%]+|%(?:\.(\d+))?(.|$)/gs), ([text, precision, verb]) => {
    if (verb === undefined) return text;
    if (verb === "%") return "%";
    if (!/^[sdfebxXo]$/.test(verb)) throw evaluationError(`unknown formatting clause ${JSON.stringify(text)}`);
    return { verb, precision: precision === undefined ? undefined : Number(precision) };
  });
}

/** @throws EvaluationError */
export function formatText(template: string, values: readonly unknown[]): string {
  let next = 0;
  return parseTemplate(template)
    .map((part) => {
      if (typeof part === "string") return part;
      if (next >= values.length) throw evaluationError(`index ${next} out of range`);
      return clauseText(part, values[next++]);
    })
    .join("");
}

function clauseText({ verb, precision = 6 }: Clause, value: unknown): string {
  const refused = () => evaluationError(`%${verb} cannot format a ${typeof value}`);
  const inBase = (base: number) => {
    const whole = signed(value);
    if (whole === undefined) throw refused();
    return whole.toString(base);
  };
  switch (verb) {
    case "d":
      return inBase(10);
    case "o":
      return inBase(8);
    case "b":
      return typeof value === "boolean" ? String(Number(value)) : inBase(2);
    case "x":
      return typeof value === "string" || value instanceof Uint8Array ? Buffer.from(value).toString("hex") : inBase(16);
    case "X":
      return clauseText({ verb: "x", precision }, value).toUpperCase();
    case "f":
    case "e":
      if (typeof value !== "number") throw refused();
      return verb === "f" ? value.toFixed(precision) : scientific(value, precision);
    default:
      return textOf(value);
  }
}

function signed(value: unknown): bigint | undefined {
  const primitive: unknown = typeof value === "object" && value !== null ? value.valueOf() : value;
  return typeof primitive === "bigint" ? primitive : undefined;
}

/** Exponents have at least two digits. */
function scientific(value: number, precision: number): string {
  return value.toExponential(precision).replace(/([+-])(\d)$/, "$10$2");
}

/** The text of a value as `string()` writes it; lists and maps as literals. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return `[${value.map(literalOf).join(", ")}]`;
  if (value instanceof Map) return mapText([...value]);
  if (value instanceof Date) return timestampText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (isDurationValue(value)) return `${Number(nanosecondsOf(value)) / 1e9}s`;
  if (typeof value !== "object" || value === null) return String(value);
  const whole = signed(value);
  if (whole !== undefined) return String(whole);
  if (value.constructor === Object) return mapText(Object.entries(value));
  if ("name" in value && typeof value.name === "string") return value.name;
  throw evaluationError("no such overload");
}

function mapText(entries: readonly (readonly [unknown, unknown])[]): string {
  const texts = entries.map(([key, value]) => [literalOf(key), literalOf(value)] as const);
  return `{${texts
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}:${value}`)
    .join(", ")}}`;
}

/** The text of a value inside a list or map. */
function literalOf(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Uint8Array) return `b${JSON.stringify(textOf(value))}`;
  return typeof value === "number" ? value.toFixed(6) : textOf(value);
}

export function timestampText(time: Date): string {
  return time.toISOString().replace(/\.?0*Z$/, "Z");
}
