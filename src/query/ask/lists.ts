import { type Pair, type Table, type Transition } from "../table/index.ts";
import { type ListAnswer, type Partial, type Query, type Scope, type Totals } from "../types.ts";
import { causeRows, clusterRowOf, transitionRowOf, troubledCells } from "./derived.ts";
import { picked } from "./fields.ts";
import type { CelTurns, Pause } from "./celWork.ts";
import { type Compiled, compileFilter } from "./filter.ts";
import { expired, type Held, Pages, type PageSource, type Position, tokenOf } from "./pages.ts";
import { rowOf, timeOf } from "./rows.ts";
import {
  FEW,
  groupsOfCells,
  groupsOfRows,
  listed,
  type Reading,
  scan,
  sifted,
  totalsOf,
  totalsOfRows,
} from "./scan.ts";
import { checkClusters, Readable } from "./scope.ts";
import { type Found, RowOrder, sortedRows } from "./sort.ts";
import type { Versions } from "./versions.ts";

export interface ListsOptions {
  table: Table;
  versions: Versions;
  /** Epoch milliseconds. */
  now: () => number;
  /** A text that nobody can guess, without dots. */
  randomId: () => string;
  pause: Pause;
  celTurns: CelTurns;
  /** Up to so many candidates, all rows are found for the first page, and sorted. More are read page by page. */
  few?: number | undefined;
}

type RowResource = "federatedobjects" | "placedobjects";

/** Answers list queries, page by page. */
export class Lists {
  readonly #options: ListsOptions;
  readonly #pages: Pages;

  constructor(options: ListsOptions) {
    this.#options = options;
    this.#pages = new Pages(options.randomId);
  }

  async list(query: Query, scope: Scope): Promise<ListAnswer> {
    const { table } = this.#options;
    if (query.continue !== undefined) return this.#next(query, query.continue, scope);
    const now = this.#options.now();
    const reading = this.#reading(compileFilter(query.resource, query.filter, now, query.groupBy), scope, now);
    const begun = { version: table.version, partial: this.#partial(query, reading), now };
    switch (query.resource) {
      case "federatedobjects":
      case "placedobjects":
        return this.#rows(query, query.resource, reading, begun);
      case "fleetclusters":
        return this.#clusters(query, reading, begun);
      case "causes":
        return this.#causes(query, reading, begun);
      case "transitions":
        return this.#transitions(query, reading, begun);
    }
  }

  async #rows(query: Query, resource: RowResource, reading: Reading, begun: Begun): Promise<ListAnswer> {
    const { table } = this.#options;
    const { compiled, readable } = reading;
    const cells = [...compiled.cells(table)].filter(({ pair }) => readable.has(pair));
    const candidates = totalsOf(cells);
    if (query.groupBy !== undefined) {
      if (compiled.isByCells)
        return this.#answer(query, begun, { groups: groupsOfCells(cells, query.groupBy), totals: candidates });
      const found = await sifted(listed(cells), reading);
      return this.#answer(query, begun, { groups: groupsOfRows(found, query.groupBy), totals: totalsOfRows(found) });
    }
    const order = new RowOrder(resource, query.sort);
    if (candidates.count <= (this.#options.few ?? FEW)) {
      const found = sorted(await sifted(listed(cells), reading), order);
      const held = { ...begun, compiled, source: { of: "found", found } as const, totals: totalsOfRows(found) };
      return this.#page(query, reading, held, undefined, 0);
    }
    const source = { of: "snapshot", chunks: table.snapshot() } as const;
    // The cells are of this moment, as the snapshot is.
    const totals = compiled.isByCells ? candidates : undefined;
    const { limit } = query;
    const options = { resource, order, after: undefined, limit, total: totals === undefined };
    const result = await scan(source.chunks, options, reading);
    const held = { ...begun, compiled, source, totals: totals ?? result.totals };
    return this.#snapshotPage(query, reading, held, undefined, result.found, order);
  }

  #clusters(query: Query, reading: Reading, begun: Begun): Promise<ListAnswer> {
    const { table } = this.#options;
    const { compiled, readable } = reading;
    checkClusters(readable.scope);
    const names = [...table.clusters()].map(({ name }) => name).toSorted();
    const rows = names.flatMap((name) => clusterRowOf(table, name, compiled, readable) ?? []);
    const objects = rows.reduce((sum, row) => sum + row.objects, 0);
    const unready = rows.reduce((sum, row) => sum + row.unready, 0);
    const totals = { count: rows.length, ready: objects - unready, desired: objects };
    return this.#computed(query, reading, begun, { rows, totals, pairs: allReadable(table, readable) });
  }

  async #causes(query: Query, reading: Reading, begun: Begun): Promise<ListAnswer> {
    const { table } = this.#options;
    const cells = troubledCells(table, reading.compiled, reading.readable);
    const pairs = new Set(cells.map(({ pair }) => pair));
    const { rows, ready, desired } = await causeRows(cells, reading);
    const totals = { count: rows.length, ready, desired };
    return this.#computed(query, reading, begun, { rows, totals, pairs });
  }

  #transitions(query: Query, reading: Reading, begun: Begun): Promise<ListAnswer> {
    const { table } = this.#options;
    const pairs = new Set<Pair>();
    const rows = table.transitions.fleet().flatMap((transition: Transition) => {
      const row = transitionRowOf(transition, reading.compiled, reading.readable);
      if (row === undefined) return [];
      if (transition.pair !== undefined) pairs.add(transition.pair);
      return [row];
    });
    const totals = { count: rows.length, ready: 0, desired: 0 };
    return this.#computed(query, reading, begun, { rows, totals, pairs });
  }

  /** The first page of rows that were computed. */
  #computed(
    query: Query,
    reading: Reading,
    begun: Begun,
    { rows, totals, pairs }: { rows: readonly object[]; totals: Totals; pairs: ReadonlySet<Pair> },
  ): Promise<ListAnswer> {
    const source = { of: "rows", rows: sortedRows(rows, query.sort), pairs } as const;
    return this.#page(query, reading, { ...begun, compiled: reading.compiled, source, totals }, undefined, 0);
  }

  async #next(query: Query, token: string, scope: Scope): Promise<ListAnswer> {
    const { id, held, position } = this.#pages.take(token, query, scope, this.#options.now());
    return this.#page(query, this.#reading(held.compiled, scope, held.now), held, id, position);
  }

  async #page(
    query: Query,
    reading: Reading,
    held: Held,
    id: string | undefined,
    position: Position,
  ): Promise<ListAnswer> {
    const { source } = held;
    if (source.of === "snapshot") {
      if (typeof position === "number") throw expired();
      const resource = query.resource as RowResource;
      const order = new RowOrder(resource, query.sort);
      const options = { resource, order, after: position, limit: query.limit, total: false };
      const { found } = await scan(source.chunks, options, reading);
      return this.#snapshotPage(query, reading, held, id, found, order);
    }
    if (typeof position !== "number") throw expired();
    const end = position + query.limit;
    const rows = rowsBetween(source, position, end, reading);
    const length = source.of === "found" ? source.found.length : source.rows.length;
    return this.#paged(query, reading, held, id, rows, end < length ? end : undefined);
  }

  #snapshotPage(
    query: Query,
    reading: Reading,
    held: Held,
    id: string | undefined,
    found: readonly Found[],
    order: RowOrder,
  ): ListAnswer {
    const page = found.slice(0, query.limit);
    const last = page.at(-1);
    const next = found.length > query.limit && last !== undefined ? order.placeOf(last) : undefined;
    const rows = page.map(({ object, placed }) => rowOf(object, placed, held.now));
    return this.#paged(query, reading, held, id, rows, next);
  }

  #paged(
    query: Query,
    { readable }: Reading,
    held: Held,
    id: string | undefined,
    rows: readonly object[],
    next: Position | undefined,
  ): ListAnswer {
    const items = rows.map((row) => picked(query.resource, row, query.fields));
    const answer = this.#answer(query, held, { items, totals: held.totals });
    if (next !== undefined) answer.continue = tokenOf(id ?? this.#pages.keep(held, query, readable.scope), next);
    return answer;
  }

  #answer(
    _query: Query,
    { version, partial }: Begun,
    rest: Pick<ListAnswer, "items" | "groups" | "totals">,
  ): ListAnswer {
    return { ...rest, partial, resourceVersion: this.#options.versions.textOf(version) };
  }

  #reading(compiled: Compiled, scope: Scope, now: number): Reading {
    const { pause, celTurns } = this.#options;
    const pausing = { pause, celTurns };
    return { compiled, readable: new Readable(scope), ...pausing, now };
  }

  /** Clusters out of contact that have something to do with the query. */
  #partial({ resource }: Query, { compiled, readable }: Reading): Partial[] {
    const { table } = this.#options;
    const partial: Partial[] = [];
    for (const { name, region = "", stale, lastContact, reason = "ClusterUnreachable" } of table.clusters()) {
      if (!stale || !compiled.hasPlace(name, region)) continue;
      const isSeen =
        (readable.scope.mayReadClusters && resource === "fleetclusters") ||
        isOneReadable(table, name, compiled, readable);
      const time = timeOf(lastContact);
      if (isSeen) partial.push({ cluster: name, ...(time === undefined ? {} : { lastContact: time }), reason });
    }
    return partial.toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1));
  }
}

type Begun = Pick<Held, "version" | "partial" | "now">;

function isOneReadable(table: Table, cluster: string, compiled: Compiled, readable: Readable): boolean {
  for (const { pair } of table.places.with("cluster", [cluster]))
    if (compiled.hasPair(pair) && readable.has(pair)) return true;
  return false;
}

function allReadable(table: Table, readable: Readable): Set<Pair> {
  return new Set([...table.pairs()].filter((pair) => readable.has(pair)));
}

function sorted(found: readonly Found[], order: RowOrder): Found[] {
  return found
    .map((one) => ({ one, place: order.placeOf(one) }))
    .toSorted((a, b) => order.compare(a.place, b.place))
    .map(({ one }) => one);
}

/** Rows that the reader may no longer read are left out; rows that were computed from them are not shown at all. */
function rowsBetween(
  source: Exclude<PageSource, { of: "snapshot" }>,
  start: number,
  end: number,
  { readable, now }: Reading,
): object[] {
  if (source.of === "rows") {
    for (const pair of source.pairs) if (!readable.has(pair)) throw expired();
    return source.rows.slice(start, end);
  }
  return source.found
    .slice(start, end)
    .filter(({ object }) => readable.has(object.pair))
    .map(({ object, placed }) => rowOf(object, placed, now));
}
