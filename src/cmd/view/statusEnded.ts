import { defined, type KubeObject, type Reason, shortMessage, SINCE_ANNOTATION, timestamp } from "../../apis/index.ts";
import { MEMBERCLUSTERS, type ResourceType } from "../../runtime/index.ts";
import { allOf, type Connection, HubReader } from "../shared/index.ts";
import type { Shown } from "./statusReading.ts";
import type { StatusReport } from "./statusView.ts";

/** Problems that have ended, from the manager's Events. A hub keeps Events for an hour. */

export interface EndedReport {
  kind: string;
  /** Empty for a MemberCluster. */
  namespace: string;
  name: string;
  at: string;
  /** Empty if unknown. */
  since: string;
  note: string;
}

const RECOVERED: Reason = "Recovered";
/** In the core group, because the built-in role `view` may read Events there, but not of events.k8s.io. */
export const CORE_EVENTS: ResourceType = {
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
};
export const ENDED_EVENTS: { type: ResourceType; fieldSelector: string } = {
  type: CORE_EVENTS,
  fieldSelector: `reason=${RECOVERED}`,
};
/** reportingComponent of the Events that the manager writes. */
export const EVENT_REPORTER = "paas.cmft.com/meridian";
/** Namespace of Events about cluster-scoped objects. */
const CLUSTER_SCOPED = "default";
const LONGEST_AGO_MS = 3_600_000;
const MOST_SHOWN = 10;
const MOST_PAGES = 4;
/** Limits a note, because anybody who may create Events may forge one. */
const LONGEST_NOTE = 400;

/** Newest first. Empty if the person may not read Events. */
export async function readEnded(
  hub: Connection,
  shown: Pick<Shown, "namespace" | "clusters">,
  now: number,
  signal: AbortSignal,
): Promise<EndedReport[]> {
  const reader = new HubReader(hub, signal);
  const found = await allOf(placesOf(shown).map((place) => readEvents(reader, place)));
  return ofNamespace(
    endedIn(
      found.flatMap((events) => events ?? []),
      now,
    ),
    shown.namespace,
  );
}

export function ofNamespace(ended: readonly EndedReport[], namespace: string | undefined): EndedReport[] {
  return ended.filter((one) => one.namespace === "" || namespace === undefined || one.namespace === namespace);
}

/** Namespaces in which Events of ended problems can be watched; undefined among them stands for all namespaces. */
export async function endedPlaces(
  hub: Connection,
  shown: Pick<Shown, "namespace" | "clusters">,
  signal: AbortSignal,
): Promise<(string | undefined)[]> {
  const places = placesOf(shown);
  const reader = new HubReader(hub, signal);
  const found = await allOf(places.map((place) => readEvents(reader, place)));
  return places.filter((_, index) => found[index] !== undefined);
}

function placesOf({ namespace, clusters }: Pick<Shown, "namespace" | "clusters">): (string | undefined)[] {
  const isEnough = namespace === undefined || namespace === CLUSTER_SCOPED || !clusters;
  return isEnough ? [namespace] : [namespace, CLUSTER_SCOPED];
}

async function readEvents(reader: HubReader, namespace: string | undefined): Promise<KubeObject[] | undefined> {
  const { type, fieldSelector } = ENDED_EVENTS;
  const events = await reader.list(type, { fieldSelector, mostPages: MOST_PAGES, ...defined({ namespace }) });
  return typeof events === "string" ? undefined : events;
}

interface EventFields {
  involvedObject?: { kind?: string; namespace?: string; name?: string };
  reportingComponent?: string;
  message?: string;
  eventTime?: string;
  series?: { lastObservedTime?: string };
}

/** Newest first. Pure. */
export function endedIn(events: readonly KubeObject[], now: number): EndedReport[] {
  return events
    .flatMap((event): EndedReport[] => {
      const { involvedObject: about = {}, reportingComponent, message = "", eventTime, series } = event as EventFields;
      const at = series?.lastObservedTime ?? eventTime ?? event.metadata.creationTimestamp ?? "";
      const ago = now - Date.parse(at);
      if (reportingComponent !== EVENT_REPORTER || Number.isNaN(ago) || ago > LONGEST_AGO_MS) return [];
      const { kind = "", namespace = "", name = "" } = about;
      const note = shortMessage(message.replaceAll(/\p{C}/gu, " "), LONGEST_NOTE);
      return [{ kind, namespace, name, at, since: sinceIn(event, at), note }];
    })
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

function sinceIn({ metadata: { annotations = {} } }: KubeObject, at: string): string {
  const since = annotations[SINCE_ANNOTATION] ?? "";
  const lasted = Date.parse(at) - Date.parse(since);
  return lasted >= 0 ? timestamp(Date.parse(since)) : "";
}

/**
 * `isPart`: the report is a selection, so only problems of its items count; else those of deleted objects count too.
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
