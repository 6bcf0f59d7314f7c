import { Optional, type TypeDeclaration } from "@marcbachmann/cel-js";
import { equalValues } from "../equality.ts";
import {
  type CelFunction,
  type ChildScope,
  evaluationError,
  type Evaluator,
  type Macro,
  type MacroCall,
  type Node,
  type Scope,
  type TypeChecker,
} from "../library.ts";
import { compareValues } from "./lists.ts";

/** Macros that the library lacks: two-variable comprehensions, `sortBy`, and mapping of optionals. */

export const macroFunctions: readonly CelFunction[] = [
  ["list.all(ast, ast, ast): bool", twoVariables(quantifier("all"))],
  ["list.exists(ast, ast, ast): bool", twoVariables(quantifier("exists"))],
  ["list.existsOne(ast, ast, ast): bool", twoVariables(quantifier("existsOne"))],
  ["list.exists_one(ast, ast, ast): bool", twoVariables(quantifier("existsOne"))],
  ["list.transformList(ast, ast, ast): list<dyn>", twoVariables(transform("list"))],
  ["list.transformList(ast, ast, ast, ast): list<dyn>", twoVariables(transform("list"))],
  ["list.transformMap(ast, ast, ast): map<dyn, dyn>", twoVariables(transform("map"))],
  ["list.transformMap(ast, ast, ast, ast): map<dyn, dyn>", twoVariables(transform("map"))],
  ["list.transformMapEntry(ast, ast, ast): map<dyn, dyn>", twoVariables(transform("entry"))],
  ["list.transformMapEntry(ast, ast, ast, ast): map<dyn, dyn>", twoVariables(transform("entry"))],
  ["list.sortBy(ast, ast): list<dyn>", sortBy],
  ["optional.optMap(ast, ast): optional<dyn>", mappedOptional((value) => Optional.of(value))],
  ["optional.optFlatMap(ast, ast): optional<dyn>", mappedOptional((value) => value)],
  ["OptionalNamespace.ofNonZeroValue(A): optional<A>", (_: unknown, value: unknown) => ofNonZeroValue(value)],
  ["OptionalNamespace.unwrap(list<optional<A>>): list<A>", (_: unknown, list: readonly Optional[]) => unwrapped(list)],
  ["list<optional<A>>.unwrapOpt(): list<A>", unwrapped],
];

/** How a comprehension evaluates each pair and combines the results. */
interface Comprehension {
  typeOf(
    checker: TypeChecker,
    types: { key: TypeDeclaration; results: TypeDeclaration[] },
    nodes: Node[],
  ): TypeDeclaration;
  collect(pairs: readonly (readonly [key: unknown, value: unknown])[], run: Run, count: number): unknown;
}

type Run = (node: number, key: unknown, value: unknown) => unknown;

function twoVariables(comprehension: Comprehension) {
  return ({ args, receiver }: MacroCall): Macro => {
    const [first, second, ...steps] = args;
    const [keyName, valueName] = [simpleName(first), simpleName(second)];
    let keyScope: ChildScope | undefined;
    let valueScope: ChildScope | undefined;
    return {
      typeCheck(checker, _macro, scope) {
        const type = checker.check(received(receiver), scope);
        const [key, value] =
          type.kind === "map"
            ? [type.keyType ?? checker.getType("dyn"), type.valueType ?? checker.getType("dyn")]
            : [checker.getType("int"), type.valueType ?? checker.getType("dyn")];
        keyScope = scope.forkWithVariable(keyName, key);
        valueScope = keyScope.forkWithVariable(valueName, value);
        const inside = valueScope;
        const results = steps.map((step) => checker.check(step, inside));
        return comprehension.typeOf(checker, { key, results }, steps);
      },
      evaluate(evaluator, _macro, scope) {
        const pairs = pairsOf(evaluator.run(received(receiver), scope));
        const run: Run = (node, key, value) => {
          const outer = required(keyScope).reuse(scope).setIterValue(key, evaluator);
          return evaluator.run(required(steps[node]), required(valueScope).reuse(outer).setIterValue(value, evaluator));
        };
        return comprehension.collect(pairs, run, steps.length);
      },
    };
  };
}

/** An error in one pair does not matter if another pair decides the result. */
function quantifier(mode: "all" | "exists" | "existsOne"): Comprehension {
  return {
    typeOf(checker, { results }, [predicate]) {
      assertBool(checker, results[0], predicate);
      return checker.getType("bool");
    },
    collect(pairs, run) {
      const decisive = mode !== "all";
      let count = 0;
      let failed: Error | undefined;
      for (const [key, value] of pairs) {
        try {
          if (isTrue(run(0, key, value)) === decisive) count++;
        } catch (error) {
          if (mode === "existsOne" || !(error instanceof Error)) throw error;
          failed ??= error;
        }
        if (count > 0 && mode !== "existsOne") return decisive;
      }
      if (failed !== undefined) throw failed;
      return mode === "existsOne" ? count === 1 : !decisive;
    },
  };
}

/** With a filter as the first of two steps, only matching pairs count. */
function transform(into: "list" | "map" | "entry"): Comprehension {
  return {
    typeOf(checker, { key, results }, nodes) {
      if (results.length === 2) assertBool(checker, results[0], nodes[0]);
      const result = results.at(-1) ?? checker.getType("dyn");
      if (into === "entry") return result;
      return into === "list" ? checker.registry.getListType(result) : checker.registry.getMapType(key, result);
    },
    collect(pairs, run, count) {
      const chosen = count === 1 ? pairs : pairs.filter(([key, value]) => isTrue(run(0, key, value)));
      const results = chosen.map(([key, value]) => [key, run(count - 1, key, value)] as const);
      if (into === "list") return results.map(([, result]) => result);
      if (into === "map") return new Map(results);
      const entries = new Map<unknown, unknown>();
      for (const [key, value] of results.flatMap(([, result]) => pairsOf(result))) {
        if (entries.has(key)) throw evaluationError(`insert failed: key ${String(key)} already exists`);
        entries.set(key, value);
      }
      return entries;
    },
  };
}

function sortBy({ args, receiver }: MacroCall): Macro {
  const [variable, step] = args;
  const name = simpleName(variable);
  let inside: ChildScope | undefined;
  return {
    typeCheck(checker, _macro, scope) {
      const type = checker.check(received(receiver), scope);
      inside = scope.forkWithVariable(name, type.valueType ?? checker.getType("dyn"));
      checker.check(required(step), inside);
      return type;
    },
    evaluate(evaluator, _macro, scope) {
      const list = evaluator.run(received(receiver), scope) as readonly unknown[];
      const keyed = list.map((item) => ({ item, key: runIn(evaluator, inside, scope, item, required(step)) }));
      return keyed.toSorted((a, b) => compareValues(a.key, b.key)).map(({ item }) => item);
    },
  };
}

function mappedOptional(wrap: (value: unknown) => unknown) {
  return ({ args, receiver, methodName }: MacroCall): Macro => {
    const [variable, step] = args;
    const name = simpleName(variable);
    let inside: ChildScope | undefined;
    return {
      typeCheck(checker, _macro, scope) {
        const type = checker.check(received(receiver), scope);
        inside = scope.forkWithVariable(name, type.valueType ?? checker.getType("dyn"));
        const result = checker.check(required(step), inside);
        return methodName === "optMap" ? checker.registry.getOptionalType(result) : result;
      },
      evaluate(evaluator, _macro, scope) {
        const optional = evaluator.run(received(receiver), scope) as Optional;
        if (!optional.hasValue()) return Optional.none();
        return wrap(runIn(evaluator, inside, scope, optional.value(), required(step)));
      },
    };
  };
}

function runIn(
  evaluator: Evaluator,
  inside: ChildScope | undefined,
  scope: Scope,
  value: unknown,
  node: Node,
): unknown {
  return evaluator.run(node, required(inside).reuse(scope).setIterValue(value, evaluator));
}

function ofNonZeroValue(value: unknown): Optional {
  const zeros: readonly unknown[] = [null, false, 0, 0n, ""];
  const empty =
    (Array.isArray(value) && value.length === 0) ||
    (value instanceof Map && value.size === 0) ||
    (value instanceof Uint8Array && value.length === 0) ||
    zeros.some((zero) => equalValues(zero, value));
  return empty ? Optional.none() : Optional.of(value);
}

function unwrapped(list: readonly Optional[]): unknown[] {
  return list.filter((one) => one.hasValue()).map((one) => one.value());
}

/** Keys and values of a map, indices and items of a list. */
function pairsOf(range: unknown): readonly (readonly [unknown, unknown])[] {
  if (Array.isArray(range)) return range.map((item, index) => [BigInt(index), item] as const);
  if (range instanceof Map) return [...range];
  if (typeof range === "object" && range !== null) return Object.entries(range);
  throw evaluationError("no such overload");
}

function isTrue(value: unknown): boolean {
  if (typeof value !== "boolean") throw evaluationError("no such overload");
  return value;
}

function assertBool(checker: TypeChecker, type: TypeDeclaration | undefined, node: Node | undefined): void {
  if (type === undefined || type.isDynOrBool()) return;
  throw checker.createError("expected_type", `expected type 'bool' but found '${type.name}'`, required(node));
}

/** A mistake that the checker reports with its position. */
export class MacroArgumentError extends Error {
  override readonly name = "MacroArgumentError";
  readonly node: Node;

  constructor(message: string, node: Node) {
    super(message);
    this.node = node;
  }
}

function simpleName(node: Node | undefined): string {
  const given = required(node);
  if (given.op === "id" && typeof given.args === "string") return given.args;
  throw new MacroArgumentError("argument must be a simple name", given);
}

function received(receiver: Node | null): Node {
  return required(receiver ?? undefined);
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the library called a macro in another way than it declares");
  return value;
}
