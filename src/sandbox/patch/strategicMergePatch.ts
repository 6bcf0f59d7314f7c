import { setMember } from "../../apis/index.ts";
import { badRequest, unexplained } from "../statusError.ts";
import type { Json, Schema } from "../types.ts";
import { jsonType } from "../jsonType.ts";
import { areObjects, checkElementOrder, findByKey, inElementOrder, type Items, orderedKey } from "./elementOrder.ts";
import {
  badPrimitiveList,
  badRetainKeys,
  type Fields,
  isFields,
  noMergeKey,
  unknownDirective,
  wrongKind,
} from "./patchErrors.ts";
import { type PatchMeta, PatchMetas } from "./patchMeta.ts";

const DIRECTIVE = "$patch";
const RETAIN_KEYS = "$retainKeys";
const ELEMENT_ORDER = "$setElementOrder";
const DELETE_FROM_LIST = "$deleteFromPrimitiveList";

type JsonObject = { readonly [key: string]: Json };

/**
 * Applies a patch to a document of a built-in kind. Lists with a merge key are merged item by item. Supports the
 * directives `$patch`, `$retainKeys`, `$setElementOrder` and `$deleteFromPrimitiveList`. Throws the server's Status:
 * 400 for malformed directives, 500 for items without their key and similar errors.
 */
export function strategicMergePatch(
  document: Json,
  patch: Json,
  schema: Schema,
  definitions: Readonly<Record<string, Schema>>,
): JsonObject {
  const original = isFields(document) ? document : {};
  if (!isFields(patch)) {
    // Go reads null as a patch without members.
    if (patch === null) return original as JsonObject;
    throw badRequest(`error decoding patch: it must be an object, not ${jsonType(patch)}`);
  }
  return new Merge(new PatchMetas(definitions)).objects(original, patch, schema) as JsonObject;
}

class Merge {
  readonly #metas: PatchMetas;

  constructor(metas: PatchMetas) {
    this.#metas = metas;
  }

  objects(original: Fields, patch: Fields, schema: Schema): Fields {
    if (DIRECTIVE in patch) return directed(patch);
    const rest: Record<string, unknown> = { ...patch };
    const out: Record<string, unknown> = retained(original, rest);
    this.#orderLists(out, rest, schema);
    for (const [name, value] of Object.entries(rest)) {
      const deletes = name.startsWith(DELETE_FROM_LIST);
      const key = deletes ? primitiveListKey(name) : name;
      if (value === null) {
        delete out[key];
        continue;
      }
      const current = out[key];
      if (deletes) {
        if (Array.isArray(current) && Array.isArray(value)) {
          const { schema: items, mergeKey } = this.#metas.ofList(schema, key);
          setMember(out, key, this.#lists(current, value, { schema: items, mergeKey, strategy: "merge" }, true));
        }
      } else if (isFields(current) && isFields(value)) {
        const meta = this.#metas.ofObject(schema, key);
        setMember(out, key, meta.strategy === "replace" ? value : this.objects(current, value, meta.schema));
      } else if (Array.isArray(current) && Array.isArray(value)) {
        const meta = this.#metas.ofList(schema, key);
        setMember(out, key, meta.strategy === "merge" ? this.#lists(current, value, meta, false) : value);
      } else {
        const kept = withoutDirectives(withoutNulls(value));
        if (kept === undefined) delete out[key];
        else setMember(out, key, kept);
      }
    }
    return out;
  }

  /** Merges the lists with a given order, and removes them from the patch. */
  #orderLists(out: Record<string, unknown>, patch: Record<string, unknown>, schema: Schema): void {
    for (const name of Object.keys(patch)) {
      if (!name.startsWith(ELEMENT_ORDER)) continue;
      const order = patch[name];
      delete patch[name];
      if (!Array.isArray(order)) throw wrongKind("list", order);
      const key = orderedKey(name);
      const current = listAt(out, key);
      const changes = listAt(patch, key);
      const meta = this.#metas.ofList(schema, key);
      checkElementOrder(changes ?? [], order, meta.mergeKey);
      let merged: Items;
      if (current === undefined) {
        if (changes === undefined) continue;
        merged = withoutDirectives(changes) as Items;
      } else if (changes === undefined) {
        merged = current;
      } else {
        merged = meta.strategy === "merge" ? this.#lists(current, changes, meta, false) : changes;
      }
      areObjects(current ?? [], changes ?? []);
      const left = leftInPlace(current ?? [], changes ?? [], meta.mergeKey);
      setMember(out, key, merged.length === 0 ? merged : inElementOrder(merged, order, left, meta.mergeKey));
      delete patch[key];
    }
  }

  #lists(original: Items, patch: Items, { schema, mergeKey }: PatchMeta, deletes: boolean): Items {
    if (original.length === 0 && patch.length === 0) return original;
    if (!areObjects(original, patch)) {
      if (deletes) return original.filter((item) => !patch.includes(item));
      return inElementOrder([...new Set([...original, ...patch])], patch, original, "");
    }
    if (mergeKey === "") throw unexplained(`cannot merge lists without merge key for ${this.#metas.goKind(schema)}`);
    const { live, changes } = withSpecialItems(original, patch as readonly Fields[], mergeKey);
    const merged = [...live];
    for (const item of changes) {
      const key = item[mergeKey];
      if (key === undefined) throw noMergeKey(item, mergeKey);
      const at = findByKey(merged, mergeKey, key);
      if (at < 0) merged.push(item);
      else merged[at] = this.objects(merged[at] as Fields, item, schema);
    }
    return merged.length === 0 ? merged : inElementOrder(merged, changes, live, mergeKey);
  }
}

function directed(patch: Fields): Fields {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === "replace") return rest;
  if (directive === "delete") return {};
  throw unknownDirective(directive, patch);
}

/** The original without the members that `$retainKeys` drops; removes the directive from the patch. */
function retained(original: Fields, patch: Record<string, unknown>): Record<string, unknown> {
  const keys = patch[RETAIN_KEYS];
  if (keys === undefined) return { ...original };
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(keys)) throw badRetainKeys();
  for (const [key, value] of Object.entries(patch)) {
    const isDirective = key.startsWith(DELETE_FROM_LIST) || key.startsWith(ELEMENT_ORDER);
    if (value !== null && !isDirective && !keys.includes(key)) throw badRetainKeys();
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key)));
}

function primitiveListKey(directive: string): string {
  const slash = directive.indexOf("/");
  if (directive.slice(0, slash) !== DELETE_FROM_LIST) throw badPrimitiveList();
  return directive.slice(slash + 1);
}

function listAt(fields: Fields, key: string): Items | undefined {
  const value = fields[key];
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw wrongKind("list", value);
  return value;
}

/** Applies the patch items that are directives. */
function withSpecialItems(original: Items, patch: readonly Fields[], mergeKey: string) {
  let live = original;
  let replaces = false;
  const changes: Fields[] = [];
  for (const item of patch) {
    const directive = item[DIRECTIVE];
    if (directive === undefined) {
      changes.push(item);
    } else if (directive === "delete") {
      const key = item[mergeKey];
      if (key === undefined) throw noMergeKey(item, mergeKey);
      live = live.filter((one, index) => {
        if (!isFields(one)) throw unexplained(`value for key ${index} is not a map`);
        return one[mergeKey] !== key;
      });
    } else if (directive === "replace") {
      replaces = true;
    } else if (directive === "merge") {
      throw unexplained("merging lists cannot yet be specified in the patch");
    } else {
      throw unknownDirective(directive, item);
    }
  }
  return replaces ? { live: changes as Items, changes: [] } : { live, changes };
}

/**
 * The old list as the server's merge leaves it. The server deletes and appends in place, so new items take the places
 * of deleted ones, which affects the final order.
 */
function leftInPlace(original: Items, patch: Items, mergeKey: string): Items {
  if (mergeKey === "") return original;
  const left = [...original];
  let length = left.length;
  const keyOf = (item: unknown) => (isFields(item) ? item[mergeKey] : undefined);
  const deleted = patch.filter((item) => isFields(item) && item[DIRECTIVE] === "delete").map(keyOf);
  for (const key of deleted) {
    for (let at = 0; at < length;) {
      if (keyOf(left[at]) !== key) at++;
      else left.copyWithin(at, at + 1, length--);
    }
  }
  if (patch.some((item) => isFields(item) && item[DIRECTIVE] === "replace")) return left;
  for (const item of patch) {
    if (isFields(item) && DIRECTIVE in item) continue;
    const isKnown = left.slice(0, length).some((one) => keyOf(one) === keyOf(item));
    if (isKnown) continue;
    if (length === left.length) return left;
    left[length++] = item;
  }
  return left;
}

/** Removes null members from a new object. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutNulls(child)]));
}

/** Undefined for an object that is a directive. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isFields(value)) return value;
  if (DIRECTIVE in value) return undefined;
  const kept = Object.entries(value).map(([key, child]) => [key, withoutDirectives(child)] as const);
  return Object.fromEntries(kept.filter(([, child]) => child !== undefined));
}
