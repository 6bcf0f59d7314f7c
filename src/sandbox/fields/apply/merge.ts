import { setMember } from "../../../apis/index.ts";
import {
  elementOf,
  type FieldType,
  isObject,
  itemsByElement,
  kindOf,
  type ListType,
  type MapType,
  met,
  type PathElement,
} from "../values/index.ts";

/**
 * Merges an applied configuration into an object; both fit the type. Removes nothing. Unchanged parts are the same
 * references as in `left`, and the result is `left` itself if nothing changes. Undefined when both are absent.
 */
export function mergeObjects(left: unknown, right: unknown, type: FieldType): unknown {
  if (left === right || right === undefined) return left;
  switch (kindOf(type, met(type, right))) {
    case "map":
      return mergeMaps(left, right, type.map as MapType);
    case "list":
      return mergeLists(left, right, type.list as ListType);
    case "scalar":
      return right;
  }
}

function mergeMaps(left: unknown, right: unknown, map: MapType): unknown {
  const before = isObject(left) ? left : {};
  const after = isObject(right) ? right : {};
  if (map.atomic || (isBare(before) && isBare(after))) return right;
  let out: Record<string, unknown> | undefined;
  for (const key in after) {
    const value = after[key];
    if (value === undefined) continue;
    const type = map.fields.get(key)?.type ?? map.element;
    if (type === undefined) continue;
    const current = Object.hasOwn(before, key) ? before[key] : undefined;
    const merged = mergeObjects(current, value, type);
    if (merged === current) continue;
    out ??= { ...before };
    if (merged === undefined) delete out[key];
    else setMember(out, key, merged);
  }
  return out ?? left;
}

function isBare(value: Readonly<Record<string, unknown>>): boolean {
  for (const key in value) if (value[key] !== undefined) return false;
  return true;
}

function mergeLists(left: unknown, right: unknown, list: ListType): unknown {
  const before: readonly unknown[] = Array.isArray(left) ? left : [];
  const after: readonly unknown[] = Array.isArray(right) ? right : [];
  if (list.atomic || (before.length === 0 && after.length === 0)) return right;
  const applied = itemsByElement(list, after);
  const known = itemsByElement(list, before);
  const out: unknown[] = [];
  for (const { element, item } of inOrder(
    before.map((value) => elementOf(list, value)),
    before,
    [...applied.keys()],
  )) {
    const config = applied.get(element)?.[0];
    const merged = config === undefined ? item : mergeObjects(only(known.get(element)), config, list.element);
    if (merged !== undefined) out.push(merged);
  }
  if (out.length === before.length && out.every((item, i) => item === before[i])) return left;
  return out.length === 0 ? undefined : out;
}

/** The configuration replaces duplicates as a whole instead of merging with them. */
function only(items: readonly unknown[] | undefined): unknown {
  if (items === undefined) return undefined;
  return items.length === 1 ? items[0] : null;
}

interface Place {
  element: PathElement;
  /** The object's own item, if the configuration does not name it. */
  item: unknown;
}

/**
 * Yields the configuration's items in their order, and between them the items that only the object has. An object's own
 * item stays behind the shared item that it followed, as far as that order allows.
 */
function* inOrder(
  old: readonly PathElement[],
  items: readonly unknown[],
  wanted: readonly PathElement[],
): Iterable<Place> {
  const isOld = new Set(old);
  const isWanted = new Set(wanted);
  const shared = wanted.filter((element) => isOld.has(element));
  const done = new Set<PathElement>();
  let next = 0;
  let l = 0;
  let r = 0;
  while (l < old.length || r < wanted.length) {
    const mine = old[l];
    const theirs = wanted[r];
    if (mine !== undefined && theirs !== undefined) {
      if (mine === theirs) {
        done.add(mine);
        yield { element: mine, item: undefined };
        l++;
        r++;
        next++;
        continue;
      }
      // A shared item with a later place in the new order is yielded at that place.
      if (isWanted.has(mine) && shared[next] !== undefined && shared[next] !== mine) {
        l++;
        continue;
      }
    }
    if (mine !== undefined) {
      if (!isWanted.has(mine)) {
        yield { element: mine, item: items[l] };
        l++;
        continue;
      }
      if (done.has(mine)) l++;
    }
    if (theirs !== undefined) {
      done.add(theirs);
      yield { element: theirs, item: undefined };
      r++;
      if (shared[next] === theirs) next++;
    }
  }
}
