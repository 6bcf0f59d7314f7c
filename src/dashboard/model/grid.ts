import type { ObjectIdentity, PlacedObjectRow } from "../../query/types.ts";
import { compareObjects, compareText, keyOfObject } from "./names.ts";

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
  key: string;
  object: ObjectIdentity;
  cells: ReadonlyMap<string, GridRow>;
}

export interface Grid {
  columns: GridColumn[];
  lines: GridLine[];
}

/** Objects by clusters. Columns are sorted by region, lines by namespace and name. */
export function gridOf(
  rows: Iterable<GridRow>,
  clusters: readonly { name: string; region?: string; isTroubled: boolean }[],
): Grid {
  const columns = new Map<string, GridColumn>();
  for (const { name, region = "", isTroubled } of clusters) columns.set(name, { cluster: name, region, isTroubled });
  const lines = new Map<string, { key: string; object: ObjectIdentity; cells: Map<string, GridRow> }>();
  for (const row of rows) {
    const { kind, group, namespace, name, cluster, region = "" } = row;
    if (!columns.has(cluster)) columns.set(cluster, { cluster, region, isTroubled: false });
    const key = keyOfObject(row);
    const line = lines.get(key);
    if (line !== undefined) line.cells.set(cluster, row);
    else {
      const object = { kind, group, name, ...(namespace === undefined ? {} : { namespace }) };
      lines.set(key, { key, object, cells: new Map([[cluster, row]]) });
    }
  }
  return {
    columns: [...columns.values()].toSorted(
      (a, b) => compareText(a.region, b.region) || compareText(a.cluster, b.cluster),
    ),
    lines: [...lines.values()].toSorted((a, b) => compareObjects(a.object, b.object)),
  };
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
