import type { FieldType, ListType } from "./fieldType.ts";
import { keyElement, type PathElement, valueElement } from "./pathElement.ts";

/** Shared functions of the walks over a value and its type. Undefined means an absent value, null means null. */

export type ObjectValue = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is ObjectValue {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The kind in which a value meets its type; "any" if the value does not decide (null, absent, or no kind of the type).
 */
export type Met = "scalar" | "list" | "map" | "any";

export function met(type: FieldType, value: unknown): Met {
  if (value === undefined || value === null) return only(type);
  if (typeof value !== "object") return type.scalar === undefined ? only(type) : "scalar";
  if (Array.isArray(value)) return type.list === undefined ? only(type) : "list";
  return type.map === undefined ? only(type) : "map";
}

function only(type: FieldType): Met {
  const { scalar, list, map } = type;
  if (map !== undefined) return scalar === undefined && list === undefined ? "map" : "any";
  if (scalar !== undefined) return list === undefined ? "scalar" : "any";
  return "list";
}

/** The kind that a server assumes if the value does not decide: map first, then scalar, then list. */
export function kindOf(type: FieldType, as: Met): "scalar" | "list" | "map" {
  if (as !== "any") return as;
  return type.map === undefined ? (type.scalar === undefined ? "list" : "scalar") : "map";
}

/** Says why an item has no path element in its list. */
export class NoElement extends Error {
  override readonly name = "NoElement";
}

/** The path element of an item of a set or list-map; throws {@link NoElement}. */
export function elementOf(list: ListType, item: unknown): PathElement {
  if (list.keys.length === 0) return setElement(item);
  if (item === null || item === undefined)
    throw new NoElement("associative list with keys may not have a null element");
  if (!isObject(item)) throw new NoElement("associative list with keys may not have non-map elements");
  const { sortedKeys, keyDefaults } = list;
  let found = false;
  const values = sortedKeys.map((key, i) => {
    const value = item[key] ?? (item[key] === null ? null : keyDefaults[i]);
    if (value !== undefined) found = true;
    return value;
  });
  if (!found) {
    const keys = list.keys.map((key) => JSON.stringify(key)).join(" ");
    throw new NoElement(
      `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(sortedKeys, values);
}

function setElement(item: unknown): PathElement {
  if (item === null || item === undefined) {
    throw new NoElement("associative list without keys has an element that's an explicit null");
  }
  if (Array.isArray(item)) throw new NoElement("not supported: associative list with lists as elements");
  if (typeof item === "object") throw new NoElement("associative list without keys has an element that's a map type");
  return valueElement(item);
}

/**
 * The items of a list by path element, in order; duplicates share an entry. Items without an element are left out,
 * because {@link checkValue} reports them.
 */
export function itemsByElement(list: ListType, items: readonly unknown[]): Map<PathElement, unknown[]> {
  const found = new Map<PathElement, unknown[]>();
  for (const item of items) {
    const element = elementIfAny(list, item);
    if (element === undefined) continue;
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}

export function elementIfAny(list: ListType, item: unknown): PathElement | undefined {
  try {
    return elementOf(list, item);
  } catch (error) {
    if (error instanceof NoElement) return undefined;
    throw error;
  }
}

/** Deep equality of JSON. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equalValues(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as ObjectValue;
  const right = b as ObjectValue;
  let more = 0;
  for (const key in left) {
    const other = Object.hasOwn(right, key) ? right[key] : undefined;
    if (other === undefined ? left[key] !== undefined : !equalValues(left[key], other)) return false;
    if (left[key] !== undefined) more++;
  }
  for (const key in right) if (right[key] !== undefined) more--;
  return more === 0;
}
