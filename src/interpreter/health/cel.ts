import { Environment, EvaluationError, Optional } from "@marcbachmann/cel-js";
import { type Fields, isFields } from "../values.ts";
import { calledBy, type CelNode, type Checker, type Evaluator, operandsOf } from "./celNodes.ts";

/**
 * Evaluates CEL expressions over a member object, within bounds: a tenant writes the expression, and a member the
 * object. An expression sees `object` and nothing else. Every evaluated node counts, and so do the items of a walked
 * list and the length of a text that is read.
 */

/** One walk over a list of a thousand entries, with a comparison of one field of each. */
const MOST_WORK = 10_000;
/** Characters of a text that cost as much as a node. */
const TEXT_AT_A_TIME = 64;
const LONGEST_TEXT = 65_536;
/** The library draws a picture of each error, and a quantifier goes on to its next item. */
const ERROR = 50;

const LIMITS = { maxAstNodes: 400, maxDepth: 32, maxListElements: 64, maxMapEntries: 64, maxCallArguments: 4 };

/** Allowed functions. Regular expressions are missing on purpose: those of the library may run forever. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...["has", "size", "int", "double", "dyn", "timestamp", "duration"],
  ...["contains", "startsWith", "endsWith", "lowerAscii", "upperAscii"],
  ...["all", "exists", "exists_one", "filter", "map"],
  ...["hasValue", "value", "or", "orValue", "getSeconds", "getMinutes", "getHours"],
]);

/**
 * Tests a condition on an object.
 *
 * @throws {EvaluationError} when the object lacks a value that is read, or the evaluation costs too much
 */
export type CelCondition = (object: Fields) => boolean;

export type Compiled = { condition: CelCondition } | { mistake: string };

let shared: Environment | undefined;

function environment(): Environment {
  shared ??= new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: LIMITS,
  }).registerVariable("object", "dyn");
  return shared;
}

/** An author's mistake is returned as text, with its place, and never thrown. `purpose`: a word for the message. */
export function compileCondition(expression: string, purpose = "health"): Compiled {
  try {
    const work = new Work();
    const parsed = environment().parse(expression);
    const root = parsed.ast as unknown as CelNode;
    const foreign = firstForeignCall(root, purpose);
    if (foreign !== undefined) return { mistake: `${placeOf(expression, foreign.start)}: ${foreign.message}` };
    count(root, work);
    const { valid, error } = parsed.check();
    if (!valid) return { mistake: mistakeOf(expression, error) };
    const type = root.checkedType?.name;
    if (type !== "bool" && type !== "dyn")
      return { mistake: `the value is of type ${String(type)}, and must be true or false` };
    return { condition: (object) => run(() => parsed({ object }), work) };
  } catch (error) {
    return { mistake: mistakeOf(expression, error) };
  }
}

function run(evaluate: () => unknown, work: Work): boolean {
  work.begin();
  const result = evaluate();
  if (typeof result === "boolean") return result;
  throw new EvaluationError("it is neither true nor false");
}

/** Rethrows every error that is no mistake of the author. */
function mistakeOf(expression: string, error: unknown): string {
  if (!(error instanceof Error && "summary" in error && "code" in error)) throw error;
  const { summary, range } = error as Error & { summary: string; range?: { start: number } };
  return `${placeOf(expression, range?.start ?? 0)}: ${summary}`;
}

function placeOf(expression: string, at: number): string {
  const before = expression.slice(0, at).split("\n");
  const column = `column ${(before.at(-1) ?? "").length + 1}`;
  return before.length === 1 ? column : `line ${before.length}, ${column}`;
}

function firstForeignCall(node: CelNode, purpose: string): { start: number; message: string } | undefined {
  const name = calledBy(node);
  if (name !== undefined && !FUNCTIONS.has(name)) {
    const instead = name === "matches" ? "; use contains, startsWith or endsWith" : "";
    return { start: node.start, message: `${name}() is not there for ${purpose}${instead}` };
  }
  for (const operand of operandsOf(node)) {
    const found = firstForeignCall(operand, purpose);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Evaluations run one after another, so each expression needs only one counter. */
class Work {
  #left = 0;
  readonly #exceeded = new EvaluationError("it takes too much work; let it walk fewer or shorter lists");

  begin(): void {
    this.#left = MOST_WORK;
  }

  spend(units: number): void {
    this.#left -= units;
    // One error for all throws: a quantifier goes on when an item fails.
    if (this.#left < 0) throw this.#exceeded;
  }

  reads(value: unknown): void {
    this.spend(1 + (typeof value === "string" ? Math.floor(value.length / TEXT_AT_A_TIME) : 0));
  }

  /** Counts the items of a value that may be walked. */
  walks(value: unknown): void {
    if (Array.isArray(value)) this.spend(value.length);
    else if (isFields(value)) this.spend(Object.keys(value).length);
  }
}

/** Makes every node count its cost, and read whole numbers as integers. Changes the nodes in place. */
function count(node: CelNode, work: Work, isWalked = false): void {
  const isCall = calledBy(node) !== undefined;
  for (const operand of operandsOf(node)) count(operand, work, isCall);
  // A macro is evaluated in its own way; the nodes inside it count.
  if (node.meta.macro !== undefined || node.meta.alternate !== undefined) return;
  const evaluate = evaluationOf(node, work);
  node.setMeta("async", false).setMeta("macro", {
    typeCheck: (checker: Checker, _macro: unknown, scope: unknown) => node.meta.check(checker, node, scope),
    evaluate(evaluator: Evaluator, _macro: unknown, scope: unknown) {
      const value = orError(() => evaluate(evaluator, scope), work);
      work.reads(value);
      if (isWalked) work.walks(value);
      return value;
    },
  });
}

function orError<T>(evaluate: () => T, work: Work): T {
  try {
    return evaluate();
  } catch (error) {
    work.spend(ERROR);
    throw error;
  }
}

type Evaluation = (evaluator: Evaluator, scope: unknown) => unknown;

function evaluationOf(node: CelNode, work: Work): Evaluation {
  const own: Evaluation = (evaluator, scope) => node.meta.evaluate(evaluator, node, scope);
  const both = (use: (left: unknown, right: unknown) => unknown): Evaluation => {
    const [left, right] = operandsOf(node) as [CelNode, CelNode];
    return (evaluator, scope) => use(evaluator.run(left, scope), evaluator.run(right, scope));
  };
  switch (node.op) {
    case "==":
      return both((left, right) => isEqual(left, right, work));
    case "!=":
      return both((left, right) => !isEqual(left, right, work));
    case "in":
      return both((item, range) => isIn(item, range, work));
    case "+":
      return (evaluator, scope) => bounded(own(evaluator, scope), work);
    case "id":
    case ".":
    case ".?":
    case "[]":
    case "[?]":
      return (evaluator, scope) => readable(own(evaluator, scope));
    default:
      return own;
  }
}

function bounded(sum: unknown, work: Work): unknown {
  work.walks(sum);
  if (typeof sum === "string" && sum.length > LONGEST_TEXT) throw new EvaluationError("it makes too long a text");
  return sum;
}

/** JSON does not tell integers from other numbers; CEL does. */
function readable(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  // CEL's integers are signed.
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value ? value : Number(value);
  if (value instanceof Optional && value.hasValue()) return Optional.of(readable(value.value()));
  return value;
}

function isIn(item: unknown, range: unknown, work: Work): boolean {
  if (Array.isArray(range)) return range.some((one) => isEqual(item, one, work));
  if (isFields(range)) return typeof item === "string" && Object.hasOwn(range, item);
  throw new EvaluationError("`in` needs a list or a map");
}

function isEqual(left: unknown, right: unknown, work: Work): boolean {
  work.reads(left);
  if (left === right) return true;
  if (typeof left === "bigint" && typeof right === "bigint") return false;
  if (isNumber(left) && isNumber(right)) return Number(left) === Number(right);
  if (Array.isArray(left))
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => isEqual(item, right[index], work))
    );
  if (isPlain(left) && isPlain(right)) {
    work.walks(left);
    work.walks(right);
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key], work))
    );
  }
  // Times and durations.
  return isDated(left) && isDated(right) && left.valueOf() === right.valueOf();
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function isPlain(value: unknown): value is Fields {
  return isFields(value) && Object.getPrototypeOf(value) === Object.prototype;
}

function isDated(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isPlain(value) && typeof value.valueOf() === "number";
}
