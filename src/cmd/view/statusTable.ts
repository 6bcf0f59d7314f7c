import { ageText, type ClusterState, countedReasonsText, isTrouble, shortMessage } from "../../apis/index.ts";
import { causeParts, namesOf } from "./causeText.ts";
import { type CauseReport, causesOf } from "./statusCauses.ts";
import type { EndedReport } from "./statusEnded.ts";
import { type ClusterReport, fullNameOf, nameOf, type ObjectReport, type StatusReport } from "./statusView.ts";
import { type Cell, formatColumns, type Tone } from "../shared/index.ts";
import { waitTexts } from "../../desiredstate/index.ts";
import { runningThereText } from "../../status/index.ts";

export interface TableOptions {
  wide: boolean;
  color: boolean;
  /** Epoch milliseconds. */
  now: number;
  /** True if the clusters of each object are listed. The wide table always lists them. */
  entries?: boolean;
  ended?: readonly EndedReport[];
  /** Last sign of a manager, if none runs now. */
  lastSeen?: string;
}

export function formatStatus(report: StatusReport, options: TableOptions): string {
  const parts: string[] = [];
  parts.push(...causeParts(causesOf(report), options));
  if (report.objects.length > 0) parts.push(objectTable(report.objects, options));
  if ((options.wide || options.entries === true) && report.objects.some(({ clusters }) => clusters.length > 0))
    parts.push(entryTable(report.objects, options));
  if (report.clusters.length > 0) parts.push(clusterTable(report.clusters, options));
  if (options.ended !== undefined && options.ended.length > 0) parts.push(endedTable(options.ended, options));
  return parts.join("\n");
}

/** Objects, or a line for each object on each cluster, and the named clusters. */
export function formatRows(
  { objects, clusters }: StatusReport,
  { byCluster, ...options }: TableOptions & { byCluster: boolean },
): string {
  const parts: string[] = [];
  const hasEntries = objects.some((object) => object.clusters.length > 0);
  if (byCluster ? hasEntries : objects.length > 0)
    parts.push(byCluster ? entryTable(objects, options) : objectTable(objects, options));
  if (clusters.length > 0) parts.push(clusterTable(clusters, options));
  return parts.join("\n");
}

export function endedTable(ended: readonly EndedReport[], { color, now }: TableOptions): string {
  const columns: Column<EndedReport>[] = [
    ["ENDED", ({ at }) => ago(at, now)],
    ["LASTED", lasted],
    ["OF", fullNameOf],
    ["WHAT", ({ note }) => note],
  ];
  return formatColumns(columns, ended, color);
}

/** A manager of an older release does not report the start of a problem. */
function lasted({ since, at }: EndedReport): string {
  return age(since, Date.parse(at));
}

type Column<T> = readonly [title: string, cell: (row: T) => string | Cell];

/** For the live table, whose rows follow below. */
export function causeTable(causes: readonly CauseReport[], { color, now, wide }: TableOptions): string {
  const columns: Column<CauseReport>[] = [
    ["CAUSE", ({ reason, standing }) => ({ text: reason, tone: standing === "Trouble" ? "bad" : "plain" })],
    ["CLUSTERS", ({ clusters }) => orDash(namesOf(clusters))],
    ["OBJECTS", ({ objects }) => orDash(namesOf(objects.map(fullNameOf)))],
    ["SINCE", ({ since }) => age(since, now)],
    ...(wide ? [["MESSAGE", ({ message }) => orDash(message)] satisfies Column<CauseReport>] : []),
    ["NEXT STEP", ({ nextStep }) => nextStep],
  ];
  return formatColumns(columns, causes, color);
}

function objectTable(objects: readonly ObjectReport[], { color, now, wide, ...manager }: TableOptions): string {
  // While every cluster runs the wanted version, the image column tells the owner nothing new.
  const withRuns = wide || objects.some(({ runs }) => runs?.differing !== undefined);
  const runs: Column<ObjectReport> = ["RUNS", (object) => orDash(object.runs?.message ?? object.runs?.summary)];
  const waits: Column<ObjectReport> = ["WAITS", (object) => orDash(waitTexts(object.waits ?? []).join("; "))];
  const detail: Column<ObjectReport>[] = [
    ["PLACEMENT", ({ placement }) => orDash(placement)],
    ["AGE", ({ createdAt }) => age(createdAt, now)],
    ...(objects.some((object) => object.waits !== undefined) ? [waits] : []),
    ["REASON", (one) => verdict(!isTrouble(one.reason), countedReasonsText(one.reasons), one.message)],
  ];
  const columns: Column<ObjectReport>[] = [
    ["OBJECT", fullNameOf],
    ["READY", readyOf],
    ["CLUSTERS", clustersOf],
    ["WORST", worstCell],
    ["SINCE", ({ since }) => age(since, now)],
    ["CHANGE", changeOf],
    ["SEEN", (object) => seenOf(object, manager.lastSeen, now)],
    ...(withRuns ? [runs] : []),
    ...(wide ? detail : []),
  ];
  return formatColumns(columns, objects, color);
}

/** Of the clusters that have to run the object; and the number of clusters that it leaves. */
function clustersOf({ available, clusterCount }: ObjectReport): string {
  const leaving = clusterCount - Number.parseInt(available.split("/")[1] ?? "", 10);
  return leaving > 0 ? `${available} (+${leaving} leaving)` : available;
}

/** Replicas that a cluster reported before it was out of contact count, and are marked as stale. */
function readyOf({ replicas, staleReplicas }: ObjectReport): string {
  const stale = staleReplicas?.ready ?? 0;
  return `${replicas.ready}/${replicas.desired}${stale === 0 ? "" : ` (${stale} stale)`}`;
}

/** Work under way and what waits are no errors. */
function worstCell({ worst }: ObjectReport): Cell {
  if (worst === undefined) return { text: "-", tone: "good" };
  const { cluster, reason } = worst;
  return { text: cluster === undefined ? reason : `${cluster}:${reason}`, tone: isTrouble(reason) ? "bad" : "plain" };
}

const ROLLOUT_WORDS: Readonly<Record<string, string>> = {
  Planned: "waits for its turn",
  Paused: "paused",
  RollingBack: "rolling back",
  RolledBack: "rolled back",
};

/** `gen 7, stage 2/3`. */
function changeOf({ change }: ObjectReport): string {
  if (change === undefined) return "-";
  const { generation, stage, stages, rollout } = change;
  const staged = stage === undefined ? "" : `, stage ${stage}/${stages}`;
  const word = rollout === undefined ? undefined : ROLLOUT_WORDS[rollout.state];
  return `gen ${generation}${staged}${word === undefined ? "" : `, ${word}`}`;
}

/**
 * Age of the oldest report. While a manager runs and a cluster is in contact, each change there is reported at once.
 * `manager`: the last sign of one, if none runs.
 */
function seenOf(
  { lastSeen, clusterCount, conditions }: ObjectReport,
  manager: string | undefined,
  now: number,
): string {
  const oldest = [lastSeen, manager].flatMap((time) => time ?? []).toSorted()[0];
  if (oldest !== undefined) return age(oldest, now);
  return clusterCount === 0 || conditions.length === 0 ? "-" : "now";
}

type Row = ObjectReport["clusters"][number] & { object: ObjectReport };
const runsThere: Column<Row> = ["RUNS", ({ runs }) => (runs === undefined ? "-" : runningThereText(runs))];

/** A copy that waits is no error. */
export function entryTone({ state, reason = "" }: { state: ClusterState; reason?: string }): Tone {
  if (state === "Available") return "good";
  if (state === "Pending" || state === "Progressing") return "plain";
  return reason === "" || isTrouble(reason) ? "bad" : "plain";
}

function entryTable(objects: readonly ObjectReport[], { color, now }: TableOptions): string {
  const rows = objects.flatMap((object) => object.clusters.map((entry): Row => ({ ...entry, object })));
  const withRuns = rows.some(({ runs }) => runs !== undefined);
  const columns: Column<Row>[] = [
    ["NAMESPACE", ({ object }) => orDash(object.namespace)],
    ["NAME", ({ object }) => nameOf(object)],
    ["CLUSTER", ({ name }) => name],
    ["REGION", ({ region }) => orDash(region)],
    ["STATE", (entry) => ({ text: entry.state, tone: entryTone(entry) })],
    ["DESIRED", ({ replicas }) => String(replicas.desired)],
    ["UPDATED", ({ replicas }) => String(replicas.updated)],
    ["READY", ({ replicas }) => String(replicas.ready)],
    ["OBSERVED", ({ observedAt }) => ago(observedAt, now)],
    ...(withRuns ? [runsThere] : []),
    ["REASON", ({ reason }) => orDash(reason)],
    // The entry has up to 512 characters, which `-o json` shows.
    ["MESSAGE", ({ message }) => orDash(message === undefined ? undefined : shortMessage(message))],
  ];
  return formatColumns(columns, rows, color);
}

function clusterTable(clusters: readonly ClusterReport[], { color, now, wide }: TableOptions): string {
  const latency: Column<ClusterReport> = ["LATENCY", latencyOf];
  const columns: Column<ClusterReport>[] = [
    ["CLUSTER", ({ name }) => name],
    ["REGION", ({ region }) => orDash(region)],
    ["READY", readyCell],
    ["VERSION", ({ version }) => orDash(version)],
    ["OBJECTS", ({ objects }) => String(objects)],
    ["LAST CONTACT", (cluster) => lastContact(cluster, now)],
    ...(wide ? [latency] : []),
    // A person who waits for the removal of a cluster finds the reason of the wait here.
    ["REASON", (cluster) => reasonOf(cluster, wide)],
  ];
  return formatColumns(columns, clusters, color);
}

/** Shows the cordon after the state, as kubectl does for nodes. */
function readyCell({ ready, outOfService }: ClusterReport): Cell {
  if (outOfService === "") return { text: ready, tone: ready === "True" ? "good" : "bad" };
  return { text: `${ready},${outOfService}`, tone: ready === "True" ? "plain" : "bad" };
}

function reasonOf({ deleting, reason, message, troubles }: ClusterReport, wide: boolean): Cell {
  const names = deleting || troubles.length === 0 ? reason : troubles.map((trouble) => trouble.reason).join(", ");
  return verdict(!isTrouble(reason), names, wide || deleting ? message : "");
}

/** An older manager writes no last contact; the time when Ready changed counts then. */
function lastContact(cluster: ClusterReport, now: number): string {
  if (cluster.ready === "True") return "now";
  return cluster.version === "" ? "never" : ago(cluster.lastContact || cluster.since, now);
}

/** Latency is written only for a slow cluster. */
function latencyOf({ ready, latency }: ClusterReport): string {
  return latency === "" ? (ready === "True" ? "<1s" : "-") : latency;
}

/** What waits, or ends by itself, is no error. */
function verdict(isWaiting: boolean, reason: string, message: string): Cell {
  if (reason === "") return { text: "-", tone: "good" };
  return { text: message === "" ? reason : `${reason}: ${message}`, tone: isWaiting ? "plain" : "bad" };
}

function orDash(text: string | undefined): string {
  return text === undefined || text === "" ? "-" : text;
}

function age(since: string, now: number): string {
  const at = Date.parse(since);
  return Number.isNaN(at) ? "-" : ageText(now - at);
}

/** `3m ago`, or a dash if the time is unknown. */
export function ago(since: string | undefined, now: number): string {
  const text = age(since ?? "", now);
  return text === "-" ? text : `${text} ago`;
}
