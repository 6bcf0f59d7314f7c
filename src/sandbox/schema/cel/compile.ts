import type { Environment, TypeDeclaration } from "@marcbachmann/cel-js";
import { adapt, operands } from "./adapt.ts";
import { AUTHORIZER_FUNCTIONS, kubernetesEnvironment, OPTIONS, UNKNOWN_TO_KUBERNETES } from "./environment.ts";
import { formatMistake } from "./formatText.ts";
import type { Node } from "./library.ts";
import { calledName, placeOf, printed, type Problem, problemOf, syntaxProblems, typeText } from "./problems.ts";

/** An expression that is ready to run. */
export interface Program {
  usesOldSelf: boolean;
  /** @throws EvaluationError */
  run(variables: { self: unknown; oldSelf?: unknown }): unknown;
}

export type Compiled = { program: Program } | { error: string };

/** What an expression is compiled for. */
export interface Target {
  environment: Environment;
  /** The type that it must have. */
  type: "bool" | "string";
  /** What the API server says when it has another one. */
  otherType: string;
}

/** Environments with `self` and `oldSelf` of one type. */
export function environmentFor(types: Environment, self: string, optionalOldSelf: boolean): Environment {
  return types
    .clone(OPTIONS)
    .registerVariable("self", self)
    .registerVariable("oldSelf", optionalOldSelf ? `optional<${self}>` : self);
}

/** Never throws for what an author wrote: the error is text, as the API server prints it. */
export function compile(expression: string, { environment, type, otherType }: Target): Compiled {
  const parsed = parseExpression(expression, environment);
  if ("problems" in parsed) return failed(expression, parsed.problems);
  const problems = new Checking(environment).problemsOf(parsed);
  if (problems.length > 0) return failed(expression, problems);
  const { root } = parsed;
  if (root.checkedType?.kind !== "dyn" && typeText(root.checkedType) !== type) return { error: otherType };
  const usesOldSelf = mentions(root, "oldSelf");
  return { program: { usesOldSelf, run: (variables) => parsed.run({ ...variables }) } };
}

function failed(expression: string, problems: readonly Problem[]): Compiled {
  return { error: `compilation failed: ${printed(expression, problems)}` };
}

interface Parsed {
  root: Node;
  check: () => { valid: boolean; error?: unknown };
  run: (variables: Record<string, unknown>) => unknown;
}

function parseExpression(expression: string, environment: Environment): Parsed | { problems: Problem[] } {
  try {
    const run = environment.parse(expression);
    return { root: run.ast as unknown as Node, check: () => run.check(), run };
  } catch (error) {
    return { problems: syntaxProblems(error, expression) };
  }
}

/**
 * The library's checker stops at the first mistake, the API server's does not: each operand is looked at on its own, as far as it can be without the
 * variables of a comprehension around it.
 */
class Checking {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  problemsOf({ root, check }: Parsed): Problem[] {
    const mistakes = adapt(root).map(({ node, message }) => ({ at: placeOf(node), message }));
    const { valid, error } = check();
    if (valid) return [...mistakes, ...wrongIndexes(root), ...wrongFormats(root)];
    const below = this.#operandProblems(root);
    const own = { root, typeOf: (node: Node) => node.checkedType ?? this.#typeOf(node), isFunction };
    if (isUndeclaredCall(root)) return [...below, problemOf(error, { ...own, failing: root })];
    if (below.length > 0) return below;
    return mistakes.length > 0 ? mistakes : [problemOf(error, own)];
  }

  #operandProblems(root: Node): Problem[] {
    return independentOperands(root).flatMap((operand) => {
      const parsed = this.#parsedAlone(operand);
      if (parsed === undefined) return [];
      return this.problemsOf(parsed).map(({ at, message }) => ({ at: at + operand.start, message }));
    });
  }

  /** Undefined for an operand that is no expression without what stands around it. */
  #parsedAlone(operand: Node): Parsed | undefined {
    if (operand.op === "value") return undefined;
    const parsed = parseExpression(operand.input.slice(operand.start, operand.end), this.#environment);
    return "problems" in parsed ? undefined : parsed;
  }

  #typeOf(node: Node): TypeDeclaration | undefined {
    const parsed = parseExpression(node.input.slice(node.start, node.end), this.#environment);
    if ("problems" in parsed) return undefined;
    adapt(parsed.root);
    return parsed.check().valid ? parsed.root.checkedType : undefined;
  }
}

/** As the parser found it; that the compiler gives other nodes a meaning of its own too does not count. */
function isMacro({ op, args, meta }: Node): boolean {
  if (op === "call") return (args as [string])[0] === "has";
  return op === "rcall" && (meta.macro !== undefined || meta.alternate !== undefined);
}

/** Those that mean something without the variables of a comprehension; the field that `has` asks for is none of them. */
function independentOperands(node: Node): Node[] {
  const all = operands(node);
  if (!isMacro(node)) return all;
  const [first] = all;
  if (first === undefined) return [];
  return node.op === "call" ? operands(first) : [first];
}

function isUndeclaredCall(node: Node): boolean {
  return (node.op === "call" || node.op === "rcall") && !isMacro(node) && !isFunction(calledName(node));
}

/** Fields of objects are selected by name: an index is for lists and maps. */
function wrongIndexes(node: Node): Problem[] {
  const inside = operands(node).flatMap(wrongIndexes);
  if (node.op !== "[]" && node.op !== "[?]") return inside;
  const [object, index] = operands(node);
  if (object?.checkedType?.kind !== "message") return inside;
  const types = `${typeText(object.checkedType)}, ${typeText(index?.checkedType)}`;
  return [...inside, { at: placeOf(node), message: `found no matching overload for '_[_]' applied to '(${types})'` }];
}

/** Templates and arguments that stand in the expression itself are compared before it runs. */
function wrongFormats(node: Node): Problem[] {
  const inside = operands(node).flatMap(wrongFormats);
  const [template, list] = operands(node);
  if (node.op !== "rcall" || calledName(node) !== "format" || list?.op !== "list") return inside;
  if (template?.op !== "value" || typeof template.args !== "string") return inside;
  const args = operands(list);
  const mistake = formatMistake(
    template.args,
    args.map(({ checkedType }) => checkedType),
  );
  if (mistake === undefined) return inside;
  const at = mistake.argument === undefined ? node : (args[mistake.argument] ?? node);
  return [...inside, { at: placeOf(at), message: mistake.message }];
}

function mentions(node: Node, variable: string): boolean {
  return (node.op === "id" && node.args === variable) || operands(node).some((operand) => mentions(operand, variable));
}

let functionNames: ReadonlySet<string> | undefined;

/** One set for all: rules declare types and variables, but no functions. */
function isFunction(name: string): boolean {
  functionNames ??= new Set([
    ...kubernetesEnvironment()
      .getDefinitions()
      .functions.filter(({ params }) => params.every(({ type }) => type !== "ast"))
      .map((one) => one.name),
    ...AUTHORIZER_FUNCTIONS,
  ]);
  return functionNames.has(name) && !UNKNOWN_TO_KUBERNETES.has(name);
}
