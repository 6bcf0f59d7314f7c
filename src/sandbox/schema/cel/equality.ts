import { Optional } from "@marcbachmann/cel-js";
import { isDurationValue, nanosecondsOf } from "./library.ts";
import { CelObject, listKind } from "./values.ts";

/** A value with its own equality: quantities, addresses, versions. */
export interface Comparable {
  equals(other: unknown): boolean;
}

/**
 * Equality in Kubernetes' CEL: numbers of different types by value, lists of type set and map in any order, null fields
 * like absent ones.
 */
export function equalValues(first: unknown, second: unknown): boolean {
  const [a, b] = [signed(first), signed(second)];
  if (a === b) return true;
  if (typeof a === "bigint" || typeof a === "number") {
    // oxlint-disable-next-line eqeqeq -- 1 equals 1.0
    return (typeof b === "bigint" || typeof b === "number") && a == b;
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  if (a instanceof CelObject) return b instanceof CelObject && a.equals(b, equalValues);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime();
  if (isDurationValue(a)) return isDurationValue(b) && nanosecondsOf(a) === nanosecondsOf(b);
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b);
  if ("equals" in a) return (a as unknown as Comparable).equals(b);
  const [left, right] = [entries(a), entries(b)];
  return left !== undefined && right !== undefined && equalMaps(left, right);
}

/** Unwraps the library's unsigned integers. */
function signed(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const primitive: unknown = value.valueOf();
  return typeof primitive === "bigint" ? primitive : value;
}

function equalOptionals(a: Optional, b: Optional): boolean {
  if (!a.hasValue() || !b.hasValue()) return a.hasValue() === b.hasValue();
  return equalValues(a.value(), b.value());
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  const kind = listKind(a);
  if (kind === undefined) return a.every((item, index) => equalValues(item, b[index]));
  if (kind.type === "set") return b.every((item) => a.some((one) => equalValues(one, item)));
  const byKey = new Map(a.map((item) => [kind.keyOf(item), item]));
  return b.every((item) => byKey.has(kind.keyOf(item)) && equalValues(byKey.get(kind.keyOf(item)), item));
}

/**
 * Result of `+`: for lists of type set the union; for lists of type map an item of `b` replaces the item of `a` with
 * the same key.
 */
export function concatenated(a: readonly unknown[], b: readonly unknown[]): readonly unknown[] {
  const kind = listKind(a);
  if (kind === undefined) return [...a, ...b];
  const keyOf = kind.type === "set" ? (item: unknown) => item : kind.keyOf;
  const merged = new Map(a.map((item) => [keyOf(item), item]));
  for (const item of b) merged.set(keyOf(item), item);
  return kind.marked([...merged.values()]);
}

/** Undefined if the value is no map, such as the type `int`. */
function entries(value: object): ReadonlyMap<unknown, unknown> | undefined {
  if (value instanceof Map) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? new Map(Object.entries(value)) : undefined;
}

function equalMaps(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.has(key) && equalValues(value, b.get(key)));
}
