import { FIELD_MANAGER, isRecord, type KubeObject, type ManagedFieldsEntry, parseApiVersion } from "../apis/index.ts";
import { isCustomGroup, type LostField } from "../interpreter/index.ts";

export interface PatchOperation {
  op: "test" | "replace" | "add";
  path: string;
  value: unknown;
}

/**
 * The lists of the desired object in which drift took something, as operations that put the whole list back. An apply merges keyed
 * lists: when somebody gave one of our ports another number, the merge holds both, and the server refuses the pair for a name or a
 * nodePort that occurs twice. Then only the whole list heals it.
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
 * The operations that empty again what an apply has emptied and the server has filled with the default of the schema, or made null of: with
 * its last item a list with keys, a set or a map vanishes from the merge, since nobody owns an empty one. What others have put there stays.
 * Only custom kinds have such defaults, and tell null from empty.
 */
export function emptiedAgain(desired: KubeObject, applied: KubeObject): PatchOperation[] {
  return emptied(desired, applied, applied.metadata.managedFields ?? []);
}

/**
 * The operations that empty what the desired object has empty and the live one has not, where nobody but Meridian has put anything in. An
 * apply makes null of such a map or list, which the schema of a custom kind refuses; what is empty already stays empty.
 */
export function emptiedFirst(desired: KubeObject, live: KubeObject): PatchOperation[] {
  const others = (live.metadata.managedFields ?? []).filter((entry) => !isOurApply(entry));
  return emptied(desired, live, others);
}

/** Whether {@link emptiedFirst} could find anything in any live object. */
export function holdsEmpty(desired: KubeObject): boolean {
  if (!isCustomGroup(parseApiVersion(desired.apiVersion).group)) return false;
  const isOrHoldsEmpty = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.length === 0;
    if (!isRecord(value)) return false;
    const members = Object.values(value);
    return members.length === 0 || members.some(isOrHoldsEmpty);
  };
  return Object.keys(desired).some((field) => field !== "metadata" && isOrHoldsEmpty(desired[field]));
}

function emptied(desired: KubeObject, live: KubeObject, owners: readonly ManagedFieldsEntry[]): PatchOperation[] {
  if (!isCustomGroup(parseApiVersion(desired.apiVersion).group)) return [];
  const owned = owners.flatMap(({ fieldsV1 }) => fieldsV1 ?? []);
  return Object.keys(desired).flatMap((field) =>
    field === "metadata" ? [] : [...filledIn(desired[field], live[field], [field], owned)],
  );
}

function* filledIn(
  value: unknown,
  live: unknown,
  path: readonly string[],
  owned: readonly Owned[],
): Generator<PatchOperation> {
  const here = owned.flatMap((fields) => fields[`f:${path.at(-1)}`] ?? []);
  if (!isRecord(value) ? Array.isArray(value) && value.length === 0 : Object.keys(value).length === 0) {
    const isFilled = isRecord(live) === isRecord(value) && Object.keys(live ?? {}).length > 0;
    const isNobodys = here.every((fields) => Object.keys(fields).every((element) => element === "."));
    if (live === null || (isFilled && isNobodys)) yield { op: "replace", path: pointerOf(path), value };
  } else if (isRecord(value) && isRecord(live)) {
    for (const key of Object.keys(value))
      if (Object.hasOwn(live, key)) yield* filledIn(value[key], live[key], [...path, key], here);
  }
}

interface Owned {
  [element: string]: Owned;
}

function pointerOf(path: readonly string[]): string {
  return path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/**
 * The operations that take the `Update` entry, which the repair left, out of `managedFields`: its fields would otherwise outlive their
 * removal from the desired object. Undefined when there is no such entry.
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

function isOurUpdate(entry: ManagedFieldsEntry): boolean {
  return isOurs(entry) && entry.operation === "Update";
}

function isOurApply(entry: ManagedFieldsEntry): boolean {
  return isOurs(entry) && entry.operation === "Apply";
}

function isOurs({ manager, subresource }: ManagedFieldsEntry): boolean {
  return manager === FIELD_MANAGER && subresource === undefined;
}
