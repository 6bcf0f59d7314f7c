import type { Fields } from "./fields.ts";

/** A map or list within an object. */
export interface Place {
  value: Fields | readonly unknown[];
  key: string | number;
  /** Undefined for the object itself. */
  parent: Place | undefined;
  /** Cached by {@link pathOf}. */
  path?: string;
}

/**
 * Path of the place, such as `spec.workerGroupSpecs[0].template`; empty for the object itself. Each step is computed
 * once, even if the paths of many nested places are requested.
 */
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

/** `outer`: path of the enclosing place; undefined for the object itself. */
function pathWithin(outer: string | undefined, key: string | number): string {
  if (outer === undefined) return "";
  if (typeof key === "number") return `${outer}[${key}]`;
  return outer === "" ? key : `${outer}.${key}`;
}
