import type { LostField } from "../interpreter/index.ts";
import { type Entry, isInSync } from "./table.ts";

/** What a lane should do about one member object now. */
export type Action =
  | { kind: "Nothing" }
  /** Not seen there: apply it, once it is certain that nobody else's object has that name. */
  | { kind: "Create" }
  /** Ours, but not as desired. `drift` holds what others took. */
  | { kind: "Update"; drift: readonly LostField[] }
  | { kind: "Delete"; uid: string }
  /** Let go of it: it stays on the member without Meridian's marks. */
  | { kind: "Release"; uid: string }
  /** A deletion that is not allowed now; the gate says when that changes. */
  | { kind: "Held" };

const nothing: Action = { kind: "Nothing" };

/**
 * Compares what should be with what is. Pure; deletes are allowed by the caller's gate only, which is closed until every
 * cache that the decision rests on has synced.
 */
export function decide(entry: Entry, deletesAllowed: boolean): Action {
  const { desired, observed } = entry;
  if (desired === undefined) {
    if (observed === undefined || observed.deleting) return nothing;
    if (!deletesAllowed) return { kind: "Held" };
    return { kind: entry.release === "Orphan" ? "Release" : "Delete", uid: observed.uid };
  }
  if (desired.mode === "Hold") return nothing;
  if (observed === undefined) return { kind: "Create" };
  // It is on its way out. When it is gone, the member's watch says so, and it is created anew.
  if (observed.deleting) return nothing;
  if (isInSync(entry)) return nothing;
  const drifted = observed.hash === desired.hash ? (entry.judged?.lost ?? []) : [];
  return { kind: "Update", drift: drifted };
}
