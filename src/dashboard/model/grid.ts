import type { ObjectIdentity, PlacedObjectRow } from "../../query/types.ts";
import { compareIdentity, compareText } from "../../query/types.ts";
import { keyOfObject } from "./names.ts";

/** Fields of a placed object that the matrix shows. Identity and cluster come with every row. */
export const GRID_FIELDS = ["region", "state", "reason", "ready", "desired", "stale"] as const;
export type GridRow = ObjectIdentity & Pick<PlacedObjectRow, "cluster" | (typeof GRID_FIELDS)[number]>;

export interface GridColumn {
  cluster: string;
  region: string;
  /** The cluster itself is in trouble. */
  isTroubled: boolean;
}

export interface GridLine {
  readonly key: string;
  readonly object: ObjectIdentity;
  /** By cluster. */
  readonly cells: ReadonlyMap<string, GridRow>;
  /** Grows with every change of a cell. */
  readonly version: number;
}

interface Line extends GridLine {
  cells: Map<string, GridRow>;
  version: number;
}

/** Objects by clusters. A change of one copy touches one line: a matrix of 100,000 copies follows every one of them. */
export class GridLines {
  readonly #lines = new Map<string, Line>();
  readonly #columns = new Map<string, { region: string; copies: number }>();
  #sorted: GridLine[] | undefined;

  /** A copy came, changed or went. */
  change(before: GridRow | undefined, after: GridRow | undefined): void {
    if (before !== undefined) this.#remove(before);
    if (after !== undefined) this.#add(after);
  }

  /** By namespace and name. The same list as before while no line comes or goes. */
  lines(): GridLine[] {
    // A line without cells may have got one again since, so that it goes only here.
    for (const [key, { cells }] of this.#lines) {
      if (cells.size > 0) continue;
      this.#lines.delete(key);
      this.#sorted = undefined;
    }
    this.#sorted ??= [...this.#lines.values()].toSorted((a, b) => compareIdentity(a.object, b.object));
    return this.#sorted;
  }

  /** The clusters of the copies, and these others, by region and name. */
  columns(clusters: readonly { name: string; region?: string; isTroubled: boolean }[]): GridColumn[] {
    const columns = new Map<string, GridColumn>();
    for (const [cluster, { region }] of this.#columns) columns.set(cluster, { cluster, region, isTroubled: false });
    for (const { name, region = "", isTroubled } of clusters)
      columns.set(name, { cluster: name, region: columns.get(name)?.region ?? region, isTroubled });
    return [...columns.values()].toSorted(
      (a, b) => compareText(a.region, b.region) || compareText(a.cluster, b.cluster),
    );
  }

  #add(row: GridRow): void {
    const { kind, group, namespace, name, cluster, region = "" } = row;
    const key = keyOfObject(row);
    let line = this.#lines.get(key);
    if (line === undefined) {
      const object = { kind, group, name, ...(namespace === undefined ? {} : { namespace }) };
      line = { key, object, cells: new Map(), version: 0 };
      this.#lines.set(key, line);
      this.#sorted = undefined;
    }
    line.cells.set(cluster, row);
    line.version += 1;
    const column = this.#columns.get(cluster);
    if (column === undefined) this.#columns.set(cluster, { region, copies: 1 });
    else column.copies += 1;
  }

  #remove(row: GridRow): void {
    const line = this.#lines.get(keyOfObject(row));
    if (line?.cells.delete(row.cluster) !== true) return;
    line.version += 1;
    const column = this.#columns.get(row.cluster);
    if (column === undefined) return;
    column.copies -= 1;
    if (column.copies === 0) this.#columns.delete(row.cluster);
  }
}

export interface Span {
  /** The first that is drawn, and the first after. */
  from: number;
  to: number;
}

/**
 * What of a long list is drawn. The bounds move in steps of `step`, so that a scroll by a few pixels draws nothing
 * anew, and always cover what is seen.
 */
export function spanOf(scrolled: number, seen: number, size: number, count: number, step: number): Span {
  const first = Math.max(0, Math.floor(scrolled / size));
  const last = Math.ceil((scrolled + seen) / size);
  const from = Math.max(0, Math.floor(first / step) * step - step);
  const to = Math.ceil(last / step) * step + step;
  return { from: Math.min(from, count), to: Math.max(0, Math.min(to, count)) };
}

export interface Place {
  line: number;
  column: number;
}

/** Where a key of the keyboard leads. Undefined: the key means nothing here. */
export function moved(
  { line, column }: Place,
  key: string,
  isControl: boolean,
  { lines, columns }: Size,
): Place | undefined {
  const to = (nextLine: number, nextColumn: number): Place => ({
    line: clamped(nextLine, lines),
    column: clamped(nextColumn, columns),
  });
  switch (key) {
    case "ArrowUp":
      return to(line - 1, column);
    case "ArrowDown":
      return to(line + 1, column);
    case "ArrowLeft":
      return to(line, column - 1);
    case "ArrowRight":
      return to(line, column + 1);
    case "PageUp":
      return to(line - 10, column);
    case "PageDown":
      return to(line + 10, column);
    case "Home":
      return to(isControl ? 0 : line, 0);
    case "End":
      return to(isControl ? lines - 1 : line, columns - 1);
    default:
      return undefined;
  }
}

interface Size {
  lines: number;
  columns: number;
}

function clamped(value: number, count: number): number {
  return Math.max(0, Math.min(value, count - 1));
}
