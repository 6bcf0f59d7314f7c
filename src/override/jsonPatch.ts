import { type PatchOperation, sameValue } from "../apis/index.ts";
import { parsePointer, type Pointer } from "./jsonPointer.ts";
import { Work } from "./work.ts";

/** The message names the operation and the path, never the value, which may be a secret. */
export class PatchError extends Error {
  override readonly name = "PatchError";
}

type Operation = Pick<PatchOperation, "op" | "path" | "from" | "value">;

/**
 * Applies one operation of RFC 6902. The result shares with the document all parts that the operation does not touch.
 * `work` counts the cost before the operation is done.
 *
 * @throws {PatchError} when the operation is malformed, its target does not exist, or its test fails; {RuleError}
 * TooLarge
 */
export function applyOperation(document: unknown, operation: Operation, work: Work = new Work()): unknown {
  const path = pointer(operation, operation.path);
  if (operation.value !== undefined) work.brings(operation.value, path.length);
  switch (operation.op) {
    case "add":
      return add(document, path, valueOf(operation), operation, work);
    case "remove":
      return remove(document, path, operation, work);
    case "replace":
      read(document, path, operation);
      return write(document, path, valueOf(operation), operation, work);
    case "test":
      if (sameValue(read(document, path, operation), valueOf(operation))) return document;
      return fail(operation, `${shortened(operation.path)} has another value`);
    case "copy": {
      const value = read(document, fromOf(operation), operation);
      work.brings(value, path.length);
      return add(document, path, value, operation, work);
    }
    case "move": {
      const from = fromOf(operation);
      if (from.length < path.length && from.every((token, i) => token === path[i])) {
        return fail(operation, `${textOf(from, from.length)} cannot move into itself`);
      }
      const value = read(document, from, operation);
      work.brings(value, path.length);
      return add(remove(document, from, operation, work), path, value, operation, work);
    }
  }
}

function fail({ op }: Operation, why: string): never {
  throw new PatchError(`${op}: ${why}`);
}

function pointer(operation: Operation, text: string): Pointer {
  return parsePointer(text) ?? fail(operation, `${shortened(text)} is not a JSON pointer`);
}

function fromOf(operation: Operation): Pointer {
  if (operation.from === undefined) return fail(operation, `from is missing for ${shortened(operation.path)}`);
  return pointer(operation, operation.from);
}

function valueOf(operation: Operation): unknown {
  if (operation.value === undefined) return fail(operation, `value is missing for ${shortened(operation.path)}`);
  return operation.value;
}

/** JSON pointer of the first `length` tokens, escaped. */
function textOf(path: Pointer, length: number): string {
  const tokens = path.slice(0, length).map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return shortened(tokens.join(""));
}

/** The patch number identifies the full pointer. */
const LONGEST_POINTER = 56;

function shortened(text: string): string {
  if (text === "") return "the whole object";
  if (text.length <= LONGEST_POINTER) return text;
  return `…${text.slice(-LONGEST_POINTER)}`;
}

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined for `-`, for leading zeros and beyond the end. */
function indexIn(array: readonly unknown[], token: string): number | undefined {
  if (!/^(0|[1-9]\d*)$/.test(token)) return undefined;
  const index = Number(token);
  return index < array.length ? index : undefined;
}

/** Member that a token names, wrapped to tell a null member from a missing one. */
function memberOf(parent: unknown, token: string): { value: unknown } | undefined {
  if (Array.isArray(parent)) {
    const index = indexIn(parent, token);
    return index === undefined ? undefined : { value: parent[index] };
  }
  // An undefined member disappears when the object is written as JSON.
  if (!isObject(parent) || !Object.hasOwn(parent, token) || parent[token] === undefined) return undefined;
  return { value: parent[token] };
}

function read(document: unknown, path: Pointer, operation: Operation): unknown {
  let value = document;
  for (const [depth, token] of path.entries()) {
    const member = memberOf(value, token);
    if (member === undefined) return fail(operation, `${textOf(path, depth + 1)} does not exist`);
    value = member.value;
  }
  return value;
}

/** Copies the maps and lists on the way to the path's last token, and applies `change` to the parent of this token. */
function withParent(
  document: unknown,
  path: Pointer,
  operation: Operation,
  work: Work,
  change: (parent: unknown[] | Json, token: string) => unknown,
): unknown {
  const descend = (node: unknown, depth: number): unknown => {
    const token = path[depth] ?? "";
    const last = depth === path.length - 1;
    if (last) {
      if (Array.isArray(node) || isObject(node)) {
        work.copiesMembersOf(node);
        return change(node, token);
      }
      return fail(operation, `${textOf(path, depth)} holds neither fields nor items`);
    }
    const member = memberOf(node, token);
    if (member === undefined) return fail(operation, `${textOf(path, depth + 1)} does not exist`);
    work.copiesMembersOf(node as unknown[] | Json);
    return withMember(node as unknown[] | Json, token, descend(member.value, depth + 1));
  };
  return descend(document, 0);
}

function withMember(parent: unknown[] | Json, token: string, value: unknown): unknown {
  if (Array.isArray(parent)) return parent.with(Number(token), value);
  return { ...parent, [token]: value };
}

function write(document: unknown, path: Pointer, value: unknown, operation: Operation, work: Work): unknown {
  if (path.length === 0) return value;
  return withParent(document, path, operation, work, (parent, token) => withMember(parent, token, value));
}

function add(document: unknown, path: Pointer, value: unknown, operation: Operation, work: Work): unknown {
  if (path.length === 0) return value;
  return withParent(document, path, operation, work, (parent, token) => {
    if (!Array.isArray(parent)) return withMember(parent, token, value);
    // The index one past the end and `-` both append.
    const end = token === "-" || token === String(parent.length);
    const index = end ? parent.length : indexIn(parent, token);
    if (index === undefined) return fail(operation, `${textOf(path, path.length)} is no place in the array`);
    return parent.toSpliced(index, 0, value);
  });
}

function remove(document: unknown, path: Pointer, operation: Operation, work: Work): unknown {
  if (path.length === 0) return fail(operation, "the whole object cannot be removed");
  read(document, path, operation);
  return withParent(document, path, operation, work, (parent, token) => {
    if (Array.isArray(parent)) return parent.toSpliced(Number(token), 1);
    const { [token]: _removed, ...rest } = parent;
    return rest;
  });
}
