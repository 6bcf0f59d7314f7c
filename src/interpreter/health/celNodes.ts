import type { TypeDeclaration } from "@marcbachmann/cel-js";

/** The CEL library's internals, as far as counting the cost needs them. */

export interface Checker {
  check(node: CelNode, scope: unknown): TypeDeclaration;
}

export interface Evaluator {
  run(node: CelNode, scope: unknown): unknown;
}

/** Node of a parsed expression. The node of a macro keeps the written form; `meta` holds its meaning. */
export interface CelNode {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  checkedType?: TypeDeclaration;
  readonly meta: {
    check(checker: Checker, node: CelNode, scope: unknown): TypeDeclaration;
    evaluate(evaluator: Evaluator, node: CelNode, scope: unknown): unknown;
    readonly alternate?: CelNode;
    readonly macro?: unknown;
  };
  setMeta(key: "macro" | "async", value: unknown): CelNode;
}

export function operandsOf({ op, args }: CelNode): readonly CelNode[] {
  switch (op) {
    case "value":
    case "id":
      return [];
    case "call":
      return (args as [string, CelNode[]])[1];
    case "rcall":
      return [(args as [string, CelNode, CelNode[]])[1], ...(args as [string, CelNode, CelNode[]])[2]];
    case ".":
    case ".?":
      return [(args as [CelNode, string])[0]];
    case "map":
      return (args as [CelNode, CelNode][]).flat();
    default:
      return Array.isArray(args) ? (args as CelNode[]) : [args as CelNode];
  }
}

/** Function or method that a node calls. */
export function calledBy({ op, args }: CelNode): string | undefined {
  return op === "call" || op === "rcall" ? (args as [string])[0] : undefined;
}
