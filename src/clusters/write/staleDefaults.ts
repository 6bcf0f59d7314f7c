import { FIELD_MANAGER, type FieldsV1, isRecord, type KubeObject } from "../../apis/index.ts";
import type { ApiError } from "../../runtime/index.ts";
import type { PatchOperation } from "./listRepair.ts";

/**
 * Operations for a refused apply that remove a default of the member and set the changed values beside it. Nobody owns
 * a default, so `updateStrategy.rollingUpdate` stays when the type becomes `OnDelete`, and the server refuses the pair.
 */
export function staleDefaults(desired: KubeObject, live: KubeObject, refusal: ApiError): PatchOperation[] {
  const operations = new Map<string, PatchOperation>();
  for (const { field = "" } of refusal.details?.causes ?? []) {
    if (!/^[\w-]+(?:\.[\w-]+)+$/.test(field) || field.startsWith("metadata.")) continue;
    for (const operation of without(field.split("."), desired, live)) operations.set(operation.path, operation);
  }
  return [...operations.values()];
}

function without(steps: readonly string[], desired: KubeObject, live: KubeObject): PatchOperation[] {
  const parent = steps.slice(0, -1);
  const name = steps.at(-1) ?? "";
  const wanted = at(desired, parent);
  const there = at(live, parent);
  if (!isRecord(wanted) || !isRecord(there) || Object.hasOwn(wanted, name) || !Object.hasOwn(there, name)) return [];
  if (
    live.metadata.managedFields?.some((entry) => entry.manager !== FIELD_MANAGER && owns(entry.fieldsV1, steps)) ===
    true
  )
    return [];
  const pointer = (field: string): string => `/${[...parent, field].join("/")}`;
  const changes = Object.entries(wanted).filter(([key, value]) => isScalar(value) && value !== there[key]);
  if (changes.length === 0) return [];
  return [
    { op: "remove", path: pointer(name) },
    ...changes.map(([key, value]): PatchOperation => ({ op: "add", path: pointer(key), value })),
  ];
}

function at(object: KubeObject, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), object);
}

function owns(fields: FieldsV1 | undefined, steps: readonly string[]): boolean {
  return steps.reduce<FieldsV1 | undefined>((node, step) => node?.[`f:${step}`], fields) !== undefined;
}

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;
