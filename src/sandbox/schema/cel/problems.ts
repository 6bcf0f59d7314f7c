import type { TypeDeclaration } from "@marcbachmann/cel-js";
import { operands } from "./adapt.ts";
import { REPLACED } from "./functions/strings.ts";
import { MacroArgumentError } from "./functions/macros.ts";
import type { Node } from "./library.ts";

/** What is wrong with an expression, as the API server's compiler prints it. */
export interface Problem {
  /** Where, in characters from the beginning. */
  at: number;
  message: string;
}

/** `ERROR: <input>:1:5: undefined field 'foo'`, with the line and a mark below it. */
export function printed(expression: string, problems: readonly Problem[]): string {
  return problems
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, message }) => {
      const before = expression.slice(0, at).split("\n");
      const column = Array.from(before.at(-1) ?? "").length;
      const line = expression.split("\n")[before.length - 1] ?? "";
      return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${".".repeat(column)}^`;
    })
    .join("\n");
}

/** The place that the API server's compiler names for a node: of an operator itself, of a call its parenthesis. */
export function placeOf(node: Node): number {
  const { input } = node;
  const [first, second] = operands(node);
  switch (node.op) {
    case "value":
    case "id":
    case "list":
    case "map":
    case "!_":
    case "-_":
      return node.start;
    case ".":
    case ".?":
      return Math.max(0, input.lastIndexOf(".", node.end - 1));
    case "call":
      return input.indexOf("(", node.start);
    case "rcall":
      return input.indexOf("(", (first?.end ?? node.start) + 1);
    case "[]":
    case "[?]":
      return input.indexOf("[", first?.end ?? node.start);
    case "?:":
      return input.indexOf("?", first?.end ?? node.start);
    default: {
      const at = input.indexOf(node.op, first?.end ?? node.start);
      return at === -1 || at > (second?.start ?? input.length) ? node.start : at;
    }
  }
}

/** The type as the API server's compiler prints it. */
export function typeText(type: TypeDeclaration | undefined): string {
  if (type === undefined) return "dyn";
  switch (type.kind) {
    case "list":
      return `list(${typeText(type.valueType)})`;
    case "map":
      return `map(${typeText(type.keyType)}, ${typeText(type.valueType)})`;
    case "optional":
      return `optional_type(${typeText(type.valueType)})`;
    case "param":
    case "dyn":
      return "dyn";
    case "message":
      return /^object\d+$/.test(type.name) ? "object" : type.name;
    default:
      return type.name;
  }
}

/** What the checker found wrong, and what it needs to be told. */
export interface Failure {
  root: Node;
  /** The node that is wrong, when the error does not say. */
  failing?: Node;
  typeOf: (node: Node) => TypeDeclaration | undefined;
  /** Whether there is any function of that name. */
  isFunction: (name: string) => boolean;
}

/** An error of the library's checker, told as the API server would. */
export function problemOf(error: unknown, { root, failing, typeOf, isFunction }: Failure): Problem {
  if (!isLibraryError(error)) throw error;
  const node = failing ?? error.node;
  if (node === undefined) return { at: error.range?.start ?? 0, message: error.summary };
  const [first, second] = operands(node);
  const text = (one: Node | undefined) => typeText(one === undefined ? undefined : typeOf(one));
  const applied = (name: string, nodes: readonly (Node | undefined)[]) =>
    `found no matching overload for '${name}' applied to '(${nodes.map(text).join(", ")})'`;
  const here = (message: string): Problem => ({ at: placeOf(node), message });
  if (failing !== undefined) return here(`undeclared reference to '${calledName(failing)}' (in container '')`);
  switch (error.code) {
    case "unknown_variable":
      return here(`undeclared reference to '${String(node.args)}' (in container '')`);
    case "no_such_key":
      if (node.op === "[]") return here(applied("_[_]", [first, second]));
      return here(`undefined field '${(node.args as [Node, string])[1]}'`);
    case "cannot_index_type":
      if (node.op === "[]") return here(applied("_[_]", [first, second]));
      return here(`type '${text(first)}' does not support field selection`);
    case "invalid_index_type":
      return here(applied("_[_]", [first, second]));
    case "no_such_overload":
      if (node.op === "!_" || node.op === "-_") return here(applied(node.op, [first]));
      return here(applied(node.op === "in" ? "@in" : `_${node.op}_`, [first, second]));
    case "no_matching_overload": {
      const name = calledName(node);
      if (!isFunction(name)) return here(`undeclared reference to '${name}' (in container '')`);
      if (node.op === "call") return here(applied(name, operands(node)));
      const [receiver, ...args] = operands(node).map(text);
      return here(`found no matching overload for '${name}' applied to '${receiver}.(${args.join(", ")})'`);
    }
    case "invalid_logical_operand": {
      const odd = operands(node).find(({ checkedType }) => checkedType?.isDynOrBool() === false) ?? node;
      return { at: placeOf(odd), message: `expected type 'bool' but found '${text(odd)}'` };
    }
    case "invalid_condition_type":
    case "incompatible_ternary_branches": {
      const ternary = ternaryOf(root, node);
      if (ternary !== undefined) return { at: placeOf(ternary), message: applied("_?_:_", operands(ternary)) };
      return here(`expected type 'bool' but found '${text(node)}'`);
    }
    case "heterogeneous_list_element":
    case "heterogeneous_map_key":
    case "heterogeneous_map_value": {
      const list = parentOf(root, node);
      const expected =
        list === undefined ? undefined : operands(list)[error.code === "heterogeneous_map_value" ? 1 : 0];
      return here(`expected type '${text(expected)}' but found '${text(node)}'`);
    }
    default:
      return here(error.summary);
  }
}

/** The name of a called function, as the author wrote it. */
export function calledName(node: Node): string {
  const [called] = node.args as [string];
  return Object.keys(REPLACED).find((one) => REPLACED[one] === called) ?? called;
}

function parentOf(root: Node, wanted: Node): Node | undefined {
  for (const operand of operands(root)) {
    if (operand === wanted) return root;
    const found = parentOf(operand, wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ternaryOf(root: Node, node: Node): Node | undefined {
  if (node.op === "?:") return node;
  const parent = parentOf(root, node);
  return parent?.op === "?:" ? parent : undefined;
}

interface LibraryError extends Error {
  code: string;
  summary: string;
  range?: { start: number };
  node?: Node;
}

function isLibraryError(error: unknown): error is LibraryError {
  return error instanceof Error && "summary" in error && "code" in error;
}

const EXPECTED =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** What the library's parser does not take, told as the API server would, for the mistakes that people make. */
export function syntaxProblems(error: unknown, expression: string): Problem[] {
  if (error instanceof MacroArgumentError) return [{ at: placeOf(error.node), message: error.message }];
  if (!isLibraryError(error)) throw error;
  const { code, summary, range } = error;
  const at = Math.min(range?.start ?? 0, expression.length);
  const rest = expression.slice(at);
  const one = (message: string): Problem[] => [{ at, message }];
  const atEnd: Problem = {
    at: expression.length,
    message: `Syntax error: mismatched input '<EOF>' expecting ${EXPECTED}`,
  };
  if (code === "invalid_macro_argument") {
    const dot = expression[at - 1] === ".";
    return [{ at: dot ? at - 1 : at, message: "argument must be a simple name" }];
  }
  if (code === "invalid_integer") return one("invalid int literal");
  if (summary.startsWith("Invalid number")) return one("invalid double literal");
  if (rest === "") {
    return code === "expected_token" && summary.startsWith("Expected RPAREN")
      ? one("Syntax error: missing ')' at '<EOF>'")
      : [atEnd];
  }
  if (rest.startsWith("`")) return one("unsupported syntax: '`'");
  const [, type] = /([A-Za-z_]\w*)$/.exec(expression.slice(0, at)) ?? [];
  if (rest.startsWith("{") && type !== undefined) return one(`undeclared reference to '${type}' (in container '')`);
  switch (code) {
    case "reserved_identifier":
      return one(`reserved identifier: ${tokenOf(rest)}`);
    case "unexpected_character": {
      const extraneous = (text: string) => `Syntax error: extraneous input '${tokenOf(text)}' expecting <EOF>`;
      if (!/^[=&|#$@~;]/.test(rest)) return one(extraneous(rest));
      const skipped = one(`Syntax error: token recognition error at: '${rest.slice(0, 2)}'`);
      const next = rest.slice(2).trimStart();
      return next === "" ? skipped : [...skipped, { at: expression.length - next.length, message: extraneous(next) }];
    }
    case "unterminated_string":
    case "unterminated_triple_quoted_string":
      return [...one(`Syntax error: token recognition error at: '${rest}'`), atEnd];
    case "unexpected_token":
    case "expected_token":
      return one(`Syntax error: mismatched input '${tokenOf(rest)}' expecting ${EXPECTED}`);
    default:
      return one(`Syntax error: ${summary}`);
  }
}

function tokenOf(text: string): string {
  return /^(?:\w+|'[^']*'|"[^"]*"|.)/s.exec(text)?.[0] ?? "";
}
