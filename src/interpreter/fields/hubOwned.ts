import { FIELD_MANAGER, type FieldsV1, type KubeObject } from "../../apis/index.ts";
import { associativeKey } from "./fieldPaths.ts";
import { staysOnHub } from "../kinds/index.ts";
import { indexAt, isOwn, ownedAt, valueAtElements } from "./ownership.ts";
import { isUsers } from "./userFields.ts";
import type { HubOwnedField } from "../types.ts";
import { fieldsOf, isFields } from "../values.ts";

/** These kinds hold tokens. Anybody who may write on a member can pretend that a field was sent before. */
const NEVER_SENT: ReadonlySet<string> = new Set(["Secret", "ServiceAccount"]);

/**
 * Fields that controllers of the hub own and that are not sent. A copy keeps those that were sent to it before: a
 * controller that takes a field from its writer does not take it from the members.
 */
export function hubOwnedFields(object: KubeObject, sent: KubeObject): readonly HubOwnedField[] | undefined {
  const { apiVersion, kind, metadata } = object;
  if (NEVER_SENT.has(kind)) return undefined;
  const hubOwned: HubOwnedField[] = [];
  for (const entry of metadata.managedFields ?? []) {
    const { fieldsV1, manager } = entry;
    if (fieldsV1 === undefined || manager === FIELD_MANAGER || isUsers(entry)) continue;
    if ((entry.apiVersion ?? apiVersion) !== apiVersion) continue;
    for (const elements of leavesOf(fieldsV1, [])) {
      const value = valueAtElements(object, elements);
      if (value !== undefined && valueAtElements(sent, elements) === undefined) hubOwned.push({ elements, value });
    }
  }
  return hubOwned.length === 0 ? undefined : hubOwned;
}

function* leavesOf(fields: FieldsV1, at: readonly string[]): Generator<readonly string[]> {
  for (const element of Object.keys(fields)) {
    if (element === "." || isLeftOut(element, at)) continue;
    const node = fields[element] ?? {};
    if (Object.keys(node).every((below) => below === ".")) yield [...at, element];
    else yield* leavesOf(node, [...at, element]);
  }
}

function isLeftOut(element: string, at: readonly string[]): boolean {
  if (at.length === 0) return element === "f:status";
  if (at[0] !== "f:metadata") return false;
  if (at.length === 1) return element !== "f:labels" && element !== "f:annotations";
  return staysOnHub(element.slice(2));
}

/** Standing fields that the manager has applied to the live object, or else those in the object that was sent last. */
export function keptFields(
  hubOwned: readonly HubOwnedField[] | undefined,
  manager: string,
  { live, sent }: { live?: KubeObject | undefined; sent?: KubeObject | undefined },
): readonly HubOwnedField[] {
  if (hubOwned === undefined) return NONE;
  const own = live?.metadata.managedFields?.find((entry) => isOwn(entry, manager))?.fieldsV1;
  const kept = hubOwned.filter(({ elements }) =>
    own === undefined ? valueAtElements(sent, elements) !== undefined : ownedAt(own, elements) !== undefined,
  );
  return kept.length === 0 ? NONE : kept;
}

const NONE: readonly HubOwnedField[] = [];

/** The object with the kept fields that it lacks. */
export function withKept(object: KubeObject, kept: readonly HubOwnedField[]): KubeObject {
  return kept.reduce<KubeObject>(
    (whole, { elements, value }) =>
      valueAtElements(whole, elements) === undefined ? (withPlace(whole, elements, value) as KubeObject) : whole,
    object,
  );
}

/** An object of the same kind and name with the kept fields only. */
export function onlyKept({ apiVersion, kind, metadata }: KubeObject, kept: readonly HubOwnedField[]): KubeObject {
  return withKept({ apiVersion, kind, metadata: { name: metadata.name } }, kept);
}

function withPlace(value: unknown, [element, ...rest]: readonly string[], leaf: unknown): unknown {
  if (element === undefined) return leaf;
  if (element.startsWith("f:")) {
    const name = element.slice(2);
    return { ...fieldsOf(value), [name]: withPlace(fieldsOf(value)[name], rest, leaf) };
  }
  const items: unknown[] = Array.isArray(value) ? [...(value as unknown[])] : [];
  const index = indexAt(items, element);
  const item = withPlace(index < 0 ? associativeKey(element) : items[index], rest, leaf);
  const key = associativeKey(element);
  const whole = key !== undefined && isFields(item) ? { ...key, ...item } : item;
  if (index < 0) items.push(whole);
  else items[index] = whole;
  return items;
}
