import { type FieldsV1, parseJson } from "../../apis/index.ts";
import { type Fields, isFields } from "../values.ts";

/** Path elements of `fieldsV1`: `f:name`, `k:{"name":"x"}`, `v:"x"`, `i:0`, and `.` for the node itself. */

/** Every event of every object has the same few keys. */
const parsedKeys = new Map<string, Fields>();
const REMEMBERED_KEYS = 4096;
const LONGEST_KEY = 4096;

/** Key of an item of a keyed list; undefined for other and for malformed path elements. */
export function associativeKey(path: string): Fields | undefined {
  if (!path.startsWith("k:") || path.length > LONGEST_KEY) return undefined;
  let key = parsedKeys.get(path);
  if (key === undefined) {
    key = parsedKey(path.slice(2));
    if (key === undefined) return undefined;
    if (parsedKeys.size >= REMEMBERED_KEYS) parsedKeys.clear();
    parsedKeys.set(path, key);
  }
  return key;
}

function parsedKey(text: string): Fields | undefined {
  try {
    const key = parseJson(text);
    return isFields(key) && Object.values(key).every((value) => typeof value !== "object") ? key : undefined;
  } catch {
    return undefined;
  }
}

const fieldElements = new Map<string, string>();

/** `f:` and the name. Cached: a lookup with a newly made string takes longer than the rest of a walk. */
export function fieldElement(name: string): string {
  let element = fieldElements.get(name);
  if (element === undefined) {
    element = `f:${name}`;
    if (fieldElements.size >= REMEMBERED_KEYS) fieldElements.clear();
    fieldElements.set(name, element);
  }
  return element;
}

/** Keys of lists are scalars; a number and its text are the same key. */
export function textOfScalar(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * The key names this item. The server fills in defaults before it makes the key, so a key field that the item lacks
 * matches any value, except `protocol`, whose default is TCP everywhere. At least one key field must be equal.
 */
export function matchesKey(item: Fields, key: Fields): boolean {
  let equal = false;
  for (const field in key) {
    const value = item[field];
    if (value === undefined || value === null) {
      if (field === "protocol" && key[field] !== "TCP") return false;
      continue;
    }
    if (value !== key[field] && textOfScalar(value) !== textOfScalar(key[field])) return false;
    equal = true;
  }
  return equal;
}

/** No owned fields lie below: a scalar, or a list or map that is owned as a whole. */
export function isLeaf(fields: FieldsV1): boolean {
  for (const _ in fields) return false;
  return true;
}
