import { hasEnded, isInSync, type Observation, type Row } from "../../desiredstate/index.ts";
import type { SyncCount } from "../../observability/index.ts";

export type SyncState = "upToDate" | "outOfSync";

export class SyncCounts implements Iterable<SyncCount> {
  readonly #kinds = new Map<string, SyncCount>();

  /** Moves a member object from one state to another. Undefined: {@link syncStateOf} does not count the object. */
  move(kind: string, before: SyncState | undefined, after: SyncState | undefined): void {
    if (before === after) return;
    let count = this.#kinds.get(kind);
    if (count === undefined) this.#kinds.set(kind, (count = { kind, upToDate: 0, outOfSync: 0 }));
    if (before !== undefined) count[before] -= 1;
    if (after !== undefined) count[after] += 1;
  }

  [Symbol.iterator](): Iterator<SyncCount> {
    return this.#kinds.values();
  }
}

/**
 * Undefined if the object has no row, or is absent and not wanted. A frozen object is up to date if it has the content
 * that its plan wants.
 */
export function syncStateOf(row: Row | undefined, observation: Observation | undefined): SyncState | undefined {
  const present = observation?.present;
  switch (row?.verb) {
    case undefined:
      return undefined;
    case "Apply":
      return isInSync(row, observation) ? "upToDate" : "outOfSync";
    case "Hold":
      if (!row.wanted) return present === undefined ? undefined : "outOfSync";
      return hasEnded(row, observation) || row.hash === undefined || row.hash === present?.hash
        ? "upToDate"
        : "outOfSync";
    case "Delete":
    case "Release":
      return present === undefined ? undefined : "outOfSync";
  }
}
