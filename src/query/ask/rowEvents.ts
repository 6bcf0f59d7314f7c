import { causeKey, type Chunks, type Logged, objectsFrom, type ObjectValue, type PlacedValue } from "../table/index.ts";
import { compareText, type Query } from "../types.ts";
import { picked } from "./fields.ts";
import { rowOf, type SharedRows } from "./rows.ts";
import type { Reading } from "./scan.ts";
import type { Found } from "./sort.ts";

export interface RowEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  object: object;
}

type Row = ObjectValue | PlacedValue;

/** Events of objects or placed objects: of each change that the filter lets through before or after. */
export class RowEvents {
  readonly #query: Query;
  readonly #reading: Reading;
  readonly #now: () => number;

  readonly #shared: SharedRows;

  constructor(query: Query, reading: Reading, now: () => number, shared: SharedRows) {
    this.#query = query;
    this.#reading = reading;
    this.#now = now;
    this.#shared = shared;
  }

  /** All rows of a snapshot; undefined for a row that is not shown. */
  *present(chunks: Chunks): Iterable<RowEvent | undefined> {
    for (const object of objectsFrom(chunks)) {
      for (const placed of this.#ofPlaced ? object.placed : [undefined])
        yield this.#accepts(object, placed) ? this.#event("ADDED", object, placed) : undefined;
    }
  }

  *of(change: Logged): Iterable<RowEvent> {
    if (change.of !== "object") return;
    const { before, after } = change;
    if (!this.#ofPlaced) {
      yield* this.#between(before, undefined, after, undefined);
      return;
    }
    for (const [old, now] of matched(before?.placed ?? [], after?.placed ?? [])) {
      const isSame = old === now && sameParts(before, after);
      if (!isSame) yield* this.#between(before, old, after, now);
    }
  }

  /** Events of rows whatever the scope says of them; undefined for a row that the filter keeps back. */
  *given(rows: readonly Found[], type: "ADDED" | "DELETED"): Iterable<RowEvent | undefined> {
    const { compiled } = this.#reading;
    for (const { object, placed } of rows) {
      const isShown = compiled.accepts(object, placed) && this.#hasCel(object, placed);
      yield isShown ? this.#event(type, object, placed) : undefined;
    }
  }

  *#between(
    before: ObjectValue | undefined,
    old: PlacedValue | undefined,
    after: ObjectValue | undefined,
    now: PlacedValue | undefined,
  ): Iterable<RowEvent> {
    const isRow = (object: ObjectValue | undefined, placed: Row | undefined): object is ObjectValue =>
      object !== undefined && (!this.#ofPlaced || placed !== undefined);
    const was = isRow(before, old) && this.#accepts(before, old);
    const is = isRow(after, now) && this.#accepts(after, now);
    if (is && after !== undefined) yield this.#event(was ? "MODIFIED" : "ADDED", after, now);
    else if (was && before !== undefined) yield this.#event("DELETED", before, old);
  }

  #accepts(object: ObjectValue, placed: PlacedValue | undefined): boolean {
    const { compiled, readable } = this.#reading;
    return readable.has(object.pair) && compiled.accepts(object, placed) && this.#hasCel(object, placed);
  }

  #hasCel(object: ObjectValue, placed: PlacedValue | undefined): boolean {
    const { cel } = this.#reading.compiled;
    return cel === undefined || cel(rowOf(object, placed, this.#now()));
  }

  #event(type: RowEvent["type"], object: ObjectValue, placed: PlacedValue | undefined): RowEvent {
    const { resource, fields } = this.#query;
    return { type, object: picked(resource, this.#shared.of(object, placed, this.#now()), fields) };
  }

  get #ofPlaced(): boolean {
    return this.#query.resource === "placedobjects";
  }
}

/** Fields of the object that its placed rows show, or that filters read. */
function sameParts(a: ObjectValue | undefined, b: ObjectValue | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.policy === b.policy && a.labels === b.labels && a.waits === b.waits;
}

/** Rows of the same cluster in two lists that are sorted by cluster. */
function* matched(
  before: readonly PlacedValue[],
  after: readonly PlacedValue[],
): Iterable<[old: PlacedValue | undefined, now: PlacedValue | undefined]> {
  let [left, right] = [0, 0];
  while (left < before.length || right < after.length) {
    const [old, now] = [before[left], after[right]];
    const order = old === undefined ? 1 : now === undefined ? -1 : compareText(old.cluster, now.cluster);
    if (order <= 0) left += 1;
    if (order >= 0) right += 1;
    yield [order <= 0 ? old : undefined, order >= 0 ? now : undefined];
  }
}

/** The causes and clusters that a change may concern. */
export function touchedBy(change: Logged, { readable }: Reading): { causes: Set<string>; clusters: Set<string> } {
  const causes = new Set<string>();
  const clusters = new Set<string>();
  if (change.of === "cluster") clusters.add(change.name);
  if (change.of !== "object") return { causes, clusters };
  for (const object of [change.before, change.after]) {
    if (object === undefined || !readable.has(object.pair)) continue;
    for (const { reason, shape } of [object, ...object.placed]) causes.add(causeKey(reason, shape));
    for (const { cluster } of object.placed) clusters.add(cluster);
  }
  causes.delete("");
  return { causes, clusters };
}
