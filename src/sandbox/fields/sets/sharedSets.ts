import type { FieldsV1 } from "../../../apis/index.ts";
import { type FieldSet, LEAF, parseSet } from "./fieldSet.ts";
import { compareElements, type PathElement } from "../values/index.ts";

/**
 * Sets in stored form. Thousands of objects own the same fields, so equal parts of sets are one frozen object per
 * process. The pool forgets parts that were not used for long; a forgotten part is made again.
 */
const GENERATION = 8192;

let young = new Map<string, FieldSet>();
let old = new Map<string, FieldSet>();
const ids = new WeakMap<FieldSet, number>();
let lastId = 0;

/** The same set with its elements in the server's order, frozen and shared. */
export function stored(set: FieldSet): FieldSet {
  if (ids.has(set) || set === LEAF) return set;
  const elements = inOrder(set);
  const children: FieldSet = {};
  let key = "";
  for (const element of elements) {
    const child = stored(set[element] as FieldSet);
    children[element] = child;
    key += `${element.length}${element}${ids.get(child) ?? 0};`;
  }
  const known = young.get(key) ?? old.get(key);
  const shared = known ?? Object.freeze(children);
  if (known === undefined) ids.set(shared, ++lastId);
  if (!young.has(key)) remember(key, shared);
  return shared;
}

function remember(key: string, set: FieldSet): void {
  if (young.size >= GENERATION) {
    old = young;
    young = new Map();
  }
  young.set(key, set);
}

function inOrder(set: FieldSet): PathElement[] {
  const elements = Object.keys(set);
  for (let i = 1; i < elements.length; i++) {
    if (compareElements(elements[i - 1] as string, elements[i] as string) > 0) return elements.sort(compareElements);
  }
  return elements;
}

const parsed = new WeakMap<FieldsV1, FieldSet>();

/** The set in an entry of managedFields from any writer. Throws when the entry is broken. */
export function setFrom(fields: FieldsV1): FieldSet {
  if (ids.has(fields)) return fields;
  const known = parsed.get(fields);
  if (known !== undefined) return known;
  const set = parseSet(fields);
  if (Object.isFrozen(fields)) parsed.set(fields, set);
  return set;
}
