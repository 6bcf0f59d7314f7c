import { type Table } from "../table/index.ts";
import type { CauseRow, FleetClusterRow, Query } from "../types.ts";
import { byWeight, causeRows, clusterRowOf, keyOfCause, presentCauses, troubledCells } from "./derived.ts";
import { picked } from "./fields.ts";
import type { RowEvent } from "./rowEvents.ts";
import type { Reading } from "./scan.ts";

/**
 * Events of rows that are computed from others: causes and clusters. The rows that a change may concern are computed
 * again and compared with what the reader has.
 */
export class DerivedEvents {
  readonly #table: Table;
  readonly #query: Query;
  readonly #reading: Reading;
  /** What the reader has, as JSON. */
  readonly #known = new Map<string, { text: string; row: object }>();
  /** The reader has rows from before that are not in {@link #known}. */
  readonly #isResumed: boolean;
  readonly #told = new Set<string>();

  constructor(table: Table, query: Query, reading: Reading, isResumed: boolean) {
    this.#table = table;
    this.#query = query;
    this.#reading = reading;
    this.#isResumed = isResumed;
  }

  async present(): Promise<RowEvent[]> {
    return this.refreshed(this.#allKeys());
  }

  /** Events of the rows that differ from what the reader has. Undefined: all rows. */
  async refreshed(keys: ReadonlySet<string> = this.#allKeys()): Promise<RowEvent[]> {
    const rows = await this.#rowsOf(keys);
    const events: RowEvent[] = [];
    for (const [key, row] of rows) {
      const text = JSON.stringify(row);
      const known = this.#known.get(key);
      if (known?.text === text) continue;
      this.#known.set(key, { text, row });
      const isNew = known === undefined && !this.#mayHave(key);
      events.push({ type: isNew ? "ADDED" : "MODIFIED", object: this.#picked(row) });
      this.#told.add(key);
    }
    for (const key of keys) {
      if (rows.has(key)) continue;
      const known = this.#known.get(key);
      this.#known.delete(key);
      const row = known?.row ?? (this.#mayHave(key) ? this.#identityOf(key) : undefined);
      if (row !== undefined) events.push({ type: "DELETED", object: this.#picked(row) });
      this.#told.add(key);
    }
    return events;
  }

  /** True if the reader may have the row from before the watch was resumed. */
  #mayHave(key: string): boolean {
    return this.#isResumed && !this.#told.has(key);
  }

  async #rowsOf(keys: ReadonlySet<string>): Promise<Map<string, CauseRow | FleetClusterRow>> {
    const { compiled, readable } = this.#reading;
    if (this.#ofCauses) {
      const { rows } = await causeRows(troubledCells(this.#table, compiled, readable, keys), this.#reading);
      return new Map(rows.toSorted(byWeight).map((row) => [keyOfCause(row), row]));
    }
    const rows = new Map<string, FleetClusterRow>();
    if (!readable.scope.mayReadClusters) return rows;
    for (const name of keys) {
      const row = clusterRowOf(this.#table, name, compiled, readable);
      if (row !== undefined) rows.set(name, row);
    }
    return rows;
  }

  #allKeys(): Set<string> {
    const table = this.#table;
    const present = this.#ofCauses ? presentCauses(table) : [...table.clusters()].map(({ name }) => name);
    return new Set([...present, ...this.#known.keys()]);
  }

  #identityOf(key: string): object {
    if (!this.#ofCauses) return { name: key };
    const [reason = "", shape = ""] = key.split("\0");
    return { reason, shape };
  }

  #picked(row: object): object {
    return picked(this.#query.resource, row, this.#query.fields);
  }

  get #ofCauses(): boolean {
    return this.#query.resource === "causes";
  }
}
