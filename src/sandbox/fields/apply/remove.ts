import { type FieldSet, isEmpty, isMember, LEAF } from "../sets/index.ts";
import { elementIfAny, type FieldType, isObject, kindOf, type ListType, type MapType, met } from "../values/index.ts";

/** Removes the fields and items of the set with everything inside. Returns the same value if it has none of them. */
export function removeFields(value: unknown, set: FieldSet, type: FieldType): unknown {
  switch (kindOf(type, met(type, value))) {
    case "scalar":
      return value;
    case "list":
      return removeItems(value, set, type.list as ListType);
    case "map":
      return removeEntries(value, set, type.map as MapType);
  }
}

/** Null for an emptied list, as on a server. */
function removeItems(value: unknown, set: FieldSet, list: ListType): unknown {
  if (!Array.isArray(value) || value.length === 0 || list.atomic) return null;
  const out: unknown[] = [];
  let changed = false;
  for (const item of value) {
    const element = elementIfAny(list, item);
    const node = element === undefined ? undefined : set[element];
    if (node !== undefined && isMember(node)) {
      changed = true;
      continue;
    }
    const rest = node === undefined || isEmpty(node) ? item : removeFields(item, node, list.element);
    if (rest !== item) changed = true;
    out.push(rest);
  }
  if (!changed) return value;
  return out.length === 0 ? null : out;
}

function removeEntries(value: unknown, set: FieldSet, map: MapType): unknown {
  if (!isObject(value) || isEmpty(value as FieldSet) || map.atomic) return null;
  let out: Record<string, unknown> | undefined;
  for (const element in set) {
    if (!element.startsWith("f:")) continue;
    const key = element.slice(2);
    const child = value[key];
    if (child === undefined) continue;
    const node = set[element] as FieldSet;
    if (node === LEAF || isMember(node)) {
      out ??= { ...value };
      delete out[key];
      continue;
    }
    const type = map.fields.get(key)?.type ?? map.element;
    const rest = type === undefined ? child : removeFields(child, node, type);
    if (rest === child) continue;
    out ??= { ...value };
    out[key] = rest;
  }
  if (out === undefined) return value;
  return isEmpty(out as FieldSet) ? null : out;
}
