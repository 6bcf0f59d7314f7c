import { isRecord } from "../jsonType.ts";
import { defined } from "../../apis/index.ts";
/**
 * The JSONPath of kubectl and of printer columns: `.spec.parts[0].name`, `.metadata.labels.app\.kubernetes\.io/name`, `['a','b']`, `[1:3]`, `[*]`,
 * `..name`, `[?(@.type=="Ready")].status`.
 */
export interface JsonPath {
  /**
   * The values at the path, in order; empty if a field is missing. Throws {@link JsonPathError} where the API server's
   * evaluation fails (a filter on a value that is no list, a comparison of different types).
   */
  find(root: unknown): unknown[];
}

export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}

type Step =
  | { kind: "Field"; name: string }
  | { kind: "Fields"; names: string[] }
  | { kind: "Wildcard" }
  | { kind: "Recursive" }
  | { kind: "Indexes"; indexes: number[] }
  | { kind: "Slice"; from?: number; to?: number; step: number }
  | { kind: "Filter"; left: Operand; operator: string; right: Operand };

type Operand = { kind: "Path"; steps: Step[] } | { kind: "Literal"; value: string | number | boolean };

/** Throws {@link JsonPathError} for an invalid path. Surrounding braces and a leading `$` are allowed. */
export function parseJsonPath(text: string): JsonPath {
  const inner = text.startsWith("{") && text.endsWith("}") ? text.slice(1, -1) : text;
  const steps = parseSteps(inner.startsWith("$") ? inner.slice(1) : inner);
  return { find: (root) => walk(steps, [root]) };
}

function parseSteps(text: string): Step[] {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    if (text.startsWith("..", at)) {
      steps.push({ kind: "Recursive" });
      at += text[at + 2] === "[" ? 2 : 1;
    } else if (text[at] === ".") {
      const { name, end } = readName(text, at + 1);
      if (name === "*") steps.push({ kind: "Wildcard" });
      else if (name !== "") steps.push({ kind: "Field", name });
      else if (text[end] !== "[" && end < text.length) throw new JsonPathError(`unexpected ${text.slice(end)}`);
      at = end;
    } else if (text[at] === "[") {
      const end = closingBracket(text, at);
      steps.push(parseBracket(text.slice(at + 1, end).trim()));
      at = end + 1;
    } else {
      throw new JsonPathError(`unexpected ${text.slice(at)}`);
    }
  }
  return steps;
}

function readName(text: string, from: number): { name: string; end: number } {
  let name = "";
  let at = from;
  while (at < text.length && text[at] !== "." && text[at] !== "[") {
    if (text[at] === "\\" && at + 1 < text.length) at++;
    name += text[at];
    at++;
  }
  return { name, end: at };
}

function closingBracket(text: string, open: number): number {
  let depth = 0;
  let quote = "";
  for (let at = open; at < text.length; at++) {
    const char = text[at] as string;
    if (quote !== "") {
      if (char === "\\") at++;
      else if (char === quote) quote = "";
    } else if (char === "'" || char === '"') quote = char;
    else if (char === "[") depth++;
    else if (char === "]" && --depth === 0) return at;
  }
  throw new JsonPathError("unterminated array");
}

const INDEX = /^-?\d+$/;
const SLICE = /^(-?\d*):(-?\d*)(?::(-?\d*))?$/;
const QUOTED = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")$/;

function parseBracket(text: string): Step {
  if (text === "*") return { kind: "Wildcard" };
  const filter = /^\?\(([\s\S]*)\)$/.exec(text);
  if (filter !== null) return parseFilter((filter[1] as string).trim());
  const slice = SLICE.exec(text);
  if (slice !== null) {
    const [from, to, step] = slice
      .slice(1)
      .map((part) => (part === undefined || part === "" ? undefined : Number(part)));
    return {
      kind: "Slice",
      ...defined({ from, to }),
      step: step ?? 1,
    };
  }
  const parts = text.split(/,(?=(?:[^'"]|'[^']*'|"[^"]*")*$)/).map((part) => part.trim());
  if (parts.every((part) => INDEX.test(part))) return { kind: "Indexes", indexes: parts.map(Number) };
  const names = parts.map((part) => {
    const quoted = QUOTED.exec(part);
    if (quoted === null) throw new JsonPathError(`invalid array index ${text}`);
    return unescape(quoted[1] ?? quoted[2] ?? "");
  });
  return names.length === 1 ? { kind: "Field", name: names[0] as string } : { kind: "Fields", names };
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, "$1");
}

const COMPARISON = /^((?:[^'"<>=!]|'[^']*'|"[^"]*")+?)\s*(==|!=|<=|>=|<|>)\s*([\s\S]+)$/;

function parseFilter(text: string): Step {
  const comparison = COMPARISON.exec(text);
  if (comparison === null) {
    return { kind: "Filter", left: parseOperand(text), operator: "exists", right: { kind: "Literal", value: true } };
  }
  const [, left, operator, right] = comparison as unknown as [string, string, string, string];
  return { kind: "Filter", left: parseOperand(left.trim()), operator, right: parseOperand(right.trim()) };
}

function parseOperand(text: string): Operand {
  if (text.startsWith("@")) return { kind: "Path", steps: parseSteps(text.slice(1)) };
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return { kind: "Literal", value: unescape(quoted[1] ?? quoted[2] ?? "") };
  if (text === "true" || text === "false") return { kind: "Literal", value: text === "true" };
  if (text !== "" && Number.isFinite(Number(text))) return { kind: "Literal", value: Number(text) };
  throw new JsonPathError(`cannot read ${text}`);
}

function walk(steps: readonly Step[], roots: unknown[]): unknown[] {
  return steps.reduce<unknown[]>((values, step) => values.flatMap((value) => take(step, value)), roots);
}

function take(step: Step, value: unknown): unknown[] {
  switch (step.kind) {
    case "Field":
      return fieldOf(value, step.name);
    case "Fields":
      return step.names.flatMap((name) => fieldOf(value, name));
    case "Wildcard":
      return children(value);
    case "Recursive":
      return [value, ...descendants(value)];
    case "Indexes":
      return step.indexes.flatMap((index) => {
        if (!Array.isArray(value)) throw new JsonPathError("is not array or slice");
        const at = index < 0 ? value.length + index : index;
        return at >= 0 && at < value.length ? [value[at]] : [];
      });
    case "Slice":
      return sliceOf(value, step);
    case "Filter":
      if (!Array.isArray(value)) throw new JsonPathError("is not array or slice and cannot be filtered");
      return value.filter((item) => passes(item, step));
  }
}

function fieldOf(value: unknown, name: string): unknown[] {
  return isRecord(value) && Object.hasOwn(value, name) ? [value[name]] : [];
}

/** The values of an object's fields, sorted by name as in the API server. */
function children(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return [];
  return Object.keys(value)
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => value[name]);
}

function descendants(value: unknown): unknown[] {
  return children(value).flatMap((child) => [child, ...descendants(child)]);
}

function sliceOf(value: unknown, { from, to, step }: { from?: number; to?: number; step: number }): unknown[] {
  if (!Array.isArray(value)) throw new JsonPathError("is not array or slice");
  if (step <= 0) throw new JsonPathError("step must be > 0");
  const items = value.slice(from ?? 0, to ?? value.length);
  return items.filter((_, index) => index % step === 0);
}

function passes(item: unknown, { left, operator, right }: Step & { kind: "Filter" }): boolean {
  const lefts = valuesOf(left, item);
  if (operator === "exists") return lefts.length > 0;
  const rights = valuesOf(right, item);
  if (lefts.length === 0 || rights.length === 0) return false;
  if (lefts.length > 1 || rights.length > 1) throw new JsonPathError("can only compare one element at a time");
  return compare(lefts[0], operator, rights[0]);
}

function valuesOf(operand: Operand, item: unknown): unknown[] {
  return operand.kind === "Literal" ? [operand.value] : walk(operand.steps, [item]);
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  if (typeof left !== typeof right || typeof left === "object")
    throw new JsonPathError("incompatible types for comparison");
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  if (typeof left === "boolean") throw new JsonPathError("invalid type for comparison");
  const [a, b] = [left as string | number, right as string | number];
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  if (operator === ">") return a > b;
  return a >= b;
}
