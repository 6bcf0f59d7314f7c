/** Label selectors, and the requirements that they share with node selectors. */

export interface LabelSelector {
  matchLabels?: Readonly<Record<string, string>>;
  matchExpressions?: readonly SelectorExpression[];
}

export interface SelectorExpression {
  key: string;
  operator: string;
  values?: readonly string[];
}

/** True if labels match the selector. An empty selector matches everything, an absent one nothing. */
export function matchesSelector(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  if (selector === undefined) return false;
  const valueOf = (key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => valueOf(key) === value) &&
    matchExpressions.every((expression) => matchesExpression(expression, valueOf(expression.key)))
  );
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

/** True for a selector that selects everything. */
export function selectsAll({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
