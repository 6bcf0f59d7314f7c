import { jsonType } from "../jsonType.ts";
import { badRequest, failure, type StatusError } from "../statusError.ts";
import type { Json } from "../types.ts";

const MOST_OPERATIONS = 10_000;

/** An operation that does not apply. The server gives no reason, and neither does this error. */
class DoesNotApply extends Error {
  override readonly name = "DoesNotApply";
}

type JsonObject = { readonly [key: string]: Json };

interface Operation {
  op?: Json;
  path?: Json;
  from?: Json;
  value?: Json;
}

/**
 * Applies the operations one after the other. Throws the server's Status: 400 for invalid operations, 413 for too many,
 * 422 for an operation that does not apply.
 */
export function jsonPatch(document: Json, operations: Json): Json {
  const list = decoded(operations);
  if (list.length > MOST_OPERATIONS) {
    throw failure(
      413,
      "RequestEntityTooLarge",
      `Request entity is too large: The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${list.length}`,
    );
  }
  try {
    return list.reduce<Json>(applyOperation, document);
  } catch (error) {
    if (!(error instanceof DoesNotApply)) throw error;
    throw failure(422, "Invalid", "the server rejected our request due to an error in our request", {});
  }
}

function decoded(operations: Json): (Operation | null)[] {
  if (operations === null) return [];
  if (!Array.isArray(operations)) throw doesNotDecode(`a list of operations is needed, not ${jsonType(operations)}`);
  for (const operation of operations as readonly Json[]) {
    if (operation === null) continue;
    if (typeof operation !== "object" || Array.isArray(operation)) {
      throw doesNotDecode(`an operation is an object, not ${jsonType(operation)}`);
    }
    for (const name of ["op", "path", "from"]) {
      const value = (operation as JsonObject)[name];
      if (value === undefined || value === null || typeof value === "string") continue;
      throw doesNotDecode(`${name} is a string, not ${jsonType(value)}`);
    }
  }
  return operations as (Operation | null)[];
}

function doesNotDecode(what: string): StatusError {
  return badRequest(`error decoding patch: ${what}`);
}

function applyOperation(document: Json, operation: Operation | null): Json {
  const { op, value = null } = operation ?? {};
  switch (op) {
    case "add":
      return edit(document, tokensOf(operation?.path), (container, key) => added(container, key, value));
    case "remove":
      return edit(document, tokensOf(operation?.path), removed);
    case "replace":
      return operation?.path === ""
        ? wholeDocument(value)
        : edit(document, tokensOf(operation?.path), replacing(value));
    case "move": {
      const from = tokensOf(operation?.from);
      const moved = valueAt(document, from) ?? null;
      const without = edit(document, from, removed);
      return edit(without, tokensOf(operation?.path), (container, key) => added(container, key, moved));
    }
    case "copy": {
      const copied = valueAt(document, tokensOf(operation?.from)) ?? null;
      return edit(document, tokensOf(operation?.path), (container, key) => added(container, key, copied));
    }
    case "test":
      return test(document, operation?.path, value);
    default:
      throw new DoesNotApply();
  }
}

/** The reference tokens of a JSON pointer. */
function tokensOf(path: Json | undefined): string[] {
  if (typeof path !== "string") throw new DoesNotApply();
  const parts = path.split("/");
  // A server ignores text before the first slash.
  if (parts.length < 2) throw new DoesNotApply();
  return parts.slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

type Container = readonly Json[] | JsonObject;

/** The document with one changed container; copies only the containers on the path. */
function edit(
  document: Json,
  tokens: readonly string[],
  change: (container: Container, key: string) => Container,
): Json {
  if (!isContainer(document)) throw new DoesNotApply();
  const [first = "", ...rest] = tokens;
  if (rest.length === 0) return change(document, first);
  const child = childOf(document, first);
  if (child === undefined || child === null) throw new DoesNotApply();
  const changed = edit(child, rest, change);
  if (isList(document)) return document.with(indexOf(first, document.length - 1, document.length), changed);
  return { ...document, [first]: changed };
}

function isContainer(value: Json): value is Container {
  return typeof value === "object" && value !== null;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function childOf(container: Container, key: string): Json | undefined {
  if (isList(container)) return container[indexOf(key, container.length - 1, container.length)];
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

function valueAt(document: Json, tokens: readonly string[]): Json | undefined {
  let value: Json | undefined = document;
  for (const token of tokens) {
    if (value === undefined || !isContainer(value)) throw new DoesNotApply();
    value = childOf(value, token);
  }
  return value;
}

/** A negative index counts from the end: -1 means `length - 1`. */
function indexOf(key: string, most: number, length: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw new DoesNotApply();
  const index = Number(key);
  const positive = index < 0 ? index + length : index;
  if (positive < 0 || positive > most) throw new DoesNotApply();
  return positive;
}

function added(container: Container, key: string, value: Json): Container {
  if (!isList(container)) return { ...container, [key]: value };
  if (key === "-") return [...container, value];
  return container.toSpliced(indexOf(key, container.length, container.length + 1), 0, value);
}

function removed(container: Container, key: string): Container {
  if (isList(container)) return container.toSpliced(indexOf(key, container.length - 1, container.length), 1);
  if (!Object.hasOwn(container, key)) throw new DoesNotApply();
  const { [key]: _, ...rest } = container;
  return rest;
}

function replacing(value: Json) {
  return (container: Container, key: string): Container => {
    if (!isList(container)) return { ...container, [key]: value };
    return container.with(indexOf(key, container.length - 1, container.length), value);
  };
}

function wholeDocument(value: Json): Json {
  if (!isContainer(value)) throw new DoesNotApply();
  return value;
}

/** Absent and null are equal. */
function test(document: Json, path: Json | undefined, wanted: Json): Json {
  const found = path === "" ? document : (valueAt(document, tokensOf(path)) ?? null);
  if (!equal(found, wanted)) throw new DoesNotApply();
  return document;
}

function equal(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  if (isList(a) || isList(b)) {
    return isList(a) && isList(b) && a.length === b.length && a.every((item, i) => equal(item, b[i] as Json));
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key] as Json, b[key] as Json))
  );
}
