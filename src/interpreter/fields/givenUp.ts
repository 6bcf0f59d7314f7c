import type { FieldsV1, KubeObject, ManagedFieldsEntry } from "../../apis/index.ts";
import { fieldElement } from "./fieldPaths.ts";
import { elementOf, isOwn } from "./ownership.ts";
import { isFields } from "../values.ts";

/**
 * `managedFields` in which the manager's Apply entries lack the fields that `before` has and `after` lacks; undefined
 * if they hold none. On an apply of `after`, the server removes fields that the applier alone owned, and keeps fields
 * that nobody owns.
 */
export function withoutGivenUp(
  managedFields: readonly ManagedFieldsEntry[],
  manager: string,
  before: KubeObject,
  after: KubeObject,
): ManagedFieldsEntry[] | undefined {
  let changed = false;
  const entries = managedFields.map((entry) => {
    if (!isOwn(entry, manager) || entry.fieldsV1 === undefined) return entry;
    const fieldsV1 = without(entry.fieldsV1, before, after) ?? {};
    if (fieldsV1 === entry.fieldsV1) return entry;
    changed = true;
    return { ...entry, fieldsV1 };
  });
  return changed ? entries : undefined;
}

/** The same fields if nothing is taken out; undefined if none is left. */
function without(fields: FieldsV1, before: unknown, after: unknown): FieldsV1 | undefined {
  if (after === undefined) return undefined;
  if (before === after) return fields;
  let rest = fields;
  for (const [element, was, is] of pairs(fields, before, after)) {
    const owned = rest[element];
    if (!isFields(owned)) continue;
    const left = without(owned, was, is);
    if (left === owned) continue;
    const { [element]: _, ...others } = rest;
    rest = left === undefined ? others : { ...others, [element]: left };
  }
  const isEmpty = Object.keys(rest).every((element) => element === ".");
  return rest !== fields && isEmpty ? undefined : rest;
}

/** The parts of two values under the same path element. */
function* pairs(fields: FieldsV1, before: unknown, after: unknown): Iterable<[string, unknown, unknown]> {
  if (Array.isArray(before) && Array.isArray(after)) {
    const kept = new Map<string | undefined, unknown>();
    for (const [index, item] of (after as unknown[]).entries()) kept.set(elementOf(item, index, fields), item);
    for (const [index, item] of (before as unknown[]).entries()) {
      const element = elementOf(item, index, fields);
      if (element !== undefined) yield [element, item, kept.get(element)];
    }
  } else if (isFields(before) && isFields(after)) {
    for (const key in before) yield [fieldElement(key), before[key], after[key]];
  }
}
