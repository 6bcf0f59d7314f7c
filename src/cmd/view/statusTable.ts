import { ageText, countedReasonsText, shortMessage } from "../../apis/index.ts";
import { type CauseReport, causesOf } from "./statusCauses.ts";
import type { EndedReport } from "./statusEnded.ts";
import { type ClusterReport, fullNameOf, nameOf, type ObjectReport, type StatusReport } from "./statusView.ts";
import { type Cell, formatTable } from "../shared/index.ts";
import { runningThereText } from "../../status/index.ts";

export interface TableOptions {
  wide: boolean;
  color: boolean;
  /** Epoch milliseconds. */
  now: number;
  /** True if the clusters of each object are listed. The wide table always lists them. */
  entries?: boolean;
  ended?: readonly EndedReport[];
}

export function formatStatus(report: StatusReport, options: TableOptions): string {
  const parts: string[] = [];
  const causes = causesOf(report);
  if (causes.length > 0) parts.push(causeTable(causes, options));
  if (report.objects.length > 0) parts.push(objectTable(report.objects, options));
  if ((options.wide || options.entries === true) && report.objects.some(({ clusters }) => clusters.length > 0))
    parts.push(entryTable(report.objects, options));
  if (report.clusters.length > 0) parts.push(clusterTable(report.clusters, options));
  if (options.ended !== undefined && options.ended.length > 0) parts.push(endedTable(options.ended, options));
  return parts.join("\n");
}

export function endedTable(ended: readonly EndedReport[], { color, now }: TableOptions): string {
  const rows = ended.map((one) => [ago(one.at, now), lasted(one), fullNameOf(one), one.note]);
  return formatTable(["ENDED", "LASTED", "OF", "WHAT"], rows, color);
}

/** A manager of an older release does not report the start of a problem. */
function lasted({ since, at }: EndedReport): string {
  return age(since, Date.parse(at));
}

const NAMED = 3;

export function causeTable(causes: readonly CauseReport[], { color, now, wide }: TableOptions): string {
  const header = ["CAUSE", "CLUSTERS", "OBJECTS", "SINCE", ...(wide ? ["MESSAGE"] : []), "NEXT STEP"];
  const rows = causes.map((cause): (string | Cell)[] => [
    { text: cause.reason, tone: "bad" },
    orDash(namesOf(cause.clusters)),
    orDash(namesOf(cause.objects.map(fullNameOf))),
    age(cause.since, now),
    ...(wide ? [orDash(cause.message)] : []),
    cause.nextStep,
  ]);
  return formatTable(header, rows, color);
}

export function namesOf(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return names.slice(0, NAMED).join(", ") + more;
}

function objectTable(objects: readonly ObjectReport[], { color, now, wide }: TableOptions): string {
  // While every cluster runs the wanted version, the image column tells the owner nothing new.
  const withRuns = wide || objects.some(({ runs }) => runs?.differing !== undefined);
  const header = [
    "NAMESPACE",
    "NAME",
    "PLACEMENT",
    "DESIRED",
    "READY",
    "CLUSTERS",
    "AVAILABLE",
    "AGE",
    "SINCE",
    ...(withRuns ? ["RUNS"] : []),
    "REASON",
  ];
  const rows = objects.map((object): (string | Cell)[] => [
    orDash(object.namespace),
    nameOf(object),
    orDash(object.placement),
    String(object.replicas.desired),
    readyOf(object),
    clustersOf(object),
    object.available,
    age(object.createdAt, now),
    age(object.since, now),
    ...(withRuns ? [orDash(object.runs?.message ?? object.runs?.summary)] : []),
    verdict(object.healthy, countedReasonsText(object.reasons), wide ? object.message : ""),
  ]);
  return formatTable(header, rows, color);
}

/** Number of clusters that have to run the object, as in AVAILABLE, and the number of clusters that it leaves. */
function clustersOf({ available, clusterCount }: ObjectReport): string {
  const chosen = Number.parseInt(available.split("/")[1] ?? "", 10);
  const leaving = clusterCount - chosen;
  return leaving > 0 ? `${chosen} (+${leaving} leaving)` : String(clusterCount);
}

/** Replicas that a cluster reported before it was out of contact count, and are marked as stale. */
function readyOf({ replicas, staleReplicas }: ObjectReport): string {
  const stale = staleReplicas?.ready ?? 0;
  return stale === 0 ? String(replicas.ready) : `${replicas.ready} (${stale} stale)`;
}

function entryTable(objects: readonly ObjectReport[], { color, now }: TableOptions): string {
  const withRuns = objects.some(({ clusters }) => clusters.some(({ runs }) => runs !== undefined));
  const header = [
    "NAMESPACE",
    "NAME",
    "CLUSTER",
    "REGION",
    "STATE",
    "DESIRED",
    "UPDATED",
    "READY",
    "OBSERVED",
    ...(withRuns ? ["RUNS"] : []),
    "REASON",
    "MESSAGE",
  ];
  const rows = objects.flatMap((object) =>
    object.clusters.map((entry): (string | Cell)[] => [
      orDash(object.namespace),
      nameOf(object),
      entry.name,
      orDash(entry.region),
      {
        text: entry.state,
        tone:
          entry.state === "Available"
            ? "good"
            : entry.state === "Progressing" || entry.state === "Pending"
              ? "plain"
              : "bad",
      },
      String(entry.replicas.desired),
      String(entry.replicas.updated),
      String(entry.replicas.ready),
      ago(entry.observedAt, now),
      ...(withRuns ? [entry.runs === undefined ? "-" : runningThereText(entry.runs)] : []),
      orDash(entry.reason),
      // The entry has up to 512 characters, which `-o json` shows.
      orDash(entry.message === undefined ? undefined : shortMessage(entry.message)),
    ]),
  );
  return formatTable(header, rows, color);
}

function clusterTable(clusters: readonly ClusterReport[], { color, now, wide }: TableOptions): string {
  const header = [
    "CLUSTER",
    "REGION",
    "READY",
    "VERSION",
    "OBJECTS",
    "LAST CONTACT",
    ...(wide ? ["LATENCY"] : []),
    "REASON",
  ];
  const rows = clusters.map((cluster): (string | Cell)[] => [
    cluster.name,
    orDash(cluster.region),
    readyCell(cluster),
    orDash(cluster.version),
    String(cluster.objects),
    lastContact(cluster, now),
    ...(wide ? [latencyOf(cluster)] : []),
    // A person who waits for the removal of a cluster finds the reason of the wait here.
    reasonOf(cluster, wide),
  ]);
  return formatTable(header, rows, color);
}

/** Shows the cordon after the state, as kubectl does for nodes. */
function readyCell({ ready, outOfService }: ClusterReport): Cell {
  if (outOfService === "") return { text: ready, tone: ready === "True" ? "good" : "bad" };
  return { text: `${ready},${outOfService}`, tone: ready === "True" ? "plain" : "bad" };
}

function reasonOf({ deleting, reason, message, troubles }: ClusterReport, wide: boolean): Cell {
  const names = deleting || troubles.length === 0 ? reason : troubles.map((trouble) => trouble.reason).join(", ");
  return verdict(false, names, wide || deleting ? message : "");
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

function verdict(healthy: boolean, reason: string, message: string): Cell {
  if (reason === "") return { text: "-", tone: "good" };
  return { text: message === "" ? reason : `${reason}: ${message}`, tone: healthy ? "plain" : "bad" };
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
