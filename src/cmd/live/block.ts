import { ago, type CauseReport, causeTable, type EndedReport, endedTable, fullNameOf, namesOf } from "../view/index.ts";
import { changes, fit, formatRows, type Row, type TableSpace } from "./rows.ts";

/** Content of the live table: present problems by cause, rows, and ended problems; as values and as text. Pure. */
export interface LiveContent {
  causes: readonly CauseReport[];
  rows: readonly Row[];
  ended: readonly EndedReport[];
}

/** Lines that the rows always keep. The tables around the rows shrink first: ended problems before causes. */
const LEAST_ROWS = 6;

/** Empty when there is nothing to show. */
export function formatBlock({ causes, rows, ended }: LiveContent, space: TableSpace): string[] {
  const { color, now, columns, lines } = space;
  const options = { color, now, wide: false };
  const causeLines = causes.length === 0 ? [] : linesOf(causeTable(causes, options));
  const above = cut(causeLines, Math.min(lines / 3, lines - LEAST_ROWS));
  const endedLines = ended.length === 0 ? [] : linesOf(endedTable(ended, options));
  const below = cut(endedLines, Math.min(lines / 4, lines - LEAST_ROWS - heightOf(above)));
  const table = formatRows(rows, { ...space, lines: lines - heightOf(above) - heightOf(below) });
  return [above, table, below]
    .filter((part) => part.length > 0)
    .flatMap((part, index) => [...(index === 0 ? [] : [""]), ...part.map((line) => fit(line, columns))]);
}

function linesOf(text: string): string[] {
  return text.trimEnd().split("\n");
}

/** Number of lines, with the empty line that separates the part. */
function heightOf(part: readonly string[]): number {
  return part.length === 0 ? 0 : part.length + 1;
}

/** The lines of a table that fit beside its empty line; none if there is no room for one row. */
function cut(table: readonly string[], lines: number): readonly string[] {
  const room = Math.floor(lines) - 1;
  if (table.length <= room) return table;
  if (room < 3) return [];
  return [...table.slice(0, room - 1), `and ${table.length - room + 1} more`];
}

/** New facts, one line each: new causes, changed rows, and problems that have ended. */
export function changesOf(before: LiveContent, after: LiveContent, now: number): string[] {
  const known = new Set(before.causes.map(causeKey));
  const told = new Set(before.ended.map(keyOf));
  const causes = after.causes.filter((cause) => !known.has(causeKey(cause))).map(causeText);
  const ended = after.ended.filter((one) => !told.has(keyOf(one))).toReversed();
  return [
    ...causes,
    ...changes(before.rows, after.rows),
    ...ended.map((one) => `ended ${ago(one.at, now)}: ${fullNameOf(one)}: ${one.note}`),
  ];
}

function causeKey({ reason, shape }: CauseReport): string {
  return `${reason}\n${shape}`;
}

function causeText({ reason, clusters, objects, nextStep }: CauseReport): string {
  const where = clusters.length === 0 ? "" : ` on ${namesOf(clusters)}`;
  const what = objects.length === 0 ? "" : ` (${namesOf(objects.map(fullNameOf))})`;
  return `cause ${reason}${where}${what}: ${nextStep}`;
}

function keyOf({ kind, namespace, name, at, note }: EndedReport): string {
  return [kind, namespace, name, at, note].join("\n");
}
