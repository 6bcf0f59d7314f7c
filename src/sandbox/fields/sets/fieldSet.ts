import type { FieldsV1 } from "../../../apis/index.ts";
import { canonicalElement, compareElements, elementText, type PathElement, SELF } from "../values/index.ts";

/**
 * A set of fields in the form of fieldsV1: a tree of plain objects. A node is in the set if it is {@link LEAF} or has
 * the child `.`; the root never is, because nobody owns a whole object. All leaves are the one object LEAF, which makes
 * lookups cheap and saves memory. A finished set never changes: each operation returns a new set, or the old one if
 * nothing differs.
 */
export type FieldSet = FieldsV1;

export const LEAF: FieldSet = Object.freeze({});

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** The node itself is in the set, not only its children. */
export function isMember(node: FieldSet): boolean {
  return node === LEAF || SELF in node;
}

export function has(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

/** Adds a path to a set under construction, before its maker has returned it. */
export function insert(set: FieldSet, path: readonly PathElement[], length = path.length): void {
  if (length === 0) return;
  let node = set;
  for (let i = 0; i < length - 1; i++) {
    const element = path[i] as string;
    const child = node[element];
    if (child === undefined) node = node[element] = {};
    else if (child === LEAF) node = node[element] = { [SELF]: LEAF };
    else node = child;
  }
  const last = path[length - 1] as string;
  const child = node[last];
  if (child === undefined) node[last] = LEAF;
  else if (child !== LEAF) child[SELF] = LEAF;
}

export function setOf(...paths: readonly (readonly PathElement[])[]): FieldSet {
  const set: FieldSet = {};
  for (const path of paths) insert(set, path);
  return set;
}

/** A node with these children; `member`: the node itself is in the set. Undefined when the node would be empty. */
export function nodeOf(member: boolean, children: FieldSet | undefined): FieldSet | undefined {
  if (children === undefined || isEmpty(children)) return member ? LEAF : undefined;
  if (member && !(SELF in children)) return { [SELF]: LEAF, ...children };
  return children;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  if (isEmpty(a)) return b;
  const out = { ...a };
  for (const element in b) {
    if (element === SELF) continue;
    const right = b[element] as FieldSet;
    const left = a[element];
    out[element] = left === undefined ? right : unionNodes(left, right);
  }
  return out;
}

function unionNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  return nodeOf(isMember(a) || isMember(b), union(a, b)) as FieldSet;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const out: FieldSet = {};
  for (const element in a) {
    if (element === SELF) continue;
    const left = a[element] as FieldSet;
    const right = b[element];
    if (right === undefined) continue;
    const node = nodeOf(isMember(left) && isMember(right), intersection(left, right));
    if (node !== undefined) out[element] = node;
  }
  return out;
}

/** Paths of `a` that are not in `b`. Paths below a path of `b` stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false);
}

/** Paths of `a` that are neither in `b` nor below a path of `b`. */
export function differenceWithBelow(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true);
}

function subtract(a: FieldSet, b: FieldSet, below: boolean): FieldSet {
  let out: FieldSet | undefined;
  for (const element in b) {
    const left = a[element];
    if (element === SELF || left === undefined) continue;
    const right = b[element] as FieldSet;
    const node = subtractNode(left, right, below);
    if (node === left) continue;
    out ??= { ...a };
    if (node === undefined) delete out[element];
    else out[element] = node;
  }
  return out ?? a;
}

function subtractNode(a: FieldSet, b: FieldSet, below: boolean): FieldSet | undefined {
  const removed = isMember(b);
  if (removed && below) return undefined;
  const children = subtract(a, b, below);
  if (children === a && !(removed && isMember(a))) return a;
  const { [SELF]: _, ...rest } = children;
  return nodeOf(isMember(a) && !removed, rest);
}

/** True if every path of `b` is in `a`. */
export function containsAll(a: FieldSet, b: FieldSet): boolean {
  for (const element in b) {
    if (element === SELF) continue;
    const right = b[element] as FieldSet;
    const left = a[element];
    if (left === right) continue;
    if (left === undefined || (isMember(right) && !isMember(left)) || !containsAll(left, right)) return false;
  }
  return true;
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  return a === b || (containsAll(a, b) && containsAll(b, a));
}

/** The paths as texts in the server's order: first the paths of a node, then the paths below them. */
export function pathTexts(set: FieldSet, prefix = ""): string[] {
  const elements = Object.keys(set)
    .filter((element) => element !== SELF)
    .sort(compareElements);
  const own = elements.filter((element) => isMember(set[element] as FieldSet));
  return [
    ...own.map((element) => prefix + elementText(element)),
    ...elements.flatMap((element) => pathTexts(set[element] as FieldSet, prefix + elementText(element))),
  ];
}

/** Reads a foreign set. Elements of an unknown kind are dropped, as on a server; broken ones throw. */
export function parseSet(fields: FieldsV1): FieldSet {
  return parseNode(fields).children;
}

function parseNode(fields: FieldsV1): { member: boolean; children: FieldSet } {
  let member = false;
  const children: FieldSet = {};
  for (const [text, child] of Object.entries(fields)) {
    if (text === SELF) {
      member = true;
      continue;
    }
    const element = canonicalElement(text);
    if (element === undefined) continue;
    if (typeof child !== "object" || child === null || Array.isArray(child))
      throw new Error(`expected an object at ${text}`);
    const parsed = parseNode(child);
    const node = nodeOf(parsed.member || isEmpty(parsed.children), parsed.children) as FieldSet;
    const known = children[element];
    children[element] = known === undefined ? node : unionNodes(known, node);
  }
  return { member, children };
}
