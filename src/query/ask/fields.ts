import type { Resource } from "../types.ts";

/** Fields of rows, of which `fields` may name a part with dots. */
export const FIELDS = {
  federatedobjects: [
    ...["kind", "group", "namespace", "name", "uid", "generation", "policy", "state", "reason", "message"],
    ...["ready", "desired", "clusters", "worst", "since", "change", "waits", "observedAt", "stale", "labels"],
    "createdAt",
  ],
  placedobjects: [
    ...["kind", "group", "namespace", "name", "cluster", "region", "state", "reason", "message", "ready", "desired"],
    ...["since", "observedAt", "stale", "labels", "policy"],
  ],
  fleetclusters: [
    ...["name", "region", "state", "reason", "message", "lastContact", "kubernetesVersion", "objects", "unready"],
    ...["since", "stale", "labels"],
  ],
  causes: ["reason", "shape", "objects", "clusters", "since", "sample", "change"],
  transitions: ["at", "object", "cluster", "from", "to", "reason", "message", "because", "eventId"],
} as const satisfies Record<Resource, readonly string[]>;

const IDENTITY: Readonly<Record<Resource, readonly string[]>> = {
  federatedobjects: ["kind", "group", "namespace", "name"],
  placedobjects: ["kind", "group", "namespace", "name", "cluster"],
  fleetclusters: ["name"],
  causes: ["reason", "shape"],
  transitions: ["at", "object", "cluster"],
};

/** The identity of a row and the fields that were asked for; the row itself without `fields`. */
export function picked(resource: Resource, row: object, fields: readonly string[] | undefined): object {
  if (fields === undefined) return row;
  const result: Record<string, unknown> = {};
  for (const path of [...IDENTITY[resource], ...fields]) copyPath(row, result, path.split("."));
  return result;
}

function copyPath(from: object, to: Record<string, unknown>, [first = "", ...rest]: string[]): void {
  if (!Object.hasOwn(from, first)) return;
  const value = (from as Record<string, unknown>)[first];
  if (rest.length === 0 || !isFields(value)) {
    if (rest.length === 0) setOwn(to, first, value);
    return;
  }
  const known = Object.hasOwn(to, first) ? to[first] : undefined;
  // All of it was asked for.
  if (known === value) return;
  const part = isFields(known) ? known : {};
  setOwn(to, first, part);
  copyPath(value, part, rest);
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A label may be named `__proto__`. */
function setOwn(to: object, name: string, value: unknown): void {
  Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true });
}
