/** How large and how deep a value may be, asked before anything walks it that recurses, copies or matches patterns. */

/** What etcd takes of one object unless it is configured otherwise. */
const LARGEST_OBJECT_BYTES = 1.5 * 1024 * 1024;

/**
 * Levels of maps and lists. The API server lets a value of any form have 10,000 of them, which is more than a recursion survives; objects
 * that people write have a few dozen.
 */
const DEEPEST_LEVELS = 100;

export interface Bounds {
  bytes: number;
  levels: number;
}

/** Of one object, as it is on the hub and as it is rendered for a member. */
export const OBJECT_BOUNDS: Bounds = { bytes: LARGEST_OBJECT_BYTES, levels: DEEPEST_LEVELS };

export interface Extent {
  /** As JSON, about: a character counts as one byte. At the bound that is passed, what was counted by then. */
  bytes: number;
  /** The bound that is passed; undefined when the whole value is within. */
  exceeds?: "bytes" | "levels";
}

/** A map or list that is being walked. */
interface Open {
  members: readonly unknown[];
  /** Of a map, in the order of its members. */
  keys: readonly string[] | undefined;
  next: number;
}

/**
 * Measures a JSON value and stops at the first bound that it passes. A part that stands in many places counts in each of them, as it would
 * when written as text, so that the work is bounded by the bounds and not by the value. Nothing recurses.
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

/** What is wrong with the extent, fit to follow the name of the value; undefined when it is within the bounds. */
export function excessOf({ exceeds }: Extent, { bytes, levels }: Bounds): string | undefined {
  if (exceeds === undefined) return undefined;
  return exceeds === "levels" ? `is nested deeper than ${levels} levels` : `is larger than ${bytes} bytes`;
}

/** As {@link excessOf}, of a value. */
export function excess(value: unknown, bounds: Bounds = OBJECT_BOUNDS): string | undefined {
  return excessOf(extentOf(value, bounds), bounds);
}
