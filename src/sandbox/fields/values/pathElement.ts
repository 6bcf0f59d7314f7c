import { parseJson } from "../../../apis/index.ts";
import { escapeHtml } from "./canonicalJson.ts";
import { compareFields, compareLists, compareText, compareValues, fieldsOf } from "./order.ts";

/**
 * One step of a path in fieldsV1, as text: `f:name`, `k:{"name":"web"}`, `v:"a"`, `i:0`. The text is canonical (keys
 * sorted, no blanks, Go's escapes): equal texts mean equal steps.
 */
export type PathElement = string;

/** Marks, as a child of a node, that the node itself is in the set. */
export const SELF = ".";

const HTML = /[<>&\u2028\u2029]/;

/** The element of an item of a set. */
export function valueElement(value: unknown): PathElement {
  return `v:${goScalar(value)}`;
}

/** The element of an item of a list-map; `names` must be sorted. */
export function keyElement(names: readonly string[], values: readonly unknown[]): PathElement {
  let text = "";
  for (let i = 0; i < names.length; i++) {
    const value = values[i];
    if (value === undefined) continue;
    text += `${text === "" ? "" : ","}${goScalar(names[i])}:${goScalar(value)}`;
  }
  return `k:{${text}}`;
}

function goScalar(value: unknown): string {
  if (typeof value === "string") {
    const text = JSON.stringify(value);
    return HTML.test(text) ? escapeHtml(text) : text;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return `{${fieldsOf(value)
      .map(([name, child]) => `${goScalar(name)}:${goScalar(child)}`)
      .join(",")}}`;
  }
  return Array.isArray(value) ? `[${value.map(goScalar).join(",")}]` : JSON.stringify(value);
}

/** The canonical text of a foreign element; undefined for an unknown kind of element. Throws for a broken element. */
export function canonicalElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error("key must be 2 characters long:");
  if (text[1] !== ":") throw new Error(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
      return `v:${goScalar(parseJson(rest))}`;
    case "k": {
      const key = parseJson(rest);
      if (typeof key !== "object" || key === null || Array.isArray(key)) throw new Error(`expected an object: ${rest}`);
      const fields = fieldsOf(key);
      return keyElement(
        fields.map(([name]) => name),
        fields.map(([, value]) => value),
      );
    }
    case "i":
      if (!/^[+-]?\d+$/.test(rest)) throw new Error(`${JSON.stringify(rest)} is no index`);
      return `i:${Number(rest)}`;
    default:
      return undefined;
  }
}

/** The element as conflict messages show it: `.spec`, `[name="web"]`, `[="a"]`, `[0]`. */
export function elementText(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${rest}`;
    case "k":
      return `[${keyFields(element)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${valueText(parseJson(rest))}]`;
    default:
      return `[${rest}]`;
  }
}

/** Orders fields before keys, keys before values, values before indexes. */
export function compareElements(a: PathElement, b: PathElement): number {
  const kind = a.charCodeAt(0);
  if (kind !== b.charCodeAt(0)) return KINDS.indexOf(a[0] as string) - KINDS.indexOf(b[0] as string);
  switch (a[0]) {
    case "k":
      return compareLists(keyFields(a), keyFields(b), compareFields);
    case "v":
      return compareValues(parseJson(a.slice(2)), parseJson(b.slice(2)));
    case "i":
      return Number(a.slice(2)) - Number(b.slice(2));
    default:
      return compareText(a, b);
  }
}

const KINDS = ".fkvi";

function keyFields(element: PathElement): [string, unknown][] {
  return fieldsOf(parseJson(element.slice(2)) as object);
}

function valueText(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    return fieldsOf(value)
      .map(([name, child]) => `${name}=${valueText(child)}`)
      .join("");
  }
  return String(value);
}
