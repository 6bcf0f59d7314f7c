import { badRequest } from "../../statusError.ts";

export interface LabelRequirement {
  key: string;
  operator: "=" | "!=" | "in" | "notin" | "exists" | "!" | ">" | "<";
  values: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

const KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
const TOKEN = /\s*(==|!=|=|!|>|<|\(|\)|,|[^\s=!<>(),]+)/y;

/** Parses a `labelSelector` parameter: `app=web,tier in (a, b),!old`. Throws a StatusError 400. */
export function parseLabelSelector(text: string): LabelRequirement[] {
  const tokens = tokensOf(text);
  const requirements: LabelRequirement[] = [];
  let at = 0;
  const next = () => tokens[at++] ?? "";
  while (at < tokens.length) {
    requirements.push(requirement(next, () => tokens[at] ?? ""));
    if (at >= tokens.length) break;
    const separator = next();
    if (separator !== ",") throw unreadable(`found '${separator}', expected: ',' or 'end of string'`);
    if (at >= tokens.length) throw unreadable("found '', expected: identifier after ','");
  }
  return requirements;
}

export function matchesLabels(requirements: readonly LabelRequirement[], labels: Labels | undefined): boolean {
  return requirements.every((requirement) => holds(requirement, labels ?? {}));
}

function holds({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "=":
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case ">":
    case "<": {
      if (value === undefined || !/^-?\d+$/.test(value)) return false;
      return operator === ">" ? BigInt(value) > BigInt(values[0] ?? 0) : BigInt(value) < BigInt(values[0] ?? 0);
    }
  }
}

function requirement(next: () => string, peek: () => string): LabelRequirement {
  const first = next();
  if (first === "!") return { key: checkedKey(next()), operator: "!", values: [] };
  const key = checkedKey(first);
  const ahead = peek();
  if (ahead === "" || ahead === ",") return { key, operator: "exists", values: [] };
  const operator = next();
  switch (operator) {
    case "=":
    case "==":
    case "!=": {
      const value = peek() === "" || peek() === "," ? "" : next();
      if (/^[=!<>()]/.test(value)) throw unreadable(`found '${value}', expected: identifier`);
      return { key, operator: operator === "!=" ? "!=" : "=", values: [checkedValue(key, value)] };
    }
    case ">":
    case "<": {
      const value = next();
      if (!/^-?\d+$/.test(value)) {
        throw unreadable(
          `values[0][${key}]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
        );
      }
      return { key, operator, values: [value] };
    }
    case "in":
    case "notin":
      return { key, operator, values: valueList(key, next, peek) };
    default:
      throw unreadable(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

function valueList(key: string, next: () => string, peek: () => string): string[] {
  const open = next();
  if (open !== "(") throw unreadable(`found '${open}' expected: '('`);
  const values: string[] = [];
  for (;;) {
    values.push(checkedValue(key, peek() === "," || peek() === ")" ? "" : next()));
    const separator = next();
    if (separator === ")") return values;
    if (separator !== ",") throw unreadable(`found '${separator}', expected: ',' or ')'`);
  }
}

function checkedKey(key: string): string {
  if (key !== "" && KEY.test(key) && (key.split("/").at(-1) ?? "").length <= 63) return key;
  if (/^[=!<>(),]*$/.test(key)) throw badRequest(`found '${key}', expected: !, identifier, or 'end of string'`);
  const form =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const wrong =
    key.split("/").length > 2
      ? `a valid label key ${form} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
      : `name part ${form}`;
  throw unreadable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${wrong}`);
}

function checkedValue(key: string, value: string): string {
  if (value.length > 63) {
    throw unreadable(`values[0][${key}]: Invalid value: ${JSON.stringify(value)}: must be no more than 63 bytes`);
  }
  if (VALUE.test(value)) return value;
  throw unreadable(
    `values[0][${key}]: Invalid value: ${JSON.stringify(value)}: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
  );
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(text);
    if (match?.[1] === undefined) break;
    tokens.push(match[1]);
  }
  return tokens;
}

function unreadable(why: string) {
  return badRequest(`unable to parse requirement: ${why}`);
}
