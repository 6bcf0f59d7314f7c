import type { Fields } from "./fields.ts";

export interface Place {
  value: Fields | readonly unknown[];
  key: string | number;
  parent: Place | undefined;
  path?: string;
}

/** Path such as `spec.groups[0].template`; empty for the object itself. Each step is computed once. */
export function pathOf(place: Place): string {
  const untold: Place[] = [];
  let path: string | undefined;
  for (let at: Place | undefined = place; at !== undefined && path === undefined; at = at.parent) {
    path = at.path;
    if (path === undefined) untold.push(at);
  }
  for (const one of untold.toReversed()) path = one.path = pathWithin(path, one.key);
  return path ?? "";
}

function pathWithin(outer: string | undefined, key: string | number): string {
  if (outer === undefined) return "";
  if (typeof key === "number") return `${outer}[${key}]`;
  return outer === "" ? key : `${outer}.${key}`;
}
