import { defined, ageText, impactOf } from "../../apis/index.ts";
import { runningThereText } from "../../status/index.ts";
import { type ClusterReport, fullNameOf, type ObjectReport, type StatusReport, entryTone } from "../view/index.ts";
import { type Cell, formatTable, type Tone } from "../shared/index.ts";

/** One application on one cluster; or a cluster that runs nothing, or an application that runs nowhere. */
export interface Row {
  application: string;
  cluster: string;
  region: string;
  replicas?: { desired: number; ready: number };
  state: string;
  tone: Tone;
  /** Empty when all is well. */
  reason: string;
  message: string;
  /** The cluster's version and the wanted version, if these differ. */
  runs?: string;
  /** Epoch milliseconds of the last change or contact; undefined if unknown. */
  since: number | undefined;
}

/** Rows with the worst impact on users come first; then by application, with the clusters in the given order. */
export function rowsOf(report: StatusReport, clusters: readonly string[]): Row[] {
  const rank = new Map(clusters.map((name, index) => [name, index]));
  const rankOf = (name: string): number => rank.get(name) ?? clusters.length;
  const byRank = (a: { name: string }, b: { name: string }): number =>
    rankOf(a.name) - rankOf(b.name) || (a.name < b.name ? -1 : 1);
  const busy = new Set<string>();
  const rows = report.objects.flatMap((object) => {
    const application = fullNameOf(object);
    if (object.clusterCount === 0) return object.conditions.length === 0 ? [] : [placedNowhere(application, object)];
    return object.clusters.toSorted(byRank).map((entry): Row => {
      busy.add(entry.name);
      return {
        application,
        cluster: entry.name,
        region: entry.region ?? "",
        replicas: { desired: entry.replicas.desired, ready: entry.replicas.ready },
        state: entry.state,
        tone: entryTone(entry),
        reason: entry.reason ?? "",
        message: entry.message ?? "",
        ...defined({ runs: entry.runs && runningThereText(entry.runs) }),
        since: time(entry.observedAt),
      };
    });
  });
  const idle = report.clusters.filter(({ name }) => !busy.has(name)).toSorted(byRank);
  const all = [
    ...rows,
    ...idle.map((cluster): Row => ({
      application: "",
      cluster: cluster.name,
      region: cluster.region,
      state: stateOf(cluster),
      tone: cluster.ready === "True" ? "good" : cluster.reason === "NotReported" ? "plain" : "bad",
      reason: cluster.reason === "NotReported" ? "" : cluster.reason,
      message: cluster.reason === "" || cluster.reason === "NotReported" ? "" : cluster.message,
      since: time(cluster.lastContact || cluster.since),
    })),
  ];
  return all.toSorted((a, b) => TONES[a.tone] - TONES[b.tone] || badness(a) - badness(b));
}

const TONES: Record<Tone, number> = { bad: 0, plain: 1, good: 2 };

/** The reason of a healthy row does not matter. */
function badness({ tone, reason }: Row): number {
  return tone === "good" || reason === "" ? 0 : impactOf(reason);
}

function stateOf({ ready, reason, outOfService }: ClusterReport): string {
  const state = ready === "True" ? "Ready" : reason === "NotReported" ? "Joining" : "NotReady";
  return outOfService === "" ? state : `${state},${outOfService}`;
}

function placedNowhere(application: string, { healthy, replicas, reason, message }: ObjectReport): Row {
  return {
    application,
    cluster: "",
    region: "",
    replicas: { desired: replicas.desired, ready: replicas.ready },
    state: healthy ? "Scheduled" : "NotPlaced",
    tone: healthy ? "plain" : "bad",
    reason,
    message,
    since: undefined,
  };
}

function time(text: string | undefined): number | undefined {
  const at = Date.parse(text ?? "");
  return Number.isNaN(at) ? undefined : at;
}

export function changes(before: readonly Row[], after: readonly Row[]): string[] {
  const known = new Map(before.map((row) => [keyOf(row), describe(row)]));
  const applications = new Set(after.flatMap(({ application }) => application || []));
  return after.flatMap((row) => {
    const text = describe(row);
    if (known.get(keyOf(row)) === text) return [];
    const both = row.application !== "" && row.cluster !== "" && applications.size > 1;
    return [`${both ? `${row.application} in ${row.cluster}` : row.cluster || row.application}: ${text}`];
  });
}

function keyOf({ application, cluster }: Row): string {
  return `${application} ${cluster}`;
}

function describe({ state, replicas, reason, message, runs }: Row): string {
  const count = replicas === undefined ? "" : `, ${replicas.ready} of ${replicas.desired} ready`;
  const why = reason === "" ? "" : ` (${message === "" ? reason : `${reason}: ${message}`})`;
  return `${state}${count}${runs === undefined ? "" : `, runs ${runs}`}${why}`;
}

export interface TableSpace {
  color: boolean;
  /** Epoch milliseconds. */
  now: number;
  columns: number;
  /** Maximum number of lines. Healthy rows are left out first. */
  lines: number;
}

/** Empty when there is nothing to show. */
export function formatRows(rows: readonly Row[], { color, now, columns, lines }: TableSpace): string[] {
  if (rows.length === 0) return [];
  const shown = choose(rows, Math.max(1, lines - 2));
  const applications = new Set(rows.flatMap(({ application }) => application || []));
  const withApplication = applications.size > 1 || rows.some(({ cluster }) => cluster === "");
  const withCluster = rows.some(({ cluster, region }) => cluster !== region);
  const all: Column[] = [
    { title: "REGION", of: ({ region }) => orDash(region), ...(withCluster ? { givesWay: 1 } : {}) },
    ...(withCluster ? [{ title: "CLUSTER", of: ({ cluster }: Row) => orDash(cluster) }] : []),
    ...(withApplication ? [{ title: "APPLICATION", of: ({ application }: Row) => orDash(application) }] : []),
    { title: "DESIRED", of: ({ replicas }) => String(replicas?.desired ?? "-"), givesWay: 2 },
    { title: "READY", of: ({ replicas }) => String(replicas?.ready ?? "-"), givesWay: 3 },
    { title: "STATE", of: ({ state, tone }) => ({ text: state, tone }) },
    { title: "AGE", of: ({ since }) => (since === undefined ? "-" : ageText(now - since)), givesWay: 0 },
    ...(shown.some(({ runs }) => runs !== undefined)
      ? [{ title: "RUNS", of: ({ runs = "" }: Row) => orDash(runs), givesWay: 4 }]
      : []),
    { title: "REASON", of: ({ reason, message }) => orDash(message === "" ? reason : `${reason}: ${message}`) },
  ];
  const kept = thatFit(all, shown, columns);
  const cells = shown.map((row) => kept.map(({ of }) => of(row)));
  const titles = kept.map(({ title }) => title);
  const table = formatTable(titles, cells, color).trimEnd().split("\n");
  const left = rows.length - shown.length;
  return [...table, ...(left === 0 ? [] : [`and ${left} more`])].map((line) => fit(line, columns));
}

interface Column {
  title: string;
  of: (row: Row) => string | Cell;
  /** Order in which columns are dropped when space is short; absent: never dropped. */
  givesWay?: number;
}

/** Drops columns until the last column has room at least for its reason code, which says why something is not well. */
function thatFit(all: readonly Column[], rows: readonly Row[], columns: number): readonly Column[] {
  const code = Math.max("REASON".length, ...rows.map(({ reason }) => reason.length));
  let kept = all;
  while (widthOf(kept.slice(0, -1), rows) + code > columns) {
    const turns = kept.flatMap(({ givesWay }) => givesWay ?? []);
    if (turns.length === 0) return kept;
    const turn = Math.min(...turns);
    kept = kept.filter(({ givesWay }) => givesWay !== turn);
  }
  return kept;
}

function widthOf(columns: readonly Column[], rows: readonly Row[]): number {
  const [first = ""] = formatTable(
    [...columns.map(({ title }) => title), "."],
    rows.map((row) => [...columns.map(({ of }) => of(row)), "."]),
  ).split("\n");
  return first.length - 1;
}

function orDash(text: string): string {
  return text === "" ? "-" : text;
}

function choose(rows: readonly Row[], limit: number): readonly Row[] {
  if (rows.length <= limit) return rows;
  const chosen = new Set([...rows.filter(({ tone }) => tone !== "good"), ...rows].slice(0, limit));
  // The Set has dropped repeats, so it may hold fewer rows than the limit.
  for (const row of rows) if (chosen.size < limit) chosen.add(row);
  return rows.filter((row) => chosen.has(row));
}

const ESCAPE = "\u001b";
const PIECES = new RegExp(`${ESCAPE}\\[[0-9;]*m|[\\s\\S]`, "gu");

/** Cuts a line to a width; colour sequences take no space. */
export function fit(line: string, columns: number): string {
  const pieces = [...line.matchAll(PIECES)].map(([piece]) => piece);
  const isColour = (piece: string): boolean => piece.startsWith(ESCAPE);
  if (pieces.filter((piece) => !isColour(piece)).length <= columns) return line;
  let room = columns;
  return pieces
    .map((piece) => {
      if (isColour(piece)) return piece;
      room -= 1;
      return room > 0 ? piece : room === 0 ? "…" : "";
    })
    .join("");
}
