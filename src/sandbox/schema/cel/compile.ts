import type { Environment } from "@marcbachmann/cel-js";
import { adapt, type Mistake, operands } from "./adapt.ts";
import { OPTIONS } from "./environment.ts";
import { MacroArgumentError } from "./functions/macros.ts";
import type { Node } from "./library.ts";

/** A compiled expression. */
export interface Program {
  usesOldSelf: boolean;
  /** @throws EvaluationError */
  run(variables: { self: unknown; oldSelf?: unknown }): unknown;
}

export type Compiled = { program: Program } | { error: string };

/** Requirements of an expression to compile. */
export interface Target {
  environment: Environment;
  /** The required result type. */
  type: "bool" | "string";
  /** The API server's message for another result type. */
  otherType: string;
}

/** The environment with `self` and `oldSelf` of the given type. */
export function environmentFor(types: Environment, self: string, optionalOldSelf: boolean): Environment {
  return types
    .clone(OPTIONS)
    .registerVariable("self", self)
    .registerVariable("oldSelf", optionalOldSelf ? `optional<${self}>` : self);
}

/** Compiles an expression. Never throws for a mistake of the author: `error` describes the first one. */
export function compile(expression: string, { environment, type, otherType }: Target): Compiled {
  const parsed = parseExpression(expression, environment);
  if ("mistake" in parsed) return failed(expression, parsed.mistake);
  const mistake = mistakeIn(parsed);
  if (mistake !== undefined) return failed(expression, mistake);
  const { root } = parsed;
  if (root.checkedType?.kind !== "dyn" && root.checkedType?.name !== type) return { error: otherType };
  const usesOldSelf = mentions(root, "oldSelf");
  return { program: { usesOldSelf, run: (variables) => parsed.run({ ...variables }) } };
}

function failed(expression: string, { at, message }: Mistake): Compiled {
  const before = expression.slice(0, at).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  return { error: `compilation failed: ${before.length}:${column}: ${message}` };
}

interface Parsed {
  root: Node;
  check: () => { valid: boolean; error?: unknown };
  run: (variables: Record<string, unknown>) => unknown;
}

function parseExpression(expression: string, environment: Environment): Parsed | { mistake: Mistake } {
  try {
    const run = environment.parse(expression);
    return { root: run.ast as unknown as Node, check: () => run.check(), run };
  } catch (error) {
    return { mistake: mistakeOf(error) };
  }
}

function mistakeIn({ root, check }: Parsed): Mistake | undefined {
  const [first] = adapt(root);
  if (first !== undefined) return first;
  const { valid, error } = check();
  return valid ? wrongIndex(root) : mistakeOf(error);
}

/** A mistake found by the library's parser or checker. Rethrows every other error. */
function mistakeOf(error: unknown): Mistake {
  if (error instanceof MacroArgumentError) return { at: error.node.start, message: error.message };
  if (!(error instanceof Error && "summary" in error && "code" in error)) throw error;
  const { summary, range } = error as Error & { summary: string; range?: { start: number } };
  return { at: range?.start ?? 0, message: summary };
}

/** Fields of objects are selected by name; an index works only for lists and maps. */
function wrongIndex(node: Node): Mistake | undefined {
  const [object] = operands(node);
  if ((node.op === "[]" || node.op === "[?]") && object?.checkedType?.kind === "message") {
    return { at: node.start, message: "an object has no index: its fields are selected by name" };
  }
  for (const operand of operands(node)) {
    const found = wrongIndex(operand);
    if (found !== undefined) return found;
  }
  return undefined;
}

function mentions(node: Node, variable: string): boolean {
  return (node.op === "id" && node.args === variable) || operands(node).some((operand) => mentions(operand, variable));
}
