import { defined, type FieldsV1, type KubeObject, type ManagedFieldsEntry, parseJson } from "../../apis/index.ts";
import { associativeKey, fieldElement, isLeaf, matchesKey, textOfScalar } from "./fieldPaths.ts";
import type { LostField, LostPlace } from "../types.ts";
import { type Fields, isFields } from "../values.ts";

/** Identity, and fields that nobody can own. */
export const UNOWNED_METADATA: ReadonlySet<string> = new Set([
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
]);

/** Item of a list; named only when a lost path is printed. */
interface ItemPlace {
  item: unknown;
  index: number;
  fields: FieldsV1;
}

/** Path elements as in `fieldsV1`, and their names for people. */
interface Place {
  elements: string[];
  names: (string | ItemPlace)[];
}

interface Findings {
  /** Reports a leaf that Meridian does not own. */
  lost(place: Place): void;
  /** Reports a null or an empty list that Meridian does not own. These exist without any owner. */
  absent(place: Place, value: null | readonly unknown[]): void;
}

/** {@link lostPlaces} as reported to people. */
export function lostFields(
  desired: KubeObject,
  managedFields: readonly ManagedFieldsEntry[],
  manager: string,
  live?: KubeObject,
): LostField[] {
  return lostPlaces(desired, managedFields, manager, live).map(fieldOfPlace);
}

export function fieldOfPlace({ path, takenBy }: LostPlace): LostField {
  return { path, ...defined({ takenBy }) };
}

/**
 * Fields of a desired object that the manager's Apply entry does not, or no longer, hold: others changed, took over or
 * removed them. In the order of the object.
 *
 * Only ownership is compared, never values, so a field that the server defaults or normalises is not lost. `live` is
 * needed for empty lists only: such a list is lost if others own the whole list and it holds items.
 */
export function lostPlaces(
  desired: KubeObject,
  managedFields: readonly ManagedFieldsEntry[],
  manager: string,
  live?: KubeObject,
): LostPlace[] {
  const own = managedFields.find((entry) => isOwn(entry, manager));
  const fields = own?.fieldsV1 ?? NOTHING;
  const lost: LostPlace[] = [];
  const found: Findings = {
    lost({ elements, names }) {
      const { takenBy, isHeld } = takerOf(elements, managedFields, own, manager);
      lost.push({
        path: pathText(names),
        ...defined({ takenBy }),
        elements: [...elements],
        isHeld,
      });
    },
    absent(place, value) {
      const { elements } = place;
      const others = managedFields.flatMap(({ manager: other, fieldsV1 = NOTHING }) => {
        const node = other === manager ? undefined : ownedAt(fieldsV1, elements);
        return node === undefined ? [] : [node];
      });
      if (others.length === 0) return;
      // In a keyed list or a set, others may have items of their own beside an empty list of ours.
      if (value !== null && !(others.every(isLeaf) && isFilled(valueAtElements(live, elements)))) return;
      this.lost(place);
    },
  };

  const place: Place = { elements: [], names: [] };
  for (const key in desired) {
    if (key === "apiVersion" || key === "kind" || key === "status") continue;
    const value = desired[key];
    if (key === "metadata") walkMetadata(desired.metadata, fields["f:metadata"] ?? NOTHING, place, found);
    else walkField(key, value, fields, place, found);
  }
  return lost;
}

const NOTHING: FieldsV1 = Object.freeze({});

/** The manager applied the entry's fields to the object itself, not to a subresource. */
export function isOwn(entry: ManagedFieldsEntry, manager: string): boolean {
  return entry.manager === manager && entry.operation === "Apply" && (entry.subresource ?? "") === "";
}

/** The manager applied some field of the object and still owns it. */
export function hasApplied(managedFields: readonly ManagedFieldsEntry[] | undefined, manager: string): boolean {
  return managedFields?.some((entry) => isOwn(entry, manager)) === true;
}

/** Time of the manager's last apply that changed anything, to the second. */
export function appliedAtOf(
  managedFields: readonly ManagedFieldsEntry[] | undefined,
  manager: string,
): string | undefined {
  return managedFields?.find((entry) => isOwn(entry, manager))?.time;
}

/** The manager applied the annotation, and nobody has changed it since. */
export function ownsAnnotation(
  managedFields: readonly ManagedFieldsEntry[] | undefined,
  manager: string,
  annotation: string,
): boolean {
  const own = managedFields?.find((entry) => isOwn(entry, manager));
  return own?.fieldsV1?.["f:metadata"]?.["f:annotations"]?.[fieldElement(annotation)] !== undefined;
}

function walkMetadata(metadata: object, fields: FieldsV1, place: Place, found: Findings): void {
  push(place, "f:metadata", "metadata");
  for (const key in metadata) {
    if (!UNOWNED_METADATA.has(key)) walkField(key, (metadata as Fields)[key], fields, place, found);
  }
  pop(place);
}

function walkField(key: string, value: unknown, fields: FieldsV1, place: Place, found: Findings): void {
  const element = fieldElement(key);
  push(place, element, key);
  walk(value, fields[element], place, found);
  pop(place);
}

/** `fields`: owned at this position. */
function walk(value: unknown, fields: FieldsV1 | undefined, place: Place, found: Findings): void {
  if (value === undefined) return;
  if (value === null || (Array.isArray(value) && value.length === 0)) {
    if (fields === undefined) found.absent(place, value);
    return;
  }
  if (Array.isArray(value)) {
    walkList(value, fields, place, found);
    return;
  }
  if (typeof value !== "object") {
    if (fields === undefined) found.lost(place);
    return;
  }
  // An owned element without elements below it is owned as a whole, like an atomic map.
  if (fields !== undefined && isLeaf(fields)) return;
  let empty = true;
  for (const key in value) {
    empty = false;
    walkField(key, (value as Fields)[key], fields ?? NOTHING, place, found);
  }
  if (empty && fields === undefined) found.lost(place);
}

function walkList(items: readonly unknown[], fields: FieldsV1 | undefined, place: Place, found: Findings): void {
  if (fields === undefined) {
    found.lost(place);
    return;
  }
  if (isLeaf(fields)) return;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const element = elementOf(item, index, fields);
    const owned = element === undefined ? undefined : fields[element];
    push(place, element ?? missingElement(item), { item, index, fields });
    if (owned === undefined) found.lost(place);
    else walk(item, owned, place, found);
    pop(place);
  }
}

/** Path element under which the manager owns the item; undefined if it does not. */
export function elementOf(item: unknown, index: number, fields: FieldsV1): string | undefined {
  if (isFields(item)) {
    for (const path in fields) {
      const key = associativeKey(path);
      if (key !== undefined && matchesKey(item, key)) return path;
    }
  } else {
    const member = `v:${JSON.stringify(item)}`;
    if (Object.hasOwn(fields, member)) return member;
  }
  const position = `i:${index}`;
  return Object.hasOwn(fields, position) ? position : undefined;
}

/** Others may own the item under an unknown element, so {@link nodeAt} compares its content. */
function missingElement(item: unknown): string {
  return isFields(item) ? `?:${JSON.stringify(item)}` : `v:${JSON.stringify(item)}`;
}

/** `[name=web]` if the list has keys, else the index. */
function itemName({ item, index, fields }: ItemPlace): string {
  if (!isFields(item)) return `[${JSON.stringify(item)}]`;
  for (const path in fields) {
    const key = associativeKey(path);
    if (key === undefined) continue;
    const parts = Object.keys(key).flatMap((field) =>
      isFields(item[field]) || item[field] === undefined ? [] : [`${field}=${textOfScalar(item[field])}`],
    );
    if (parts.length > 0) return `[${parts.join(",")}]`;
  }
  return `[${index}]`;
}

function push(place: Place, element: string, name: string | ItemPlace): void {
  place.elements.push(element);
  place.names.push(name);
}

function pop(place: Place): void {
  place.elements.pop();
  place.names.pop();
}

/** `metadata.annotations["example.com/owner"]`, `spec.ports[port=80,protocol=TCP].nodePort` */
export function pathText(names: readonly (string | ItemPlace)[]): string {
  let text = "";
  for (const name of names) {
    if (typeof name !== "string") text += itemName(name);
    else if (name.startsWith("[")) text += name;
    else if (/^[A-Za-z0-9_-]+$/.test(name)) text += text === "" ? name : `.${name}`;
    else text += `[${JSON.stringify(name)}]`;
  }
  return text;
}

/**
 * The latest of the field's present owners. If there is none, the field was removed, most likely by the latest of the
 * managers that wrote after Meridian.
 */
function takerOf(
  elements: readonly string[],
  managedFields: readonly ManagedFieldsEntry[],
  own: ManagedFieldsEntry | undefined,
  manager: string,
): { takenBy: string | undefined; isHeld: boolean } {
  let holder: ManagedFieldsEntry | undefined;
  let last: ManagedFieldsEntry | undefined;
  for (const entry of managedFields) {
    if (entry.manager === manager) continue;
    if (entry.fieldsV1 !== undefined && holds(entry.fieldsV1, elements) && isLater(entry, holder)) holder = entry;
    if (entry.subresource !== "status" && !isLater(own, entry) && isLater(entry, last)) last = entry;
  }
  return { takenBy: (holder ?? last)?.manager, isHeld: holder !== undefined };
}

/** `a` is later than `b`, or `b` is missing. RFC 3339 in UTC with whole seconds sorts as text. */
function isLater(a: ManagedFieldsEntry | undefined, b: ManagedFieldsEntry | undefined): boolean {
  return b === undefined || (a?.time ?? "") > (b.time ?? "");
}

function holds(fields: FieldsV1, elements: readonly string[]): boolean {
  return ownedAt(fields, elements) !== undefined;
}

/** Fields owned at the position; a leaf also within a field that is owned as a whole. */
export function ownedAt(fields: FieldsV1, elements: readonly string[]): FieldsV1 | undefined {
  let node = fields;
  for (const element of elements) {
    const next = nodeAt(node, element);
    if (next === undefined || isLeaf(next)) return next;
    node = next;
  }
  return node;
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** Value at the position in an object. */
export function valueAtElements(object: unknown, elements: readonly string[]): unknown {
  let value = object;
  for (const element of elements) value = memberAt(value, element);
  return value;
}

/** Member that the path element names; for a set, the item itself. */
export function memberAt(value: unknown, element: string): unknown {
  if (Array.isArray(value)) return (value as unknown[])[indexAt(value, element)];
  const name = element.slice(2);
  return isFields(value) && element.startsWith("f:") && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** -1 if there is none. */
export function indexAt(items: readonly unknown[], element: string): number {
  if (element.startsWith("i:")) return Number(element.slice(2)) < items.length ? Number(element.slice(2)) : -1;
  if (element.startsWith("v:")) return items.findIndex((item) => `v:${JSON.stringify(item)}` === element);
  const key = element.startsWith("?:") ? (parseJson(element.slice(2)) as Fields) : associativeKey(element);
  return key === undefined ? -1 : items.findIndex((item) => isFields(item) && matchesKey(item, key));
}

function nodeAt(fields: FieldsV1, element: string): FieldsV1 | undefined {
  if (!element.startsWith("?:")) return fields[element];
  const item = parseJson(element.slice(2)) as Fields;
  for (const path in fields) {
    const key = associativeKey(path);
    if (key !== undefined && matchesKey(item, key)) return fields[path];
  }
  return undefined;
}
