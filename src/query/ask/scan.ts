import { type Cell, type Chunks, objectsFrom, type ObjectValue, oldestIn, type PlacedValue } from "../table/index.ts";
import { type Grouping, type GroupRow, type Totals } from "../types.ts";
import { type CelTurns, CelWork, type Pause } from "./celWork.ts";
import type { Compiled } from "./filter.ts";
import { rowOf, timeOf } from "./rows.ts";
import type { Readable } from "./scope.ts";
import type { Found, Place, RowOrder } from "./sort.ts";

export interface Reading {
  compiled: Compiled;
  readable: Readable;
  pause: Pause;
  celTurns: CelTurns;
  /** Epoch milliseconds of the query. */
  now: number;
}

/** So many rows are found at once, and sorted. */
export const FEW = 20_000;

const ROWS_BETWEEN_PAUSES = 256;

/** Tests rows one after another, and pauses when the turn of the event loop has been used. */
export class Sieve implements Disposable {
  readonly #reading: Reading;
  readonly #cel: CelWork | undefined;
  #untilPause = ROWS_BETWEEN_PAUSES;

  constructor(reading: Reading) {
    const { compiled, celTurns, pause } = reading;
    this.#reading = reading;
    this.#cel = compiled.cel === undefined ? undefined : new CelWork(celTurns, pause);
  }

  [Symbol.dispose](): void {
    this.#cel?.[Symbol.dispose]();
  }

  /** Undefined, or what to wait for before the next row. */
  pause(): Promise<void> | undefined {
    if (this.#cel !== undefined) return this.#cel.next();
    this.#untilPause -= 1;
    if (this.#untilPause > 0) return undefined;
    this.#untilPause = ROWS_BETWEEN_PAUSES;
    return this.#reading.pause();
  }

  /** Of all rows of the object. */
  acceptsObject(object: ObjectValue): boolean {
    const { compiled, readable } = this.#reading;
    return readable.has(object.pair) && compiled.acceptsObject(object);
  }

  /** Of one row, if the object is accepted. */
  acceptsRow(object: ObjectValue, placed: PlacedValue | undefined): boolean {
    const { compiled, now } = this.#reading;
    if (!compiled.acceptsRow(object, placed)) return false;
    if (compiled.cel === undefined) return true;
    this.#cel?.count();
    return compiled.cel(rowOf(object, placed, now));
  }
}

/** The rows of cells. They are listed at once, since cells change; values do not. */
export function listed(cells: readonly (Cell<ObjectValue> | Cell<PlacedValue>)[]): Found[] {
  const found: Found[] = [];
  for (const { rows } of cells) {
    for (const row of rows) {
      if ("placed" in row) found.push({ object: row, placed: undefined });
      else if (row.entry.value !== undefined) found.push({ object: row.entry.value, placed: row });
    }
  }
  return found;
}

export async function sifted(found: readonly Found[], reading: Reading): Promise<Found[]> {
  using sieve = new Sieve(reading);
  const kept: Found[] = [];
  for (const one of found) {
    const pause = sieve.pause();
    if (pause !== undefined) await pause;
    if (sieve.acceptsObject(one.object) && sieve.acceptsRow(one.object, one.placed)) kept.push(one);
  }
  return kept;
}

export interface ScanOptions {
  resource: "federatedobjects" | "placedobjects";
  order: RowOrder;
  after: Place | undefined;
  limit: number;
  /** Count everything that the filter lets through, instead of stopping at the limit. */
  total: boolean;
}

/** The first rows after a place, one more than the limit if there are more. */
export async function scan(
  chunks: Chunks,
  { resource, order, after, limit, total }: ScanOptions,
  reading: Reading,
): Promise<{ found: Found[]; totals: Totals }> {
  using sieve = new Sieve(reading);
  const totals: Totals = { count: 0, ready: 0, desired: 0 };
  const first = new First(order, limit + 1);
  const canStop = order.isOfTable && !total;
  const { acceptsEveryRow } = reading.compiled;
  for (const object of objectsFrom(chunks, canStop ? after?.identity : undefined)) {
    if (canStop && first.isFull) break;
    if (!sieve.acceptsObject(object)) {
      const pause = sieve.pause();
      if (pause !== undefined) await pause;
      continue;
    }
    const rows = resource === "placedobjects" ? object.placed : ITSELF;
    if (acceptsEveryRow && order.isOfTable && first.isFull) {
      const pause = sieve.pause();
      if (pause !== undefined) await pause;
      for (const placed of rows) count(totals, placed ?? object);
      continue;
    }
    for (const placed of rows) {
      const pause = sieve.pause();
      if (pause !== undefined) await pause;
      if (!sieve.acceptsRow(object, placed)) continue;
      count(totals, placed ?? object);
      if (order.isOfTable && first.isFull) continue;
      const found = { object, placed };
      const place = order.placeOf(found);
      if (after === undefined || order.compare(place, after) > 0) first.offer(found, place);
    }
  }
  return { found: first.found, totals };
}

function count(totals: Totals, { ready, desired }: { ready: number; desired: number }): void {
  totals.count += 1;
  totals.ready += ready;
  totals.desired += desired;
}

const ITSELF: readonly undefined[] = [undefined];

/** The first rows of those that are offered. */
class First {
  readonly #order: RowOrder;
  readonly #most: number;
  readonly #kept: { found: Found; place: Place }[] = [];

  constructor(order: RowOrder, most: number) {
    this.#order = order;
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#kept.length >= this.#most;
  }

  get found(): Found[] {
    return this.#kept.map(({ found }) => found);
  }

  offer(found: Found, place: Place): void {
    const last = this.#kept.at(-1);
    if (this.isFull && last !== undefined && this.#order.compare(place, last.place) >= 0) return;
    let low = 0;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const there = this.#kept[middle];
      if (there !== undefined && this.#order.compare(there.place, place) <= 0) low = middle + 1;
      else high = middle;
    }
    this.#kept.splice(low, 0, { found, place });
    if (this.#kept.length > this.#most) this.#kept.pop();
  }
}

export function totalsOf(cells: Iterable<Pick<Cell, "rows" | "ready" | "desired">>): Totals {
  const totals: Totals = { count: 0, ready: 0, desired: 0 };
  for (const { rows, ready, desired } of cells) {
    totals.count += rows.length;
    totals.ready += ready;
    totals.desired += desired;
  }
  return totals;
}

export function totalsOfRows(found: readonly Found[]): Totals {
  const totals: Totals = { count: found.length, ready: 0, desired: 0 };
  for (const { object, placed } of found) {
    totals.ready += (placed ?? object).ready;
    totals.desired += (placed ?? object).desired;
  }
  return totals;
}

interface Group {
  count: number;
  ready: number;
  desired: number;
  oldest: number;
}

/** Groups, those with the most rows first. */
class Groups {
  readonly #groups = new Map<string, Group>();

  add(value: string, { count, ready, desired, oldest }: Group): void {
    const group = this.#groups.get(value);
    if (group === undefined) {
      this.#groups.set(value, { count, ready, desired, oldest });
      return;
    }
    group.count += count;
    group.ready += ready;
    group.desired += desired;
    if (oldest < group.oldest) group.oldest = oldest;
  }

  rows(): GroupRow[] {
    const rows = [...this.#groups].map(([value, { count, ready, desired, oldest }]): GroupRow => {
      const since = oldest === Number.POSITIVE_INFINITY ? undefined : timeOf(oldest);
      return { value, count, ready, desired, ...(since === undefined ? {} : { since }) };
    });
    return rows.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  }
}

export function groupsOfCells(cells: Iterable<Cell>, groupBy: Grouping): GroupRow[] {
  const groups = new Groups();
  for (const cell of cells) {
    const { rows, ready, desired } = cell;
    const oldest = oldestIn(cell) ?? Number.POSITIVE_INFINITY;
    groups.add(groupOf(cell, groupBy), { count: rows.length, ready, desired, oldest });
  }
  return groups.rows();
}

export function groupsOfRows(found: readonly Found[], groupBy: Grouping): GroupRow[] {
  const groups = new Groups();
  for (const { object, placed } of found) {
    const { state, reason = "", ready, desired, since: oldest = Number.POSITIVE_INFINITY } = placed ?? object;
    const { cluster = "", region = "" } = placed ?? {};
    const dimensions = { pair: object.pair, policy: object.policy ?? "", cluster, region, state, reason };
    groups.add(groupOf(dimensions, groupBy), { count: 1, ready, desired, oldest });
  }
  return groups.rows();
}

function groupOf(
  dimensions: Pick<Cell, "pair" | "cluster" | "region" | "reason" | "policy">,
  groupBy: Grouping,
): string {
  if (groupBy === "namespace") return dimensions.pair.namespace ?? "";
  return groupBy === "kind" ? dimensions.pair.kindKey : dimensions[groupBy];
}
