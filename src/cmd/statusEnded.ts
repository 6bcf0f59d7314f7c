import type { KubeObject, Reason } from "../apis/index.ts";
import { shortMessage } from "../apis/index.ts";
import { lacksRight, listPages, MEMBERCLUSTERS, type ResourceType } from "../runtime/index.ts";
import { allOf } from "./allOf.ts";
import type { Connection } from "./connection.ts";
import type { Shown } from "./statusReading.ts";
import type { StatusReport } from "./statusView.ts";

/** What was wrong and is over: the Events in which the manager has said so. A hub keeps Events for an hour. */

/** One trouble that has ended. */
export interface EndedReport {
  kind: string;
  /** Empty of a MemberCluster. */
  namespace: string;
  name: string;
  /** When it ended. */
  at: string;
  /** What it was, where, and how long it lasted. */
  note: string;
}

/** The core group: the built-in role `view` shows its Events, and not those of events.k8s.io. */
const EVENTS: ResourceType = { group: "", version: "v1", kind: "Event", plural: "events", namespaced: true };
const RECOVERED: Reason = "Recovered";
const REPORTER = "paas.cmft.com/meridian";
/** Namespace of the Events about objects that have none. */
const CLUSTER_SCOPED = "default";
const LONGEST_AGO_MS = 3_600_000;
const MOST_SHOWN = 10;
const MOST_PAGES = 4;
/** Whoever may create Events may forge one. */
const LONGEST_NOTE = 400;

/** Newest first. Nothing where the person may not read Events; what is wrong now stands in the objects themselves. */
export async function readEnded(
  hub: Connection,
  { namespace, clusters }: Pick<Shown, "namespace" | "clusters">,
  now: number,
  signal: AbortSignal,
): Promise<EndedReport[]> {
  const places =
    namespace === undefined || namespace === CLUSTER_SCOPED || !clusters ? [namespace] : [namespace, CLUSTER_SCOPED];
  const found = await allOf(places.map((place) => readEvents(hub, place, signal)));
  return endedIn(found.flat(), now).filter(
    (one) => one.namespace === "" || namespace === undefined || one.namespace === namespace,
  );
}

async function readEvents(hub: Connection, namespace: string | undefined, signal: AbortSignal): Promise<KubeObject[]> {
  const { client } = hub;
  const selection = { client, type: EVENTS, fieldSelector: `reason=${RECOVERED}` };
  const events: KubeObject[] = [];
  try {
    let pages = 0;
    for await (const { items } of listPages(
      { ...selection, ...(namespace === undefined ? {} : { namespace }) },
      { signal },
    )) {
      events.push(...items);
      pages += 1;
      if (pages === MOST_PAGES) break;
    }
  } catch (error) {
    if (!lacksRight(error)) throw error;
  }
  return events;
}

interface EventFields {
  involvedObject?: { kind?: string; namespace?: string; name?: string };
  reportingComponent?: string;
  message?: string;
  eventTime?: string;
  series?: { lastObservedTime?: string };
}

/** What the Events say of the last hour, newest first. Pure. */
export function endedIn(events: readonly KubeObject[], now: number): EndedReport[] {
  return events
    .flatMap((event): EndedReport[] => {
      const { involvedObject: about = {}, reportingComponent, message = "", eventTime, series } = event as EventFields;
      const at = series?.lastObservedTime ?? eventTime ?? event.metadata.creationTimestamp ?? "";
      const ago = now - Date.parse(at);
      if (reportingComponent !== REPORTER || Number.isNaN(ago) || ago > LONGEST_AGO_MS) return [];
      const { kind = "", namespace = "", name = "" } = about;
      return [{ kind, namespace, name, at, note: shortMessage(message.replaceAll(/\p{C}/gu, " "), LONGEST_NOTE) }];
    })
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/**
 * What has ended of the objects and clusters of the report, as far as it is shown. `isPart`: the report is of a choice, so what is gone from the hub
 * has no part in it.
 */
export function endedOf(ended: readonly EndedReport[], report: StatusReport, isPart: boolean): EndedReport[] {
  const keys = new Set([
    ...report.objects.map(({ kind, namespace, name }) => `${kind}/${namespace}/${name}`),
    ...report.clusters.map(({ name }) => `${MEMBERCLUSTERS.kind}//${name}`),
  ]);
  return ended
    .filter(({ kind, namespace, name }) => !isPart || keys.has(`${kind}/${namespace}/${name}`))
    .slice(0, MOST_SHOWN);
}
