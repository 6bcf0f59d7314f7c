import { parseQuantity } from "../../../apis/index.ts";
import type { LabelSelector, Labels, SelectorExpression } from "./objects.ts";

/** True if labels match the selector. An empty selector matches everything, an absent one nothing. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (selector === undefined) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (labels[key] !== value) return false;
  return (selector.matchExpressions ?? []).every((expression) => matchesExpression(expression, labels[expression.key]));
}

/** True if a value satisfies a requirement of a label or node selector; undefined means an absent value. */
export function matchesExpression({ operator, values = [] }: SelectorExpression, actual: string | undefined): boolean {
  switch (operator) {
    case "In":
      return actual !== undefined && values.includes(actual);
    case "NotIn":
      return actual === undefined || !values.includes(actual);
    case "Exists":
      return actual !== undefined;
    case "DoesNotExist":
      return actual === undefined;
    case "Gt":
      return isNumber(actual) && Number(actual) > Number(values[0]);
    case "Lt":
      return isNumber(actual) && Number(actual) < Number(values[0]);
    default:
      return false;
  }
}

function isNumber(text: string | undefined): boolean {
  return text !== undefined && /^-?\d+$/.test(text);
}

/** True for a selector that selects everything, which workloads may not use. */
export function selectsAll({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/**
 * Equality as Kubernetes sees it: absent, null, an empty list and an empty map are equal, because Go does not tell them
 * apart.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameValue(item, b[index]))
    );
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key of Object.keys(left)) if (!sameValue(left[key], right[key])) return false;
  for (const key of Object.keys(right)) if (!(key in left) && !isEmpty(right[key])) return false;
  return true;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== "object") return false;
  for (const key in value) if (!isEmpty((value as Record<string, unknown>)[key])) return false;
  return true;
}

/** A quantity in its base unit: cores, bytes. Throws for an invalid quantity. */
export function quantity(value: string | number): number {
  const parsed = parseQuantity(value);
  if (parsed === undefined) throw new Error(`"${value}" is not a quantity`);
  return parsed;
}

/** An integer, or a percentage of `total` rounded up or down. */
export function scaledValue(value: number | string | undefined, total: number, roundUp: boolean): number {
  if (value === undefined) return 0;
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value);
  if (percent === null) throw new Error(`"${value}" is neither a number nor a percentage`);
  const exact = (Number(percent[1]) * total) / 100;
  return roundUp ? Math.ceil(exact) : Math.floor(exact);
}
