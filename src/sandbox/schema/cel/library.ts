import { EvaluationError, parse, type TypeDeclaration } from "@marcbachmann/cel-js";

/** Types of the CEL library's internals that the macros and the rules' compiler use. */

export interface TypeChecker {
  check(node: Node, context: Scope): TypeDeclaration;
  getType(name: string): TypeDeclaration;
  readonly registry: {
    getListType(type: TypeDeclaration): TypeDeclaration;
    getMapType(key: TypeDeclaration, value: TypeDeclaration): TypeDeclaration;
    getOptionalType(type: TypeDeclaration): TypeDeclaration;
    functionCandidates(method: boolean, name: string, count: number): { declarations: readonly unknown[] };
  };
  readonly objectTypes: ReadonlyMap<string, { fields?: Readonly<Record<string, TypeDeclaration>> }>;
  createError(code: string, message: string, node: Node): Error;
}

export interface Evaluator {
  run(node: Node, context: Scope): unknown;
}

/** The variables visible to an expression. */
export interface Scope {
  forkWithVariable(name: string, type: TypeDeclaration): ChildScope;
}

export interface ChildScope extends Scope {
  reuse(parent: Scope): ChildScope;
  setIterValue(value: unknown, evaluator: Evaluator): ChildScope;
}

/** A node of a parsed expression. A macro's node keeps its source form; `meta` holds its meaning. */
export interface Node {
  op: string;
  args: unknown;
  readonly start: number;
  readonly end: number;
  readonly input: string;
  readonly meta: NodeMeaning;
  checkedType?: TypeDeclaration;
  /** Set by the type check: the implementation of a binary operator. */
  handle?: (left: unknown, right: unknown, node: Node, evaluator: Evaluator) => unknown;
  setMeta(key: string, value: unknown): Node;
}

export interface NodeMeaning {
  check(checker: TypeChecker, node: Node, scope: Scope): TypeDeclaration;
  evaluate(evaluator: Evaluator, node: Node, scope: Scope): unknown;
  readonly alternate?: Node;
  readonly macro?: unknown;
  readonly label?: string;
}

/** A node's own type check and evaluation. */
export interface Macro {
  typeCheck(checker: TypeChecker, macro: this, scope: Scope): TypeDeclaration;
  evaluate(evaluator: Evaluator, macro: this, scope: Scope): unknown;
}

export interface MacroCall {
  ast: Node;
  args: Node[];
  receiver: Node | null;
  methodName: string;
}

/** A CEL function: its signature in the library's notation, and its implementation. */
export type CelFunction = readonly [signature: string, handler: (...args: never[]) => unknown];

/** The library's duration class, which the library does not export. */
export interface DurationValue {
  readonly seconds: bigint;
  readonly nanos: number;
}

const sample = parse("duration('0s')")() as DurationValue;
const Duration = sample.constructor as new (seconds: bigint, nanos: number) => DurationValue;

export function durationOf(nanoseconds: bigint): DurationValue {
  return new Duration(nanoseconds / 1_000_000_000n, Number(nanoseconds % 1_000_000_000n));
}

export function isDurationValue(value: unknown): value is DurationValue {
  return value instanceof Duration;
}

export function nanosecondsOf({ seconds, nanos }: DurationValue): bigint {
  return seconds * 1_000_000_000n + BigInt(nanos);
}

/** The error that ends an evaluation. */
export function evaluationError(message: string): EvaluationError {
  return new EvaluationError({ code: "kubernetes", message });
}
