import { unexplained } from "../statusError.ts";
import { badElementOrder, isFields, listOfLists, noMergeKey, wrongKind } from "./patchErrors.ts";

/** The order of lists in a strategic merge patch. Items are scalars, or objects identified by the merge key. */

export type Items = readonly unknown[];

/** True if the items are objects. Throws for items of mixed kinds, for lists of lists, and if all lists are empty. */
export function areObjects(...lists: readonly Items[]): boolean {
  let first: string | undefined;
  for (const item of lists.flat(1)) {
    const kind = Array.isArray(item) ? "list" : item === null ? "null" : typeof item;
    if (first === undefined) {
      if (kind === "list") throw listOfLists();
      first = kind;
    } else if (first !== kind) {
      throw unexplained(`list element types are not identical: ${JSON.stringify(lists)}`);
    }
  }
  if (first === undefined) throw unexplained("no elements in any of the given slices");
  return first === "object";
}

/** Index of the item with that key; -1 if there is none. */
export function findByKey(items: Items, mergeKey: string, value: unknown): number {
  for (const [index, item] of items.entries()) {
    if (!isFields(item)) throw unexplained(`value for key ${index} is not a map`);
    if (item[mergeKey] !== undefined && item[mergeKey] === value) return index;
  }
  return -1;
}

/**
 * The final order of a merged list: the items that `wanted` names, in its order, and among them the server's own items,
 * each before the first wanted item that it preceded.
 */
export function inElementOrder(merged: Items, wanted: Items, live: Items, mergeKey: string): Items {
  const [named, others] = partition(merged, wanted, mergeKey);
  const objects = areObjects(merged, wanted, live);
  const right = sortedLike(named, wanted, mergeKey, objects);
  const left = sortedLike(others, live, mergeKey, objects);
  const out: unknown[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const leftFirst = j >= right.length || (i < left.length && stoodBefore(left[i], right[j], live, mergeKey, objects));
    out.push(leftFirst ? left[i++] : right[j++]);
  }
  return out;
}

function partition(items: Items, by: Items, mergeKey: string): [unknown[], unknown[]] {
  const named: unknown[] = [];
  const others: unknown[] = [];
  for (const item of items) {
    const isNamed = mergeKey === "" ? by.includes(item) : findByKey(by, mergeKey, keyOf(item, mergeKey)) >= 0;
    (isNamed ? named : others).push(item);
  }
  return [named, others];
}

function keyOf(item: unknown, mergeKey: string): unknown {
  if (!isFields(item)) throw wrongKind("map", item);
  const value = item[mergeKey];
  if (value === undefined) throw noMergeKey(item, mergeKey);
  return value;
}

/** Deleted items come last. */
function sortedLike(items: Items, order: Items, mergeKey: string, objects: boolean): Items {
  if (!objects) return items.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  const keys = order.map((item) => keyOf(item, mergeKey));
  const kept = items.filter((item) => (item as { $patch?: unknown }).$patch !== "delete");
  const deleted = items.filter((item) => (item as { $patch?: unknown }).$patch === "delete");
  const position = (item: unknown) => keys.indexOf(keyOf(item, mergeKey));
  return [...kept.toSorted((a, b) => position(a) - position(b)), ...deleted];
}

function stoodBefore(a: unknown, b: unknown, live: Items, mergeKey: string, objects: boolean): boolean {
  const position = (item: unknown) => {
    if (!objects) return live.indexOf(item);
    const key = isFields(item) ? item[mergeKey] : undefined;
    return live.findIndex((one) => isFields(one) && one[mergeKey] === key);
  };
  const left = position(a);
  const right = position(b);
  return left >= 0 && right >= 0 && left < right;
}

/** `$setElementOrder` must name all items that the patch changes or adds, in the patch's order. */
export function checkElementOrder(patch: Items, order: Items, mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const kept = mergeKey === "" ? patch : patch.filter((item) => !isDeleted(item));
  let at = 0;
  let inOrder = 0;
  while (at < kept.length && inOrder < order.length) {
    const item = kept[at];
    if (isFields(item) && "$patch" in item) {
      at++;
      continue;
    }
    const same = mergeKey === "" ? item === order[inOrder] : keyOf(item, mergeKey) === keyOf(order[inOrder], mergeKey);
    if (same) at++;
    inOrder++;
  }
  if (at < kept.length && inOrder >= order.length) {
    throw unexplained(
      `The order in patch list:\n${JSON.stringify(patch)}\n doesn't match $setElementOrder list:\n${JSON.stringify(order)}\n`,
    );
  }
}

function isDeleted(item: unknown): boolean {
  if (!isFields(item)) throw wrongKind("map", item);
  return item["$patch"] === "delete";
}

/** The list named by a directive such as `$setElementOrder/ports`. */
export function orderedKey(directive: string): string {
  const slash = directive.indexOf("/");
  if (directive.slice(0, slash) !== "$setElementOrder") throw badElementOrder();
  return directive.slice(slash + 1);
}
