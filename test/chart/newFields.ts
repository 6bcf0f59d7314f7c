/** Whether a rule of a schema says nothing of objects that lack the fields which came with the rule. */

const ABSENT = "<absent>";

/**
 * True where a rule in CEL holds for every object without the fields `added`, by its shape alone: some alternative asks that such a field is not
 * there, or what it denies needs one. False where that cannot be seen.
 */
export function holdsWithout(rule: string, added: ReadonlySet<string>): boolean {
  return holds(
    rule.replaceAll(/has\(([\w.]+)\.(\w+)\)/g, (whole, _of: string, field: string) =>
      added.has(field) ? ABSENT : whole,
    ),
  );
}

function holds(expression: string): boolean {
  const alternatives = split(expression, "||");
  if (alternatives.length > 1) return alternatives.some(holds);
  const demands = split(expression, "&&");
  if (demands.length > 1) return demands.every(holds);
  const [denied] = /^!(.*)$/s.exec(expression.trim())?.slice(1) ?? [];
  return denied !== undefined && isFalse(denied);
}

function isFalse(expression: string): boolean {
  const parts = split(bare(expression), "&&");
  if (parts.length > 1) return parts.some(isFalse);
  const [part = ""] = parts;
  if (part === ABSENT) return true;
  const [, body] = /^[\w.]+\.exists\(\w+, (.*)\)$/s.exec(part) ?? [];
  return body !== undefined && isFalse(body);
}

/** Without the brackets around the whole. */
function bare(expression: string): string {
  const text = expression.trim();
  return text.startsWith("(") && closing(text, 0) === text.length - 1 ? bare(text.slice(1, -1)) : text;
}

/** The parts between an operator, as far as they stand in no brackets. */
function split(expression: string, operator: "||" | "&&"): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < expression.length; at += 1) {
    if (expression[at] === "(") at = closing(expression, at);
    else if (expression.startsWith(operator, at)) {
      parts.push(expression.slice(from, at).trim());
      from = at + operator.length;
      at += 1;
    }
  }
  return [...parts, expression.slice(from).trim()];
}

function closing(expression: string, open: number): number {
  let depth = 0;
  for (let at = open; at < expression.length; at += 1) {
    if (expression[at] === "(") depth += 1;
    else if (expression[at] === ")" && --depth === 0) return at;
  }
  return expression.length;
}
