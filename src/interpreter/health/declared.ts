import { type FieldProblem, type HealthRule, type KubeObject, shortMessage } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { numberOf } from "../values.ts";
import { type Compiled, compileCondition } from "./cel.ts";
import { health, isBehind, pending, servingIf, statusOf } from "./report.ts";

/** Health as a placement declares it for a kind (`spec.health`). */

/** Compiled rules are kept: they are few, and every event of an object of such a kind needs them. */
const compiled = new Map<string, Compiled>();
const MOST_COMPILED = 1_000;

function compile(expression: string): Compiled {
  let result = compiled.get(expression);
  if (result === undefined) {
    if (compiled.size >= MOST_COMPILED) compiled.clear();
    compiled.set(expression, (result = compileCondition(expression)));
  }
  return result;
}

/** Mistake in an expression, with its place; undefined if the expression is valid. */
export function conditionProblem(expression: string): string | undefined {
  const result = compile(expression);
  return "mistake" in result ? result.mistake : undefined;
}

/** Invalid expressions in a placement's `health`. */
export function healthProblems(rules: readonly HealthRule[]): FieldProblem[] {
  return rules.flatMap((rule, index) =>
    (["available", "failed"] as const).flatMap((name) => {
      const expression = rule[name];
      const message = expression === undefined ? undefined : conditionProblem(expression);
      return message === undefined ? [] : [{ field: `spec.health[${index}].${name}`, message }];
    }),
  );
}

type Answer = { holds: boolean } | { unknown: Health };

/**
 * Health by the declaration. `byKind`, by the rules of the kind, still tells why the object is not available, and how
 * many replicas it has. Unknown if an expression reads a value that the object lacks.
 */
export function declaredHealth(object: KubeObject, rule: HealthRule, byKind: Health): Health {
  const judged = judge(object, rule, byKind);
  return byKind.replicas === undefined ? judged : { ...judged, replicas: byKind.replicas };
}

function judge(object: KubeObject, { available, failed }: HealthRule, byKind: Health): Health {
  if (numberOf(statusOf(object)["observedGeneration"]) !== undefined && isBehind(object)) {
    const before = available === undefined ? undefined : answer("available", available, object);
    return servingIf(before !== undefined && "holds" in before && before.holds, "Before", pending());
  }
  if (failed !== undefined) {
    const said = answer("failed", failed, object);
    if ("unknown" in said) return said.unknown;
    if (said.holds) return health("Failed", "DeclaredFailed", `by spec.health of the placement: ${failed}`);
  }
  if (available === undefined) return byKind;
  const said = answer("available", available, object);
  if ("unknown" in said) return said.unknown;
  if (said.holds) return { state: "Available" };
  if (byKind.state !== "Available" && byKind.state !== "Unknown") return byKind;
  return health("Progressing", "DeclaredUnavailable", `by spec.health of the placement, not yet: ${available}`);
}

function answer(field: keyof HealthRule, expression: string, object: KubeObject): Answer {
  const result = compile(expression);
  if ("mistake" in result)
    return { unknown: health("Unknown", "InvalidHealthRule", `spec.health ${field}: ${result.mistake}`) };
  try {
    return { holds: result.condition(object) };
  } catch (error) {
    return { unknown: health("Unknown", "HealthNotReadable", `spec.health ${field}: ${saidBy(error)}`) };
  }
}

/** Without the library's drawing of the place, which follows on further lines. */
function saidBy(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return shortMessage(text.split("\n", 1)[0] ?? text);
}
