import type { Logged, Table } from "../table/index.ts";
import { type Query, type QueryWatch, type Scope, type WatchEvent } from "../types.ts";
import { transitionRowOf } from "./derived.ts";
import { DerivedEvents } from "./derivedEvents.ts";
import { picked } from "./fields.ts";
import { type RowEvent, RowEvents, touchedBy } from "./rowEvents.ts";
import type { SharedRows } from "./rows.ts";
import { FEW, listed, type Reading, totalsOf } from "./scan.ts";
import type { Found } from "./sort.ts";
import { tooOld, type Versions } from "./versions.ts";

export interface WatchOptions {
  table: Table;
  versions: Versions;
  now: () => number;
  shared: SharedRows;
  query: Query;
  reading: Reading;
  /** Version after which the reader wants events. Undefined: all rows come first. */
  since: number | undefined;
  signal: AbortSignal | undefined;
}

/** No process has a version 0: a watch that resumes in the middle of the first rows has to begin anew. */
const INCOMPLETE = "0";

/**
 * One reader's view of the log of changes. Nothing is computed before the reader asks for the next event, so that a slow
 * reader costs nothing, until the log has forgotten what the reader did not read.
 */
export class Watch implements QueryWatch {
  readonly #options: WatchOptions;
  readonly #rows: RowEvents;
  readonly #derived: DerivedEvents | undefined;
  #position: number;
  #wake = Promise.withResolvers<void>();
  #isEnded = false;
  #isBookmarkDue = false;
  #scope: Scope | undefined;

  /** @throws {QueryError} of status 410 if the log has forgotten changes after `since` */
  constructor(options: WatchOptions) {
    const { table, query, reading, since, now, shared } = options;
    this.#options = options;
    this.#rows = new RowEvents(query, reading, now, shared);
    const isDerived = query.resource === "causes" || query.resource === "fleetclusters";
    this.#derived = isDerived ? new DerivedEvents(table, query, reading, since !== undefined) : undefined;
    const position = since === undefined ? table.log.end : table.log.after(since);
    // A version of the future is not one of this process.
    if (position === undefined || (since !== undefined && since > table.version)) throw tooOld();
    this.#position = position;
  }

  review(scope: Scope): void {
    this.#scope = scope;
    this.#wakeUp();
  }

  bookmark(): void {
    this.#isBookmarkDue = true;
    this.#wakeUp();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#wakeUp();
    return Promise.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent, void, undefined> {
    const { table, signal, since } = this.#options;
    const onAbort = (): void => void this[Symbol.asyncDispose]();
    using _subscription = table.subscribe(() => this.#wakeUp());
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) this.#isEnded = true;
    try {
      if (since === undefined && !this.#hasEnded()) yield* this.#present();
      while (!this.#hasEnded()) {
        yield* this.#changes();
        if (this.#hasEnded()) return;
        yield* this.#rescoped();
        if (this.#isBookmarkDue && this.#position === table.log.end) yield this.#bookmarkNow();
        if (this.#position < table.log.end || this.#scope !== undefined || this.#isBookmarkDue) continue;
        await this.#wake.promise;
        this.#wake = Promise.withResolvers<void>();
      }
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  #hasEnded(): boolean {
    return this.#isEnded;
  }

  #wakeUp(): void {
    this.#wake.resolve();
  }

  #bookmarkNow(version = this.#options.table.version): WatchEvent {
    this.#isBookmarkDue = false;
    return { type: "BOOKMARK", resourceVersion: this.#options.versions.textOf(version) };
  }

  async *#present(): AsyncGenerator<WatchEvent, void, undefined> {
    const { table, reading, query } = this.#options;
    // The snapshot, the version and the position are of one moment.
    const { version } = table;
    const chunks = table.snapshot();
    this.#position = table.log.end;
    if (this.#derived !== undefined) {
      for (const event of await this.#derived.present()) yield { ...event, resourceVersion: INCOMPLETE };
    } else if (query.resource === "transitions") {
      for (const transition of table.transitions.fleet().toReversed())
        for (const event of this.#transitionEvents(transition)) yield { ...event, resourceVersion: INCOMPLETE };
    } else {
      let seen = 0;
      const few = this.#fewRows();
      for (const event of few === undefined ? this.#rows.present(chunks) : this.#rows.given(few, "ADDED")) {
        if (event !== undefined) yield { ...event, resourceVersion: INCOMPLETE };
        if (++seen % 256 === 0) await reading.pause();
        if (this.#position < table.log.first) throw tooOld();
        if (this.#hasEnded()) return;
      }
    }
    yield this.#bookmarkNow(version);
  }

  /** The candidates for rows by the index; undefined if there are too many to list at once. */
  #fewRows(): Found[] | undefined {
    const { compiled, readable } = this.#options.reading;
    const cells = [...compiled.cells(this.#options.table)].filter(({ pair }) => readable.has(pair));
    return totalsOf(cells).count <= FEW ? listed(cells) : undefined;
  }

  async *#changes(): AsyncGenerator<WatchEvent, void, undefined> {
    const { table, reading } = this.#options;
    while (this.#position < table.log.end) {
      if (this.#derived !== undefined) {
        yield* this.#derivedChanges(this.#derived);
        continue;
      }
      const { version, changes } = this.#nextCommit();
      const events = changes.flatMap((change) => [...this.#eventsOf(change)]);
      yield* this.#numbered(events, version);
      await reading.pause();
      if (this.#hasEnded()) return;
    }
  }

  /** The changes of the next commit. */
  #nextCommit(): { version: number; changes: Logged[] } {
    const { log } = this.#options.table;
    const first = log.at(this.#position);
    if (first === undefined) throw tooOld();
    const changes: Logged[] = [];
    for (let next: Logged | undefined = first; next?.version === first.version; next = log.at(this.#position)) {
      changes.push(next);
      this.#position += 1;
    }
    return { version: first.version, changes };
  }

  async *#derivedChanges(derived: DerivedEvents): AsyncGenerator<WatchEvent, void, undefined> {
    const { table, reading, query } = this.#options;
    const { version } = table;
    const keys = new Set<string>();
    while (this.#position < table.log.end) {
      for (const change of this.#nextCommit().changes) {
        const { causes, clusters } = touchedBy(change, reading);
        for (const key of query.resource === "causes" ? causes : clusters) keys.add(key);
      }
    }
    yield* this.#numbered(await derived.refreshed(keys), version);
  }

  /** Only the last event of a commit has its version: whoever resumes at an earlier one gets the others again. */
  *#numbered(events: readonly RowEvent[], version: number): Iterable<WatchEvent> {
    const { versions } = this.#options;
    for (const [index, event] of events.entries()) {
      const isLast = index === events.length - 1;
      yield { ...event, resourceVersion: versions.textOf(isLast ? version : version - 1) };
    }
  }

  #eventsOf(change: Logged): Iterable<RowEvent> {
    if (this.#options.query.resource !== "transitions") return this.#rows.of(change);
    return change.of === "transition" ? this.#transitionEvents(change.transition) : [];
  }

  #transitionEvents(transition: Parameters<typeof transitionRowOf>[0]): RowEvent[] {
    const { reading, query } = this.#options;
    const row = transitionRowOf(transition, reading.compiled, reading.readable);
    return row === undefined ? [] : [{ type: "ADDED", object: picked(query.resource, row, query.fields) }];
  }

  async *#rescoped(): AsyncGenerator<WatchEvent, void, undefined> {
    const { table, reading, query } = this.#options;
    const scope = this.#scope;
    if (scope === undefined || this.#position < table.log.end) return;
    this.#scope = undefined;
    const had = reading.readable.scope.mayReadClusters;
    const { gained, lost } = reading.readable.review(scope);
    const isSame = gained.size === 0 && lost.size === 0 && had === scope.mayReadClusters;
    const { version } = table;
    if (isSame || query.resource === "transitions") return;
    if (this.#derived !== undefined) {
      yield* this.#numbered(await this.#derived.refreshed(), version);
      return;
    }
    const index = query.resource === "placedobjects" ? table.placed : table.objects;
    const namespaces = new Set([...gained, ...lost].map(({ namespace = "" }) => namespace));
    const events: RowEvent[] = [];
    for (const cell of index.with("namespace", namespaces)) {
      const type = gained.has(cell.pair) ? "ADDED" : lost.has(cell.pair) ? "DELETED" : undefined;
      if (type === undefined) continue;
      for (const event of this.#rows.given(listed([cell]), type)) if (event !== undefined) events.push(event);
    }
    yield* this.#numbered(events, version);
  }
}
