import type { TypeDeclaration } from "@marcbachmann/cel-js";
import { parseGoDuration, parseRfc3339 } from "../time.ts";
import { compilePattern, PatternError } from "../regularExpression.ts";
import { UNKNOWN_TO_KUBERNETES } from "./environment.ts";
import { concatenated, equalValues } from "./equality.ts";
import { REPLACED } from "./functions/strings.ts";
import type { Evaluator, Macro, Node, Scope, TypeChecker } from "./library.ts";
import { CelObject } from "./values.ts";

/**
 * Gives a parsed expression the semantics of Kubernetes where the CEL library differs: equality and membership, `has`
 * of any selected field, RE2 regular expressions, joining lists of type set and map, and `format` arguments of mixed
 * types. Also finds mistakes that only Kubernetes reports.
 */

/** A mistake in an expression. */
export interface Mistake {
  /** Position in characters from the beginning. */
  at: number;
  message: string;
}

const MOST = 2n ** 63n - 1n;

/** The operands of a node of any form. */
export function operands(node: Node): Node[] {
  const { op, args } = node;
  if (op === "value" || op === "id") return [];
  if (op === "call") return (args as [string, Node[]])[1];
  if (op === "rcall") return [(args as [string, Node, Node[]])[1], ...(args as [string, Node, Node[]])[2]];
  if (op === "." || op === ".?") return [(args as [Node, string])[0]];
  if (op === "map") return (args as [Node, Node][]).flat();
  return Array.isArray(args) ? (args as Node[]) : [args as Node];
}

/** Changes the nodes in place, before type checking. */
export function adapt(root: Node): Mistake[] {
  const mistakes: Mistake[] = [];
  visit(root, undefined, mistakes);
  return mistakes;
}

function visit(node: Node, parent: Node | undefined, mistakes: Mistake[]): void {
  // Evaluation is always synchronous. The flag spares the library the detection.
  if (node.meta.macro === undefined) node.setMeta("async", false);
  adaptNode(node, parent, mistakes);
  for (const operand of operands(node)) visit(operand, node, mistakes);
}

function adaptNode(node: Node, parent: Node | undefined, mistakes: Mistake[]): void {
  switch (node.op) {
    case "==":
      return replace(
        node,
        equality(node, (equal) => equal),
      );
    case "!=":
      return replace(
        node,
        equality(node, (equal) => !equal),
      );
    case "in":
      return replace(node, membership(node));
    case "+":
      return replace(node, addition(node));
    case "value":
      if (typeof node.args === "bigint" && node.args > (parent?.op === "-_" ? MOST + 1n : MOST)) {
        mistakes.push({ at: node.start, message: "invalid int literal" });
      }
      if (node.args === Infinity) mistakes.push({ at: node.start, message: "invalid double literal" });
      return;
    case "call":
      return adaptCall(node, mistakes);
    case "rcall":
      return adaptMethod(node, mistakes);
    default:
  }
}

function adaptCall(node: Node, mistakes: Mistake[]): void {
  const [name, args] = node.args as [string, Node[]];
  const [first, second] = args;
  if (name === "has" && first !== undefined) {
    if (first.op !== "." && first.op !== ".?") {
      mistakes.push({ at: first.start, message: "invalid argument to has() macro" });
    } else replace(node, presence(first));
  }
  const text = literalText(first);
  if (first !== undefined && text !== undefined) {
    if (name === "duration" && parseGoDuration(text) === undefined) {
      mistakes.push({ at: first.start, message: "invalid duration argument" });
    }
    if (name === "timestamp" && parseRfc3339(text) === undefined) {
      mistakes.push({ at: first.start, message: "invalid timestamp argument" });
    }
  }
  if (name === "matches") checkPattern(second, mistakes);
}

function adaptMethod(node: Node, mistakes: Mistake[]): void {
  const method = node.args as [string, Node, Node[]];
  const [name, , args] = method;
  if (name === "matches") checkPattern(args[0], mistakes);
  method[0] = Object.hasOwn(REPLACED, name) ? (REPLACED[name] ?? name) : name;
  if (name === "format") mixLists(args[0]);
  if (UNKNOWN_TO_KUBERNETES.has(name)) {
    mistakes.push({ at: node.start, message: `undeclared reference to '${name}' (in container '')` });
  }
}

function checkPattern(node: Node | undefined, mistakes: Mistake[]): void {
  const pattern = literalText(node);
  if (node === undefined || pattern === undefined) return;
  try {
    compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    mistakes.push({ at: node.start, message: "invalid matches argument" });
  }
}

function literalText(node: Node | undefined): string | undefined {
  return node?.op === "value" && typeof node.args === "string" ? node.args : undefined;
}

function replace(node: Node, macro: Macro): void {
  node.setMeta("macro", macro).setMeta("async", false);
}

function binary(node: Node): [Node, Node] {
  return node.args as [Node, Node];
}

function noOverload(checker: TypeChecker, node: Node, types: readonly TypeDeclaration[]): Error {
  return checker.createError("no_such_overload", `no such overload: ${types.map(({ name }) => name).join(", ")}`, node);
}

/** Types that accept null. */
function isNullable(type: TypeDeclaration): boolean {
  return type.kind === "message" || type.kind === "dyn" || type.name === "null";
}

function equality(node: Node, verdict: (equal: boolean) => boolean): Macro {
  const [left, right] = binary(node);
  return {
    typeCheck(checker, _macro, scope) {
      const types = [checker.check(left, scope), checker.check(right, scope)] as const;
      const [a, b] = types;
      const nulls = (a.name === "null" && isNullable(b)) || (b.name === "null" && isNullable(a));
      if (!nulls && !agree(checker, a, b)) throw noOverload(checker, node, types);
      return checker.getType("bool");
    },
    evaluate: (evaluator, _macro, scope) =>
      verdict(equalValues(evaluator.run(left, scope), evaluator.run(right, scope))),
  };
}

function agree(checker: TypeChecker, a: TypeDeclaration, b: TypeDeclaration): boolean {
  return a.unify(checker.registry as never, b) !== null;
}

function membership(node: Node): Macro {
  const [left, right] = binary(node);
  return {
    typeCheck(checker, _macro, scope) {
      const types = [checker.check(left, scope), checker.check(right, scope)] as const;
      const [item, range] = types;
      const of = range.kind === "map" ? range.keyType : range.kind === "list" ? range.valueType : undefined;
      if (range.kind !== "dyn" && (of === undefined || !agree(checker, item, of)))
        throw noOverload(checker, node, types);
      return checker.getType("bool");
    },
    evaluate(evaluator, _macro, scope) {
      const item = evaluator.run(left, scope);
      const range = evaluator.run(right, scope);
      if (Array.isArray(range)) return range.some((one) => equalValues(one, item));
      if (range instanceof Map) return range.has(item);
      if (range instanceof CelObject) return typeof item === "string" && range.field(item) !== undefined;
      return Object.hasOwn(range as object, item as string);
    },
  };
}

/** The library's addition, except that lists of type set and map are merged by their type. */
function addition(node: Node): Macro {
  const [left, right] = binary(node);
  const meaning = node.meta;
  return {
    typeCheck: (checker, _macro, scope) => meaning.check(checker, node, scope),
    evaluate(evaluator, _macro, scope) {
      const a = evaluator.run(left, scope);
      const b = evaluator.run(right, scope);
      if (Array.isArray(a) && Array.isArray(b)) return concatenated(a, b);
      return node.handle?.(a, b, node, evaluator);
    },
  };
}

/** Arguments of `format` may be lists and maps of mixed types, nested as well. */
function mixLists(node: Node | undefined): void {
  if (node === undefined || (node.op !== "list" && node.op !== "map")) return;
  replace(node, node.op === "list" ? mixedList(node) : mixedMap(node));
  for (const item of operands(node)) mixLists(item);
}

function mixedList(node: Node): Macro {
  const items = operands(node);
  return {
    typeCheck(checker, _macro, scope) {
      for (const item of items) checker.check(item, scope);
      return checker.getType("list<dyn>");
    },
    evaluate: (evaluator, _macro, scope) => items.map((item) => evaluator.run(item, scope)),
  };
}

function mixedMap(node: Node): Macro {
  const entries = node.args as [Node, Node][];
  return {
    typeCheck(checker, _macro, scope) {
      for (const operand of operands(node)) checker.check(operand, scope);
      return checker.getType("map<dyn, dyn>");
    },
    evaluate: (evaluator, _macro, scope) =>
      new Map(entries.map(([key, value]) => [evaluator.run(key, scope), evaluator.run(value, scope)])),
  };
}

/** `has(a.b)`: true if `b` exists. Everything before the last selection must exist, otherwise evaluation fails. */
function presence(selection: Node): Macro {
  const [operand, name] = selection.args as [Node, string];
  return {
    typeCheck(checker: TypeChecker, _macro: unknown, scope: Scope) {
      checker.check(selection, scope);
      return checker.getType("bool");
    },
    evaluate(evaluator: Evaluator, _macro: unknown, scope: Scope) {
      return hasField(evaluator.run(operand, scope), name);
    },
  };
}

function hasField(value: unknown, name: string): boolean {
  if (value instanceof CelObject) return value.field(name) !== undefined;
  if (value instanceof Map) return value.has(name);
  if (typeof value !== "object" || value === null) return false;
  if ("hasValue" in value) {
    const optional = value as { hasValue(): boolean; value(): unknown };
    return optional.hasValue() && hasField(optional.value(), name);
  }
  return Object.hasOwn(value, name) && (value as Record<string, unknown>)[name] !== null;
}
