import type { KubeObject } from "../../apis/index.ts";
import { indexAt, memberAt } from "./ownership.ts";
import { isFields } from "../values.ts";

/** The object without the values at these places, and without maps and lists that held nothing else. */
export function withoutPlaces(object: KubeObject, places: readonly (readonly string[])[]): KubeObject {
  let rest: unknown = object;
  for (const place of places) rest = without(rest, place, 0) ?? rest;
  return rest as KubeObject;
}

function without(value: unknown, place: readonly string[], at: number): unknown {
  const element = place[at];
  if (element === undefined) return undefined;
  const member = memberAt(value, element);
  if (member === undefined) return value;
  const rest = without(member, place, at + 1);
  if (rest === member) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [...value];
    items.splice(indexAt(items, element), 1, ...(rest === undefined ? [] : [rest]));
    return items.length === 0 ? undefined : items;
  }
  if (!isFields(value)) return value;
  const name = element.slice(2);
  if (rest !== undefined) return { ...value, [name]: rest };
  const { [name]: _, ...others } = value;
  return Object.keys(others).length === 0 ? undefined : others;
}

/** Fields that an injector of webhook certificates overwrites, whatever they held. */
const INJECTED: ReadonlySet<string> = new Set(["f:caBundle"]);
const LONGEST_PLACEHOLDER = 128;
const BASE64 = /^[A-Za-z0-9+/=\s]*$/;
const WORDS =
  /placeholder|^(change[-_ ]?me|replace[-_ ]?me|fill[-_ ]?me([-_ ]?in)?|to[-_ ]?be[-_ ]?(replaced|filled|injected)|injected|todo|tbd|dummy|<[^<>]*>|\$\{[^{}]*\}|\{\{[^{}]*\}\})$/i;

/**
 * Somebody else is to fill in the value: an empty text, list or map, a text that says so, base64 of one of these, or
 * the certificate bundle of a webhook. `element`: the field as in `fieldsV1`.
 */
export function isPlaceholder(element: string, value: unknown): boolean {
  if (INJECTED.has(element) || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (isFields(value)) return Object.keys(value).length === 0;
  if (typeof value !== "string" || value.length > LONGEST_PLACEHOLDER) return false;
  return isPlaceholderText(value) || (BASE64.test(value) && isPlaceholderText(decoded(value)));
}

function isPlaceholderText(text: string | undefined): boolean {
  return text !== undefined && (text.trim() === "" || WORDS.test(text.trim()));
}

function decoded(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    // Not base64, so the text stands for itself.
    return undefined;
  }
}
