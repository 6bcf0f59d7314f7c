import { compileCondition } from "../../interpreter/index.ts";
import type { Cell, Cells, Indexed, ObjectValue, PlacedValue, Table } from "../table/index.ts";
import { type Filter, type Grouping, type Moment, badRequest, type Resource } from "../types.ts";
import { matchesExpressions } from "../../apis/index.ts";

/** What a filter says of dimensions: all that cells can answer. */
interface Wanted {
  namespace: ReadonlySet<string> | undefined;
  kind: readonly string[] | undefined;
  cluster: ReadonlySet<string> | undefined;
  region: ReadonlySet<string> | undefined;
  state: ReadonlySet<string> | undefined;
  reason: ReadonlySet<string> | undefined;
  policy: readonly string[] | undefined;
}

type Dimensioned = Pick<Cell, "pair" | "cluster" | "region" | "state" | "reason" | "policy">;
type Condition = (object: ObjectValue, placed: PlacedValue | undefined) => boolean;

/** A filter that is ready to be applied. `now` of the query has taken the place of durations. */
export interface Compiled {
  /** Cells answer the whole filter. */
  readonly isByCells: boolean;
  /** Everything but CEL. */
  accepts: Condition;
  /** The parts of {@link accepts} that are the same for all rows of an object, and the others. */
  acceptsObject(object: ObjectValue): boolean;
  acceptsRow: Condition;
  /** True if an object that is accepted is so with all of its rows. */
  readonly acceptsEveryRow: boolean;
  /** By the JSON row. Undefined: the filter has no CEL. */
  readonly cel: ((row: object) => boolean) | undefined;
  /** Of dimensions alone, and for the rows that cells are about. */
  hasCell(cell: Cell): boolean;
  hasName(name: string): boolean;
  hasLabels(labels: Readonly<Record<string, string>>): boolean;
  /** The filter names something that only objects have. */
  readonly isOfObjects: boolean;
  /** Of namespace and kind alone. */
  hasPair(pair: Cell["pair"]): boolean;
  hasPlace(cluster: string, region: string): boolean;
  /** For rows that are not in the index. */
  hasState(state: string, reason: string): boolean;
  isSince(since: number | undefined): boolean;
  /** The cells of the rows that may be accepted. */
  cells(table: Table): Iterable<Cell<ObjectValue> | Cell<PlacedValue>>;
  /** The index of placed objects that knows most of the filter. */
  placedIn(table: Table): Cells<PlacedValue>;
}

/** @throws {QueryError} of status 400 for a mistake in the CEL expression */
export function compileFilter(resource: Resource, filter: Filter, now: number, groupBy?: Grouping): Compiled {
  const wanted = wantedOf(filter);
  const ofObjects = resource === "federatedobjects";
  const hasTimes = timesOf(filter, now);
  const ofObject = objectConditions(filter);
  const ofRow = rowConditions(hasTimes, ofObjects ? wanted : undefined);
  const ofPlaces =
    (!ofObjects && [filter.cluster, filter.region].some((one) => one !== undefined)) ||
    groupBy === "cluster" ||
    groupBy === "region";
  const ofRows = ofObjects ? { ...wanted, cluster: undefined, region: undefined } : wanted;
  const byCells = ofPlaces ? { ...ofRows, policy: undefined } : ofRows;
  const needsPolicy = filter.policy !== undefined || groupBy === "policy";
  const cel = filter.cel === undefined ? undefined : celOf(filter.cel);
  const acceptsObject = (object: ObjectValue): boolean =>
    isPairWanted(wanted, object.pair) &&
    isPolicyWanted(wanted.policy, object.policy ?? "") &&
    ofObject.every((condition) => condition(object));
  const acceptsRow: Condition = (object, placed) =>
    isRowWanted(ofRows, object, placed) && ofRow.every((condition) => condition(object, placed));
  return {
    isByCells: ofObject.length === 0 && ofRow.length === 0 && cel === undefined && !(ofPlaces && needsPolicy),
    accepts: (object, placed) => acceptsObject(object) && acceptsRow(object, placed),
    acceptsObject,
    acceptsRow,
    acceptsEveryRow: ofRow.length === 0 && cel === undefined && ofEveryRow(ofRows),
    cel,
    hasCell: (cell) => isWanted(byCells, cell),
    hasName: (name) => filter.name === undefined || name.startsWith(filter.name),
    hasLabels: (labels) => filter.labelSelector === undefined || matchesExpressions(filter.labelSelector, labels),
    isOfObjects: [filter.namespace, filter.kind, filter.name].some((one) => one !== undefined),
    hasPair: (pair) => isPairWanted(wanted, pair),
    hasPlace: (cluster, region) => has(wanted.cluster, cluster) && has(wanted.region, region),
    hasState: (state, reason) => has(wanted.state, state) && has(wanted.reason, reason),
    isSince: hasTimes ?? (() => true),
    cells: (table) =>
      ofObjects
        ? selected<ObjectValue>(byCells, table.objects)
        : selected<PlacedValue>(byCells, ofPlaces ? table.places : table.placed),
    placedIn: (table) => (ofPlaces ? table.places : table.placed),
  };
}

function wantedOf({ namespace, kind, cluster, region, state, reason, policy }: Filter): Wanted {
  const set = (values: readonly string[] | undefined) => (values === undefined ? undefined : new Set(values));
  return {
    namespace: set(namespace),
    kind,
    cluster: set(cluster),
    region: set(region),
    state: set(state),
    reason: set(reason),
    policy,
  };
}

function objectConditions({ name, labelSelector, waitingFor }: Filter): ((object: ObjectValue) => boolean)[] {
  const conditions: ((object: ObjectValue) => boolean)[] = [];
  if (name !== undefined) conditions.push(({ identity }) => identity.name.startsWith(name));
  if (labelSelector !== undefined) conditions.push(({ labels }) => matchesExpressions(labelSelector, labels));
  if (waitingFor !== undefined) conditions.push(({ waits }) => waits.some((wait) => waitingFor.includes(wait.for)));
  return conditions;
}

/** `places`: the clusters of which an object has to have one. */
function rowConditions(hasTimes: ReturnType<typeof timesOf>, places: Wanted | undefined): Condition[] {
  const conditions: Condition[] = [];
  if (hasTimes !== undefined) conditions.push((object, placed) => hasTimes((placed ?? object).since));
  if (places?.cluster !== undefined || places?.region !== undefined) {
    const { cluster, region } = places;
    conditions.push(({ placed }) => placed.some((row) => has(cluster, row.cluster) && has(region, row.region ?? "")));
  }
  return conditions;
}

function timesOf(
  { changedSince, olderThan }: Filter,
  now: number,
): ((since: number | undefined) => boolean) | undefined {
  if (changedSince === undefined && olderThan === undefined) return undefined;
  const from = changedSince === undefined ? Number.NEGATIVE_INFINITY : msOf(changedSince, now);
  const to = olderThan === undefined ? Number.POSITIVE_INFINITY : msOf(olderThan, now);
  return (since) => since !== undefined && since >= from && since <= to;
}

function msOf(moment: Moment, now: number): number {
  return "at" in moment ? moment.at : now - moment.ago;
}

function celOf(expression: string): (row: object) => boolean {
  const compiled = compileCondition(expression, "queries");
  if ("mistake" in compiled) throw badRequest(`cel: ${compiled.mistake}; the row is \`object\``);
  const { condition } = compiled;
  return (row) => {
    try {
      return condition(row as Record<string, unknown>);
    } catch {
      // The row lacks a field, or is too long for the bounds of an evaluation. Either way, the condition does not hold.
      return false;
    }
  };
}

/** As {@link isWanted}, without what is the same for all rows of an object. */
function isRowWanted(wanted: Wanted, object: ObjectValue, placed: PlacedValue | undefined): boolean {
  const { state, reason = "" } = placed ?? object;
  return (
    has(wanted.state, state) &&
    has(wanted.reason, reason) &&
    has(wanted.cluster, placed?.cluster ?? "") &&
    has(wanted.region, placed?.region ?? "")
  );
}

function isWanted(wanted: Wanted, row: Dimensioned): boolean {
  return (
    has(wanted.state, row.state) &&
    has(wanted.reason, row.reason) &&
    has(wanted.cluster, row.cluster) &&
    has(wanted.region, row.region) &&
    isPairWanted(wanted, row.pair) &&
    isPolicyWanted(wanted.policy, row.policy)
  );
}

function ofEveryRow({ state, reason, cluster, region }: Wanted): boolean {
  return [state, reason, cluster, region].every((values) => values === undefined);
}

function isPairWanted({ namespace, kind }: Wanted, pair: Cell["pair"]): boolean {
  if (!has(namespace, pair.namespace ?? "")) return false;
  return kind === undefined || kind.some((one) => isNamed(pair.kindKey, one));
}

function isPolicyWanted(policies: readonly string[] | undefined, policy: string): boolean {
  return policies === undefined || policies.some((one) => isNamed(policy, one));
}

/** The name is the whole key or its end. */
function isNamed(key: string, name: string): boolean {
  return key === name || (key.endsWith(name) && key[key.length - name.length - 1] === "/");
}

function has(values: ReadonlySet<string> | undefined, value: string): boolean {
  return values === undefined || values.has(value);
}

const SELECTIVE = ["namespace", "cluster", "region", "state", "reason"] as const satisfies Indexed[];

/** Walks the smallest of the indexes that the filter names. */
function* selected<T extends ObjectValue | PlacedValue>(wanted: Wanted, cells: Cells<T>): Iterable<Cell<T>> {
  let best: { dimension: Indexed; values: ReadonlySet<string>; size: number } | undefined;
  for (const dimension of SELECTIVE) {
    const values = wanted[dimension];
    if (values === undefined) continue;
    const size = cells.sizeOf(dimension, values);
    if (best === undefined || size < best.size) best = { dimension, values, size };
  }
  const candidates = best === undefined ? cells.all() : cells.with(best.dimension, best.values);
  for (const cell of candidates) if (isWanted(wanted, cell)) yield cell;
}
