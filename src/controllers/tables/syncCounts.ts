import { hasEnded, isInSync, type Observation, type Row } from "../../desiredstate/index.ts";
import type { SyncCount } from "../../observability/index.ts";

export type SyncState = "upToDate" | "outOfSync";

/** How many member objects of each kind are as their rows say; kept with every change, so that reading costs nothing. */
export class SyncCounts implements Iterable<SyncCount> {
  readonly #kinds = new Map<string, SyncCount>();

  /** A member object of that kind was in one state and is in another; undefined: nothing is asked for, or nothing is there to be removed. */
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

/** Whether the member object is as its row says. What is frozen is as it is to be when it has what its plan wants. */
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
