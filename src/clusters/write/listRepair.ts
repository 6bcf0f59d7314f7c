import {
  FIELD_MANAGER,
  type FieldsV1,
  isRecord,
  type KubeObject,
  type ManagedFieldsEntry,
  parseApiVersion,
} from "../../apis/index.ts";
import { associativeKey, isCustomGroup, type LostField, matchesKey } from "../../interpreter/index.ts";

export interface PatchOperation {
  op: "test" | "replace" | "add" | "remove";
  path: string;
  /** Absent only for `remove`. */
  value?: unknown;
}

/**
 * Operations that replace every list of the desired object in which drift took an item. An apply merges keyed lists: if
 * somebody changed the number of our port, the merge holds both, and the server refuses the pair as duplicates.
 */
export function listRepairs(drift: readonly LostField[], desired: KubeObject): PatchOperation[] {
  const repairs = new Map<string, PatchOperation>();
  for (const { path } of drift) {
    const steps = (path.split("[", 1)[0] ?? "").split(".");
    const value = steps.reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), desired);
    if (!Array.isArray(value)) continue;
    const pointer = `/${steps.join("/")}`;
    repairs.set(pointer, { op: "replace", path: pointer, value });
  }
  return [...repairs.values()];
}

/**
 * Operations that restore the empty fields of the desired object after an apply, if the server set a default or null,
 * or removed them: nobody owns an empty keyed list, set or map. Values of other owners stay.
 *
 * A built-in kind reads an empty list as no list, so only its maps count. The apply that takes the last field out of a
 * map removes the map, also where the desired object has it empty: `behavior: {}` asks a HorizontalPodAutoscaler for
 * its defaults.
 */
export function emptiedAgain(desired: KubeObject, applied: KubeObject): PatchOperation[] {
  const fills = isCustom(desired) ? ALL : ({ op, value }: PatchOperation) => op === "add" && isRecord(value);
  return emptied(desired, applied, { blocks: ALL, fills });
}

/**
 * Operations that empty fields of which only Meridian owns the content. An apply would turn such a map or list into
 * null, which the schema of a custom kind refuses.
 */
export function emptiedFirst(desired: KubeObject, live: KubeObject): PatchOperation[] {
  if (!isCustom(desired)) return [];
  // The apply itself adds the fields that the live object lacks.
  return emptied(desired, live, { blocks: (entry) => !isOurApply(entry), fills: ({ op }) => op !== "add" });
}

/** Operations that remove empty fields that nobody owns and that the desired object lacks. No later apply removes them. */
export function emptiesLeft(desired: KubeObject, applied: KubeObject): PatchOperation[] {
  if (!isCustom(desired)) return [];
  const owners = (applied.metadata.managedFields ?? []).flatMap(({ fieldsV1 }) => fieldsV1 ?? []);
  const { metadata: _metadata, status: _status, ...content } = applied;
  return [...leftIn(desired, content, [], owners)];
}

function* leftIn(
  value: unknown,
  live: unknown,
  path: readonly string[],
  owners: readonly FieldsV1[],
): Generator<PatchOperation> {
  const below = (element: string): FieldsV1[] => owners.flatMap((fields) => fields[element] ?? []);
  if (isRecord(value) && isRecord(live)) {
    // If nobody owns single fields of the map, it has an owner as a whole.
    const isByField = owners.some((fields) => Object.keys(fields).some((element) => element.startsWith("f:")));
    for (const key of Object.keys(live)) {
      const [at, element] = [[...path, key], `f:${key}`];
      if (Object.hasOwn(value, key)) yield* leftIn(value[key], live[key], at, below(element));
      else if (isByField && isEmpty(live[key]) && owners.every((fields) => fields[element] === undefined))
        yield { op: "remove", path: pointerOf(at) };
    }
  } else if (Array.isArray(value) && Array.isArray(live)) {
    for (const { item, wanted, place, element } of itemsWithKeys(value, live, owners)) {
      const found = [...leftIn(wanted, item, [...path, String(place)], below(element))];
      if (found.length > 0) yield* [...stillThere([...path, String(place)], element), ...found];
    }
  }
}

/** Items of a keyed list that both lists have. */
function* itemsWithKeys(
  value: readonly unknown[],
  live: readonly unknown[],
  owners: readonly FieldsV1[],
): Generator<{ element: string; place: number; item: unknown; wanted: unknown }> {
  for (const element of new Set(owners.flatMap((fields) => Object.keys(fields)))) {
    const key = associativeKey(element);
    if (key === undefined) continue;
    const isMeant = (item: unknown): boolean => isRecord(item) && matchesKey(item, key);
    const place = live.findIndex(isMeant);
    const wanted = value.find(isMeant);
    if (place !== -1 && wanted !== undefined) yield { element, place, item: live[place], wanted };
  }
}

/** Tests that the item is still at its index, since a JSON patch addresses items by index. */
function stillThere(at: readonly string[], element: string): PatchOperation[] {
  return Object.entries(associativeKey(element) ?? {}).map(([field, value]) => ({
    op: "test",
    path: pointerOf([...at, field]),
    value,
  }));
}

/** True when {@link emptiedFirst} may return operations for some live object. */
export function mayBeEmptiedFirst(desired: KubeObject): boolean {
  return isCustom(desired) && holdsEmpty(desired);
}

function holdsEmpty(desired: KubeObject): boolean {
  for (const field in desired) if (field !== "metadata" && isOrHoldsEmpty(desired[field])) return true;
  return false;
}

function isOrHoldsEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isEmpty(value) || Object.values(value).some(isOrHoldsEmpty);
}

/** What {@link emptied} looks for. */
interface Emptying {
  /** The owners whose content stays. */
  blocks: (entry: ManagedFieldsEntry) => boolean;
  /** The operations that are wanted. */
  fills: (operation: PatchOperation) => boolean;
}

const ALL = (): boolean => true;

function emptied(desired: KubeObject, live: KubeObject, { blocks, fills }: Emptying): PatchOperation[] {
  if (!holdsEmpty(desired)) return [];
  const owners = (live.metadata.managedFields ?? []).flatMap((entry): Owner[] =>
    entry.fieldsV1 === undefined ? [] : [{ fields: entry.fieldsV1, counts: blocks(entry) }],
  );
  const { metadata: _, ...content } = desired;
  return [...filledIn(content, live, { path: [], owners, fills })];
}

/** Fields of one `managedFields` entry below a field. `counts`: this owner prevents emptying the field. */
interface Owner {
  fields: FieldsV1;
  counts: boolean;
}

function below(owners: readonly Owner[], element: string): Owner[] {
  return owners.flatMap(({ fields, counts }) => {
    const node = fields[element];
    return node === undefined ? [] : [{ fields: node, counts }];
  });
}

/** Where {@link filledIn} is in the object. */
interface Place {
  path: readonly string[];
  owners: readonly Owner[];
  fills: Emptying["fills"];
}

function* filledIn(value: unknown, live: unknown, place: Place): Generator<PatchOperation> {
  const { path, owners, fills } = place;
  if (isEmpty(value)) {
    const isFilled = isRecord(live) === isRecord(value) && Object.keys(live ?? {}).length > 0;
    const isNobodys = owners.every(
      ({ fields, counts }) => !counts || Object.keys(fields).every((element) => element === "."),
    );
    const replacing: PatchOperation = { op: "replace", path: pointerOf(path), value };
    if ((live === null || (isFilled && isNobodys)) && fills(replacing)) yield replacing;
  } else if (isRecord(value) && isRecord(live)) {
    for (const key of Object.keys(value)) {
      const at = [...path, key];
      const adding: PatchOperation = { op: "add", path: pointerOf(at), value: value[key] };
      if (Object.hasOwn(live, key))
        yield* filledIn(value[key], live[key], { path: at, owners: below(owners, `f:${key}`), fills });
      else if (isEmpty(value[key]) && fills(adding)) yield adding;
    }
  } else if (Array.isArray(value) && Array.isArray(live)) {
    yield* filledInItems(value, live, place);
  }
}

/** {@link filledIn} for the items of a keyed list. */
function* filledInItems(
  value: readonly unknown[],
  live: readonly unknown[],
  { path, owners, fills }: Place,
): Generator<PatchOperation> {
  const fields = owners.map((owner) => owner.fields);
  for (const { element, place, item, wanted } of itemsWithKeys(value, live, fields)) {
    const at = [...path, String(place)];
    const found = [...filledIn(wanted, item, { path: at, owners: below(owners, element), fills })];
    if (found.length > 0) yield* [...stillThere(at, element), ...found];
  }
}

function isCustom({ apiVersion }: KubeObject): boolean {
  return isCustomGroup(parseApiVersion(apiVersion).group);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
}

function pointerOf(path: readonly string[]): string {
  return path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/**
 * Operations that remove the `Update` entry of a repair from `managedFields`, since its fields would outlive the desired
 * object's. Undefined when no such entry exists.
 */
export function withoutUpdateEntry(object: KubeObject): PatchOperation[] | undefined {
  const entries = object.metadata.managedFields ?? [];
  const kept = entries.filter((entry) => !isOurUpdate(entry));
  if (kept.length === entries.length) return undefined;
  return [
    { op: "test", path: "/metadata/resourceVersion", value: object.metadata.resourceVersion },
    { op: "replace", path: "/metadata/managedFields", value: kept },
  ];
}

function isOurUpdate({ manager, operation, subresource }: ManagedFieldsEntry): boolean {
  return manager === FIELD_MANAGER && operation === "Update" && subresource === undefined;
}

function isOurApply({ manager, operation, subresource }: ManagedFieldsEntry): boolean {
  return manager === FIELD_MANAGER && operation === "Apply" && subresource === undefined;
}
