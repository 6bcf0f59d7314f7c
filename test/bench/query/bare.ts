import { objectKey } from "../../../src/query/table/index.ts";
import type { GroupRow, PlacedObjectRow, Totals } from "../../../src/query/types.ts";
import { fleetOf, OUT_OF_CONTACT } from "./fleet.ts";

/**
 * The floor: all rows in one plain sorted array, without scopes, snapshots, watches and changes. Every question is a
 * walk over the array.
 */
export class BareRows {
  readonly rows: PlacedObjectRow[] = [];

  constructor(placed: number) {
    const observedAt = "2026-01-02T00:00:00Z";
    for (const { identity, labels, policy, placed: facts } of fleetOf(placed)) {
      for (const { shape: _, since, observedAt: __, ...fact } of facts) {
        const time = since === undefined ? {} : { since: new Date(since).toISOString() };
        const row = { ...identity, ...fact, ...time, observedAt, labels };
        this.rows.push(policy === undefined ? row : { ...row, policy });
      }
    }
    this.rows.sort((a, b) => {
      const [left, right] = [keyOf(a), keyOf(b)];
      return left < right ? -1 : left > right ? 1 : 0;
    });
  }

  lose(clusters: ReadonlySet<string>): void {
    for (const row of this.rows) if (clusters.has(row.cluster)) Object.assign(row, OUT_OF_CONTACT);
  }

  /** Rows after an index, with the totals of all rows that hold. */
  page(holds: (row: PlacedObjectRow) => boolean, after: number, limit: number) {
    const totals: Totals = { count: 0, ready: 0, desired: 0 };
    const items: PlacedObjectRow[] = [];
    for (const row of this.rows) {
      if (!holds(row)) continue;
      if (totals.count >= after && items.length < limit) items.push(row);
      totals.count += 1;
      totals.ready += row.ready;
      totals.desired += row.desired;
    }
    return { items, totals, partial: [], resourceVersion: "1" };
  }

  /** A page in another order, with the totals. */
  sortedPage(compare: (a: PlacedObjectRow, b: PlacedObjectRow) => number, limit: number) {
    const { totals } = this.page(() => true, 0, 0);
    return { items: this.rows.toSorted(compare).slice(0, limit), totals };
  }

  groups(valueOf: (row: PlacedObjectRow) => string): GroupRow[] {
    const groups = new Map<string, GroupRow>();
    for (const row of this.rows) {
      const value = valueOf(row);
      const { ready, desired, since } = row;
      const group = groups.get(value);
      if (group === undefined) {
        groups.set(value, { value, count: 1, ready, desired, ...(since === undefined ? {} : { since }) });
        continue;
      }
      group.count += 1;
      group.ready += ready;
      group.desired += desired;
      if (since !== undefined && (group.since === undefined || since < group.since)) group.since = since;
    }
    return [...groups.values()];
  }
}

function keyOf(row: PlacedObjectRow): string {
  return `${row.namespace ?? ""}/${row.name}/${objectKey(row)}/${row.cluster}`;
}
