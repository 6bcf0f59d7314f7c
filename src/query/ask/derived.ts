import {
  type Cell,
  causeKey,
  type ObjectValue,
  type PlacedValue,
  type Table,
  type Transition,
} from "../table/index.ts";
import {
  compareIdentity,
  compareText,
  FOLLOWS_WITHIN_MS,
  type CauseRow,
  type FleetClusterRow,
  type TransitionRow,
} from "../types.ts";
import type { Compiled } from "./filter.ts";
import { clusterRow, timeOf, transitionRow } from "./rows.ts";
import { listed, type Reading, sifted } from "./scan.ts";
import type { Readable } from "./scope.ts";
import type { Found } from "./sort.ts";

/** The keys of all present causes, of placed objects and of objects as a whole. */
export function presentCauses({ placed, objects }: Table): Set<string> {
  const causes = new Set([...placed.valuesOf("cause"), ...objects.valuesOf("cause")]);
  causes.delete("");
  return causes;
}

type Troubled = Cell<PlacedValue> | Cell<ObjectValue>;

/** The cells in trouble that the filter and the scope let through. */
export function troubledCells(
  table: Table,
  compiled: Compiled,
  readable: Readable,
  causes: Iterable<string> = presentCauses(table),
): Troubled[] {
  const cells: Troubled[] = [];
  for (const index of [compiled.placedIn(table), table.objects])
    for (const cell of index.with("cause", causes))
      if (readable.has(cell.pair) && compiled.hasCell(cell)) cells.push(cell);
  return cells;
}

interface Cause {
  reason: string;
  shape: string;
  objects: Set<object>;
  clusters: Set<string>;
  sample: Found;
}

export interface CauseRows {
  rows: CauseRow[];
  ready: number;
  desired: number;
}

/** One row for each reason and message shape in trouble; most objects first. CEL is not applied. */
export async function causeRows(cells: readonly Troubled[], reading: Reading): Promise<CauseRows> {
  const { compiled } = reading;
  const found = await sifted(listed(cells), { ...reading, compiled: { ...compiled, cel: undefined } });
  const causes = new Map<string, Cause>();
  const sums = { ready: 0, desired: 0 };
  for (const one of found) {
    const { reason = "", shape, ready, desired } = one.placed ?? one.object;
    if (shape === undefined) continue;
    sums.ready += ready;
    sums.desired += desired;
    const key = causeKey(reason, shape);
    let cause = causes.get(key);
    if (cause === undefined)
      causes.set(key, (cause = { reason, shape, objects: new Set(), clusters: new Set(), sample: one }));
    cause.objects.add(one.object.entry);
    // An object as a whole is in trouble on no cluster.
    if (one.placed !== undefined) cause.clusters.add(one.placed.cluster);
    if (isEarlier(one, cause.sample)) cause.sample = one;
  }
  const rows = [...causes.values()].map(rowOfCause).filter((row) => compiled.cel?.(row) ?? true);
  return { rows: rows.toSorted(byWeight), ...sums };
}

export function keyOfCause({ reason, shape }: Pick<CauseRow, "reason" | "shape">): string {
  return causeKey(reason, shape);
}

export function byWeight(a: CauseRow, b: CauseRow): number {
  return b.objects - a.objects || compareText(a.reason, b.reason) || compareText(a.shape, b.shape);
}

function isEarlier(a: Found, b: Found): boolean {
  const [mine = Number.POSITIVE_INFINITY, other = Number.POSITIVE_INFINITY] = [a, b].map(
    ({ object, placed }) => (placed ?? object).since,
  );
  const order =
    mine === other
      ? compareIdentity(a.object.identity, b.object.identity) ||
        compareText(a.placed?.cluster ?? "", b.placed?.cluster ?? "")
      : mine - other;
  return order < 0;
}

function rowOfCause({ reason, shape, objects, clusters, sample }: Cause): CauseRow {
  const { object, placed } = sample;
  const { changed, identity } = object;
  const { since, message = "" } = placed ?? object;
  const isFollowing =
    changed !== undefined &&
    since !== undefined &&
    since >= changed.at - 1_000 &&
    since - changed.at <= FOLLOWS_WITHIN_MS;
  const time = timeOf(since);
  return {
    reason,
    shape,
    objects: objects.size,
    clusters: [...clusters].toSorted(compareText),
    ...(time === undefined ? {} : { since: time }),
    sample: { object: identity, cluster: placed?.cluster ?? "", message },
    ...(isFollowing
      ? { change: { object: identity, generation: changed.generation, at: timeOf(changed.at) ?? "" } }
      : {}),
  };
}

/** Undefined if there is no such cluster, or if the filter keeps it back. */
export function clusterRowOf(
  table: Table,
  name: string,
  compiled: Compiled,
  readable: Readable,
): FleetClusterRow | undefined {
  const value = table.cluster(name);
  if (value === undefined || !compiled.hasName(name) || !compiled.hasLabels(value.labels)) return undefined;
  const { region = "", state, reason = "", since } = value;
  if (!compiled.hasPlace(name, region) || !compiled.hasState(state, reason) || !compiled.isSince(since))
    return undefined;
  const counts = { objects: 0, unready: 0 };
  for (const cell of table.places.with("cluster", [name])) {
    if (!readable.has(cell.pair)) continue;
    counts.objects += cell.rows.length;
    if (cell.state !== "Available") counts.unready += cell.rows.length;
  }
  const row = clusterRow(value, counts);
  return compiled.cel?.(row) === false ? undefined : row;
}

/** Undefined if the filter or the scope keeps the transition back. */
export function transitionRowOf(
  transition: Transition,
  compiled: Compiled,
  readable: Readable,
): TransitionRow | undefined {
  const { pair, object, cluster = "", to, reason, at } = transition;
  const mayRead = pair === undefined ? readable.scope.mayReadClusters : readable.has(pair);
  if (!mayRead || (compiled.isOfObjects && object === undefined)) return undefined;
  if (pair !== undefined && !compiled.hasPair(pair)) return undefined;
  if (object !== undefined && !compiled.hasName(object.name)) return undefined;
  if (!compiled.hasPlace(cluster, "") || !compiled.hasState(to, reason) || !compiled.isSince(at)) return undefined;
  const row = transitionRow(transition);
  return compiled.cel?.(row) === false ? undefined : row;
}
