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
 * The operations that empty again what an apply has emptied and the server has filled with the default of the schema: with its last item a
 * list with keys, a set or a map vanishes from the merge, since nobody owns an empty one. What others have put there stays. Only custom
 * kinds have such defaults.
 */
export function emptiedAgain(desired: KubeObject, applied: KubeObject): PatchOperation[] {
  if (!isCustomGroup(parseApiVersion(desired.apiVersion).group)) return [];
  const owned = (applied.metadata.managedFields ?? []).flatMap(({ fieldsV1 }) => fieldsV1 ?? []);
  return [...Object.keys(desired)].flatMap((field) =>
    field === "metadata" ? [] : [...filledIn(desired[field], applied[field], [field], owned)],
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
    if (isFilled && isNobodys) yield { op: "replace", path: pointerOf(path), value };
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
  return entry.manager === FIELD_MANAGER && entry.operation === "Update" && entry.subresource === undefined;
}
