import { type FieldSet, insert } from "../sets/index.ts";
import {
  equalValues,
  type FieldType,
  isObject,
  itemsByElement,
  kindOf,
  type ListType,
  type MapType,
  met,
  type ObjectValue,
  type PathElement,
} from "../values/index.ts";

/** The leaves that a write removed, modified and added. */
export interface Comparison {
  removed: FieldSet;
  modified: FieldSet;
  added: FieldSet;
}

/** Compares two values that fit the type. Shared parts count as equal and are not read. */
export function compareObjects(left: unknown, right: unknown, type: FieldType): Comparison {
  const walk = new ComparingWalk();
  walk.compare(left, right, type);
  return walk.comparison;
}

class ComparingWalk {
  readonly comparison: Comparison = { removed: {}, modified: {}, added: {} };
  readonly #path: PathElement[] = [];

  compare(left: unknown, right: unknown, type: FieldType): void {
    if (left === right) return;
    const asLeft = met(type, left);
    const asRight = met(type, right);
    let wasLeaf: boolean;
    if (right === undefined) {
      wasLeaf = this.#compareAs(kindOf(type, asLeft), left, right, type);
    } else {
      // A value that changed its kind counts as both kinds.
      if (left !== undefined && asLeft !== asRight) this.#compareAs(kindOf(type, asLeft), left, right, type);
      wasLeaf = this.#compareAs(kindOf(type, asRight), left, right, type);
    }
    if (wasLeaf) return;
    if (left === undefined) insert(this.comparison.added, this.#path);
    else if (right === undefined) insert(this.comparison.removed, this.#path);
  }

  /** Returns whether the value was compared as one leaf. */
  #compareAs(kind: "scalar" | "list" | "map", left: unknown, right: unknown, type: FieldType): boolean {
    if (kind === "map") return this.#compareMaps(left, right, type.map as MapType);
    if (kind === "list") return this.#compareLists(left, right, type.list as ListType);
    return this.#compareLeaves(left, right);
  }

  #compareLeaves(left: unknown, right: unknown): true {
    const { added, removed, modified } = this.comparison;
    if (left === undefined) insert(added, this.#path);
    else if (right === undefined) insert(removed, this.#path);
    else if (!equalValues(left, right)) insert(modified, this.#path);
    return true;
  }

  #compareMaps(left: unknown, right: unknown, map: MapType): boolean {
    const before = isObject(left) ? left : undefined;
    const after = isObject(right) ? right : undefined;
    // Two empty maps are compared as leaves, to tell empty from null.
    if (map.atomic || (isBare(before) && isBare(after))) return this.#compareLeaves(left, right);
    for (const key in before) this.#compareField(key, before[key], member(after, key), map);
    for (const key in after) {
      if (member(before, key) === undefined) this.#compareField(key, undefined, after[key], map);
    }
    return false;
  }

  #compareField(key: string, left: unknown, right: unknown, map: MapType): void {
    if (left === right) return;
    const field = map.fields.get(key);
    const type = field?.type ?? map.element;
    if (type === undefined) return;
    this.#path.push(field?.label ?? `f:${key}`);
    this.compare(left, right, type);
    this.#path.pop();
  }

  #compareLists(left: unknown, right: unknown, list: ListType): boolean {
    const before: readonly unknown[] = Array.isArray(left) ? left : [];
    const after: readonly unknown[] = Array.isArray(right) ? right : [];
    if (list.atomic || (before.length === 0 && after.length === 0)) return this.#compareLeaves(left, right);
    const old = itemsByElement(list, before);
    const now = itemsByElement(list, after);
    for (const [element, items] of old) this.#compareItems(element, items, now.get(element) ?? [], list);
    for (const [element, items] of now) if (!old.has(element)) this.#compareItems(element, [], items, list);
    return false;
  }

  /** Duplicates count as one leaf. */
  #compareItems(element: PathElement, left: unknown[], right: unknown[], list: ListType): void {
    this.#path.push(element);
    const { added, removed, modified } = this.comparison;
    if (left.length <= 1 && right.length <= 1) {
      this.compare(left[0], right[0], list.element);
    } else if (left.length > 1 && right.length > 1) {
      if (!equalValues(left, right)) insert(modified, this.#path);
    } else if (left.length > 1) {
      if (right.length > 0) this.compare(undefined, right[0], list.element);
      insert(removed, this.#path);
    } else {
      if (left.length > 0) this.compare(left[0], undefined, list.element);
      insert(added, this.#path);
    }
    this.#path.pop();
  }
}

function isBare(value: ObjectValue | undefined): boolean {
  for (const key in value) if (value[key] !== undefined) return false;
  return true;
}

/** The object's own member, never an inherited one. */
function member(value: Readonly<Record<string, unknown>> | undefined, key: string): unknown {
  return value !== undefined && Object.hasOwn(value, key) ? value[key] : undefined;
}
