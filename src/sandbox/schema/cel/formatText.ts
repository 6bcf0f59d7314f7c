import type { TypeDeclaration } from "@marcbachmann/cel-js";
import { goNumber, goQuoted } from "../goText.ts";
import { evaluationError, isDurationValue, nanosecondsOf } from "./library.ts";

/** `'%s has %d'.format(['a', 1])`: what the clauses take, and what they make of it. */

interface Clause {
  verb: string;
  precision: number | undefined;
}

/** The text between the clauses, and the clauses; or why the template is none. */
function parseTemplate(template: string): { parts: (string | Clause)[] } | { error: string } {
  const parts: (string | Clause)[] = [];
  for (const [text, precision, verb] of template.matchAll(/[^%]+|%(?:\.(\d+))?(.|$)/gs)) {
    if (verb === undefined) parts.push(text);
    else if (verb === "%") parts.push("%");
    else if (verb === "") return { error: "unexpected end of string" };
    else if (!(verb in TAKES)) {
      return { error: `could not parse formatting clause: unrecognized formatting clause ${goQuoted(verb)}` };
    } else parts.push({ verb, precision: precision === undefined ? undefined : Number(precision) });
  }
  return { parts };
}

const TAKES: Readonly<Record<string, readonly [says: string, ...types: string[]]>> = {
  s: ["", "any"],
  d: ["decimal clause can only be used on integers", "int", "uint"],
  f: ["fixed-point clause can only be used on doubles", "double", "string"],
  e: ["scientific clause can only be used on doubles", "double", "string"],
  b: ["only integers and bools can be formatted as binary", "int", "uint", "bool"],
  x: ["only integers, byte buffers, and strings can be formatted as hex", "int", "uint", "string", "bytes"],
  X: ["only integers, byte buffers, and strings can be formatted as hex", "int", "uint", "string", "bytes"],
  o: ["octal clause can only be used on integers", "int", "uint"],
};

/** A mistake that can be seen without running it; `argument` is the index of what is wrong, when it is one of the arguments. */
export interface FormatMistake {
  message: string;
  argument?: number;
}

export function formatMistake(
  template: string,
  types: readonly (TypeDeclaration | undefined)[],
): FormatMistake | undefined {
  const parsed = parseTemplate(template);
  if ("error" in parsed) return { message: parsed.error };
  const clauses = parsed.parts.filter((part) => typeof part !== "string");
  for (const [index, { verb }] of clauses.entries()) {
    if (index >= types.length) return { message: `index ${index} out of range` };
    const type = types[index];
    const [says, ...taken] = TAKES[verb] ?? [""];
    if (type === undefined || type.kind === "dyn" || taken.includes("any") || taken.includes(type.name)) continue;
    return { message: `error during formatting: ${says}, was given ${type.name}`, argument: index };
  }
  if (types.length <= clauses.length) return undefined;
  return { message: `too many arguments supplied to string.format (expected ${clauses.length}, got ${types.length})` };
}

/** @throws EvaluationError */
export function formatText(template: string, values: readonly unknown[]): string {
  const parsed = parseTemplate(template);
  if ("error" in parsed) throw evaluationError(parsed.error);
  let next = 0;
  return parsed.parts
    .map((part) => {
      if (typeof part === "string") return part;
      if (next >= values.length) throw evaluationError(`index ${next} out of range`);
      return clauseText(part, values[next++]);
    })
    .join("");
}

function clauseText({ verb, precision = 6 }: Clause, value: unknown): string {
  const refused = () => evaluationError(`error during formatting: ${TAKES[verb]?.[0]}, was given ${typeof value}`);
  const whole = signed(value);
  const inBase = (base: number) => {
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
      if (typeof value !== "number") throw refused();
      return value.toLocaleString("en-US", {
        minimumFractionDigits: precision,
        maximumFractionDigits: precision,
        roundingMode: "halfEven",
      });
    case "e":
      if (typeof value !== "number") throw refused();
      return scientific(value);
    default:
      return textOf(value);
  }
}

function signed(value: unknown): bigint | undefined {
  const primitive: unknown = typeof value === "object" && value !== null ? value.valueOf() : value;
  return typeof primitive === "bigint" ? primitive : undefined;
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** The API server writes six digits, whatever the clause asks for. */
function scientific(value: number): string {
  const [digits = "", exponent = "0"] = value.toExponential(6).split("e");
  const raised = exponent
    .replace(/^[+-]/, "")
    .padStart(2, "0")
    .replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)] ?? "");
  return `${digits}×10${exponent.startsWith("-") ? "⁻" : ""}${raised}`;
}

/** As `string()` writes it; lists and maps as literals. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(literalOf).join(", ")}]`;
  if (value instanceof Map) return mapText([...value]);
  if (value instanceof Date) return timestampText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (isDurationValue(value)) return `${goNumber(Number(nanosecondsOf(value)) / 1e9)}s`;
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

/** Inside of a list or a map. */
function literalOf(value: unknown): string {
  if (typeof value === "string") return goQuoted(value);
  if (value instanceof Uint8Array) return `b${goQuoted(textOf(value))}`;
  return typeof value === "number" ? value.toFixed(6) : textOf(value);
}

export function timestampText(time: Date): string {
  return time.toISOString().replace(/\.?0*Z$/, "Z");
}
