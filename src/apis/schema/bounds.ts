/** Checked before any code recurses into a value, copies it or matches patterns on it. */

/** etcd's default limit for one object. */
const LARGEST_OBJECT_BYTES = 1.5 * 1024 * 1024;

/**
 * The API server allows 10,000 levels in a value without a schema, more than a recursive function survives. What people
 * write has a few dozen.
 */
const DEEPEST_LEVELS = 100;

export interface Bounds {
  bytes: number;
  levels: number;
}

/** For one object, on the hub and as rendered for a member. */
export const OBJECT_BOUNDS: Bounds = { bytes: LARGEST_OBJECT_BYTES, levels: DEEPEST_LEVELS };

export interface Extent {
  /** About as JSON; a character counts as one byte, up to a passed bound. */
  bytes: number;
  exceeds?: "bytes" | "levels";
}

interface Open {
  members: readonly unknown[];
  /** Keys of a map, in the order of `members`; undefined for a list. */
  keys: readonly string[] | undefined;
  next: number;
}

/**
 * Stops at the first bound that the value passes. A part in several places counts each time, as in the JSON text, so
 * the bounds limit the work. Does not recurse.
 */
export function extentOf(value: unknown, { bytes: most, levels }: Bounds): Extent {
  let bytes = 0;
  let current = value;
  const path: Open[] = [];
  for (;;) {
    if (typeof current === "object" && current !== null) {
      if (path.length >= levels) return { bytes, exceeds: "levels" };
      path.push(opened(current));
      bytes += 2;
    } else bytes += typeof current === "string" ? current.length + 2 : 4;

    let open = path.at(-1);
    while (open !== undefined && open.next === open.members.length) {
      path.pop();
      open = path.at(-1);
    }
    if (bytes > most) return { bytes, exceeds: "bytes" };
    if (open === undefined) return { bytes };
    bytes += 1 + (open.keys === undefined ? 0 : (open.keys[open.next]?.length ?? 0) + 3);
    current = open.members[open.next++];
  }
}

function opened(value: object): Open {
  if (Array.isArray(value)) return { members: value, keys: undefined, next: 0 };
  return { members: Object.values(value), keys: Object.keys(value), next: 0 };
}

/** To follow the name of the value; undefined within the bounds. */
export function excessOf({ exceeds }: Extent, { bytes, levels }: Bounds): string | undefined {
  if (exceeds === undefined) return undefined;
  return exceeds === "levels" ? `is nested deeper than ${levels} levels` : `is larger than ${bytes} bytes`;
}

/** {@link excessOf} for a value. */
export function excess(value: unknown, bounds: Bounds = OBJECT_BOUNDS): string | undefined {
  return excessOf(extentOf(value, bounds), bounds);
}
