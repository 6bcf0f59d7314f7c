import { type FieldSet, LEAF, nodeOf } from "../sets/index.ts";
import {
  elementIfAny,
  type FieldType,
  isObject,
  kindOf,
  type ListType,
  type MapType,
  met,
  type PathElement,
} from "../values/index.ts";

/** The fields that the writer of this value owns: its leaves, and the items of its lists and maps. */
export function fieldsOfObject(value: unknown, type: FieldType): FieldSet {
  const { children } = ownedIn(value, type);
  return children ?? {};
}

interface Owned {
  /** The value itself is a leaf. */
  member: boolean;
  children?: FieldSet;
}

const LEAF_VALUE: Owned = { member: true };
const NOTHING: Owned = { member: false };

function ownedIn(value: unknown, type: FieldType): Owned {
  switch (kindOf(type, met(type, value))) {
    case "scalar":
      return LEAF_VALUE;
    case "list": {
      const list = type.list as ListType;
      if (list.atomic) return LEAF_VALUE;
      return Array.isArray(value) ? { member: false, children: ownedItems(value, list) } : NOTHING;
    }
    case "map": {
      const map = type.map as MapType;
      if (map.atomic) return LEAF_VALUE;
      return isObject(value) ? { member: false, children: ownedEntries(value, map) } : NOTHING;
    }
  }
}

function ownedItems(items: readonly unknown[], list: ListType): FieldSet {
  const elements = items.map((item) => elementIfAny(list, item));
  const seen = new Set<PathElement>();
  const duplicates = new Set<PathElement>();
  for (const element of elements) {
    if (element === undefined) continue;
    if (seen.has(element)) duplicates.add(element);
    seen.add(element);
  }
  const set: FieldSet = {};
  for (const [index, element] of elements.entries()) {
    if (element === undefined) continue;
    if (duplicates.has(element)) set[element] = LEAF;
    else set[element] = nodeOf(true, ownedIn(items[index], list.element).children) as FieldSet;
  }
  return set;
}

function ownedEntries(value: Readonly<Record<string, unknown>>, map: MapType): FieldSet {
  const set: FieldSet = {};
  for (const key in value) {
    const child = value[key];
    if (child === undefined) continue;
    const field = map.fields.get(key);
    const type = field?.type ?? map.element;
    if (type === undefined) continue;
    const owned = ownedIn(child, type);
    // Entries of a map have an owner, like the items of a list. A declared field itself is owned only if it holds
    // nothing more.
    const member = owned.member || field === undefined || child === null || isEmptyObject(child);
    const node = nodeOf(member, owned.children);
    if (node !== undefined) set[field?.label ?? `f:${key}`] = node;
  }
  return set;
}

function isEmptyObject(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) if (value[key] !== undefined) return false;
  return true;
}

/** Adds the declared fields that contain fields of the set. */
export function withNamedFields(set: FieldSet, type: FieldType): FieldSet {
  return namedChildren(set, type.map, type.list);
}

function namedChildren(set: FieldSet, map: MapType | undefined, list: ListType | undefined): FieldSet {
  const out: FieldSet = {};
  for (const element in set) {
    const child = set[element] as FieldSet;
    if (child === LEAF) {
      out[element] = child;
      continue;
    }
    let type: FieldType | undefined;
    let named = false;
    if (element.startsWith("f:")) {
      const field = map?.fields.get(element.slice(2));
      named = field !== undefined;
      type = field?.type ?? map?.element;
    } else if (element.startsWith("k:")) {
      type = list?.element;
    }
    const children = namedChildren(child, type?.map, type?.list);
    out[element] = (named ? nodeOf(true, children) : children) as FieldSet;
  }
  return out;
}
