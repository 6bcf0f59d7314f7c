import type { Pair } from "./pairs.ts";

/** Numbers that every row of the table has, and its place in the index. */
export interface Tallied {
  readonly ready: number;
  readonly desired: number;
  /** Epoch milliseconds. */
  readonly since: number | undefined;
  /** Written by the indexes alone. */
  cell: Cell | undefined;
  at: number;
  placeCell: Cell | undefined;
  placeAt: number;
}

/** What rows are filtered and grouped by. Empty: no value. */
export interface Dimensions {
  readonly pair: Pair;
  readonly cluster: string;
  readonly region: string;
  readonly state: string;
  readonly reason: string;
  readonly policy: string;
  /** Only of placed objects in trouble, and of objects in trouble of which no copy is. */
  readonly shape: string;
}

/** The rows that agree in every dimension, with their sums. */
export interface Cell<T extends Tallied = Tallied> extends Dimensions {
  readonly key: string;
  readonly rows: T[];
  ready: number;
  desired: number;
  /** The smallest `since`. Infinity: no row has one. NaN: to be computed again. */
  oldest: number;
}

const INDEXED = ["namespace", "cluster", "region", "state", "reason", "cause"] as const;
export type Indexed = (typeof INDEXED)[number];

/**
 * An index of rows that also has their sums. Filters and groupings by dimensions read cells, of which there are far
 * fewer than rows.
 */
export class Cells<T extends Tallied> {
  readonly #cell: "cell" | "placeCell";
  readonly #at: "at" | "placeAt";
  readonly #cells = new Map<string, Cell<T>>();
  readonly #index: Readonly<Record<Indexed, Map<string, Set<Cell<T>>>>>;

  /** `slot`: fields of the rows for this index. A row may be in two indexes. */
  constructor(slot: "main" | "place" = "main") {
    this.#cell = slot === "main" ? "cell" : "placeCell";
    this.#at = slot === "main" ? "at" : "placeAt";
    this.#index = Object.fromEntries(INDEXED.map((name) => [name, new Map()])) as never;
  }

  add(row: T, dimensions: Dimensions): void {
    const cell = this.#cellOf(dimensions);
    row[this.#cell] = cell;
    row[this.#at] = cell.rows.length;
    cell.rows.push(row);
    cell.ready += row.ready;
    cell.desired += row.desired;
    if (row.since !== undefined && row.since < cell.oldest) cell.oldest = row.since;
  }

  remove(row: T): void {
    const cell = row[this.#cell] as Cell<T> | undefined;
    if (cell === undefined) return;
    const last = cell.rows.pop();
    if (last !== undefined && last !== row) {
      cell.rows[row[this.#at]] = last;
      last[this.#at] = row[this.#at];
    }
    row[this.#cell] = undefined;
    cell.ready -= row.ready;
    cell.desired -= row.desired;
    if (row.since === cell.oldest) cell.oldest = Number.NaN;
    if (cell.rows.length === 0) this.#drop(cell);
  }

  all(): Iterable<Cell<T>> {
    return this.#cells.values();
  }

  /** The cells with one of the values. */
  *with(dimension: Indexed, values: Iterable<string>): Iterable<Cell<T>> {
    for (const value of values) yield* this.#index[dimension].get(value) ?? [];
  }

  /** Number of the cells with one of the values. */
  sizeOf(dimension: Indexed, values: Iterable<string>): number {
    let size = 0;
    for (const value of values) size += this.#index[dimension].get(value)?.size ?? 0;
    return size;
  }

  valuesOf(dimension: Indexed): Iterable<string> {
    return this.#index[dimension].keys();
  }

  #cellOf(dimensions: Dimensions): Cell<T> {
    const { pair, cluster, region, state, reason, policy, shape } = dimensions;
    const { namespace = "", kindKey } = pair;
    const key = `${namespace}\0${kindKey}\0${cluster}\0${region}\0${state}\0${reason}\0${policy}\0${shape}`;
    let cell = this.#cells.get(key);
    if (cell !== undefined) return cell;
    cell = { ...dimensions, key, rows: [], ready: 0, desired: 0, oldest: Number.POSITIVE_INFINITY };
    this.#cells.set(key, cell);
    for (const name of INDEXED) {
      const value = valueIn(cell, name);
      const index = this.#index[name];
      const same = index.get(value);
      if (same === undefined) index.set(value, new Set([cell]));
      else same.add(cell);
    }
    return cell;
  }

  #drop(cell: Cell<T>): void {
    this.#cells.delete(cell.key);
    for (const name of INDEXED) {
      const value = valueIn(cell, name);
      const same = this.#index[name].get(value);
      same?.delete(cell);
      if (same?.size === 0) this.#index[name].delete(value);
    }
  }
}

/** The smallest `since` of the rows; undefined if no row has one. */
export function oldestIn(cell: Cell): number | undefined {
  if (Number.isNaN(cell.oldest)) {
    cell.oldest = Number.POSITIVE_INFINITY;
    for (const { since } of cell.rows) if (since !== undefined && since < cell.oldest) cell.oldest = since;
  }
  return cell.oldest === Number.POSITIVE_INFINITY ? undefined : cell.oldest;
}

/** A reason with a message shape. Empty for a row that is in no trouble. */
export function causeKey(reason: string | undefined, shape: string | undefined): string {
  return shape === undefined || shape === "" ? "" : `${reason ?? ""}\0${shape}`;
}

function valueIn(cell: Dimensions, name: Indexed): string {
  if (name === "namespace") return cell.pair.namespace ?? "";
  return name === "cause" ? causeKey(cell.reason, cell.shape) : cell[name];
}
