import type { ClusterReport, ObjectReport, StatusReport } from "./statusView.ts";
import { type Cell, formatAge, formatTable } from "./terminal.ts";

export interface TableOptions {
  wide: boolean;
  color: boolean;
  /** Epoch milliseconds. */
  now: number;
}

/** The tables of `meridian status`. */
export function formatStatus(report: StatusReport, options: TableOptions): string {
  const parts: string[] = [];
  if (report.objects.length > 0) parts.push(objectTable(report.objects, options));
  if (options.wide && report.objects.some(({ clusters }) => clusters.length > 0))
    parts.push(entryTable(report.objects, options));
  if (report.clusters.length > 0) parts.push(clusterTable(report.clusters, options));
  return parts.join("\n");
}

function objectTable(objects: readonly ObjectReport[], { color, now, wide }: TableOptions): string {
  const header = ["NAMESPACE", "NAME", "PLACEMENT", "DESIRED", "READY", "CLUSTERS", "AVAILABLE", "AGE", "REASON"];
  const rows = objects.map((object) => [
    orDash(object.namespace),
    nameOf(object),
    orDash(object.placement),
    String(object.replicas.desired),
    readyOf(object),
    String(object.clusterCount),
    object.available,
    age(object.createdAt, now),
    verdict(object.healthy, object.reason, wide ? object.message : ""),
  ]);
  return formatTable(header, rows, color);
}

/** What a cluster said before it was out of contact counts, and is told apart. */
function readyOf({ replicas, staleReplicas }: ObjectReport): string {
  const stale = staleReplicas?.ready ?? 0;
  return stale === 0 ? String(replicas.ready) : `${replicas.ready} (${stale} stale)`;
}

/** One row for each object on each cluster. */
function entryTable(objects: readonly ObjectReport[], { color, now }: TableOptions): string {
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
      orDash(entry.reason),
      orDash(entry.message),
    ]),
  );
  return formatTable(header, rows, color);
}

function clusterTable(clusters: readonly ClusterReport[], { color, now, wide }: TableOptions): string {
  const header = ["CLUSTER", "REGION", "READY", "VERSION", "OBJECTS", "LAST CONTACT", "REASON"];
  const rows = clusters.map((cluster): (string | Cell)[] => [
    cluster.name,
    orDash(cluster.region),
    readyCell(cluster),
    orDash(cluster.version),
    String(cluster.objects),
    lastContact(cluster, now),
    // Whoever waits for a cluster to go looks here for what it waits for.
    verdict(cluster.reason === "", cluster.reason, wide || cluster.deleting ? cluster.message : ""),
  ]);
  return formatTable(header, rows, color);
}

/** As kubectl shows a node that takes nothing new: behind what it is. */
function readyCell({ ready, outOfService }: ClusterReport): Cell {
  if (outOfService === "") return { text: ready, tone: ready === "True" ? "good" : "bad" };
  return { text: `${ready},${outOfService}`, tone: ready === "True" ? "plain" : "bad" };
}

/** While a cluster is in contact no time is written; a cluster lost contact when its condition Ready changed. */
function lastContact(cluster: ClusterReport, now: number): string {
  if (cluster.ready === "True") return "now";
  return cluster.version === "" ? "never" : ago(cluster.since, now);
}

function verdict(healthy: boolean, reason: string, message: string): Cell {
  if (reason === "") return { text: "-", tone: "good" };
  return { text: message === "" ? reason : `${reason}: ${message}`, tone: healthy ? "plain" : "bad" };
}

/** As kubectl names objects of several kinds in one table; an application is what is meant where no kind is named. */
export function nameOf({ kind, name }: Pick<ObjectReport, "kind" | "name">): string {
  return kind === "DemoApplication" ? name : `${kind.toLowerCase()}/${name}`;
}

function orDash(text: string | undefined): string {
  return text === undefined || text === "" ? "-" : text;
}

function age(since: string, now: number): string {
  const at = Date.parse(since);
  return Number.isNaN(at) ? "-" : formatAge(now - at);
}

function ago(since: string | undefined, now: number): string {
  const text = age(since ?? "", now);
  return text === "-" ? text : `${text} ago`;
}
