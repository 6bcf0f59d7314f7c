import type { LabelRequirement } from "../types.ts";

const KEY = String.raw`[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?`;
const VALUE = String.raw`([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?`;
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const EQUALITY = new RegExp(`^(${KEY})\\s*(==|=|!=)\\s*(${VALUE})$`);
const EXISTENCE = new RegExp(`^(!?)\\s*(${KEY})$`);
const ONE_VALUE = new RegExp(`^${VALUE}$`);
const LONGEST = 4_096;

/** Parses a label selector as kubectl writes it. Returns the mistake as text. */
export function parseLabelSelector(text: string): LabelRequirement[] | string {
  if (text.length > LONGEST) return `longer than ${LONGEST} characters`;
  const requirements: LabelRequirement[] = [];
  for (const part of termsOf(text)) {
    const requirement = parseTerm(part.trim());
    if (requirement === undefined)
      return `"${part.trim()}" is no requirement; write key=value, key!=value, key in (a,b), key notin (a,b), key or !key`;
    requirements.push(requirement);
  }
  return requirements;
}

/** Parts at commas outside of parentheses. */
function termsOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    else if (character === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function parseTerm(text: string): LabelRequirement | undefined {
  const set = SET.exec(text);
  if (set !== null) {
    const [, key = "", , verb, list = ""] = set;
    const values = list.split(",").map((value) => value.trim());
    if (!values.every((value) => ONE_VALUE.test(value))) return undefined;
    return { key, operator: verb === "in" ? "In" : "NotIn", values };
  }
  const equality = EQUALITY.exec(text);
  if (equality !== null) {
    const [, key = "", , sign, value = ""] = equality;
    return { key, operator: sign === "!=" ? "NotIn" : "In", values: [value] };
  }
  const existence = EXISTENCE.exec(text);
  if (existence === null) return undefined;
  const [, not, key = ""] = existence;
  return { key, operator: not === "!" ? "DoesNotExist" : "Exists", values: [] };
}
