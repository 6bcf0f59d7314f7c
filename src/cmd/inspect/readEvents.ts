import { defined, type KubeObject, shortMessage } from "../../apis/index.ts";
import { type CommandContext, type Connection, formatColumns, HubReader } from "../shared/index.ts";
import { ago, CORE_EVENTS, EVENT_REPORTER, type StatusReport } from "../view/index.ts";

export interface EventReport {
  /** Last occurrence. */
  at: string;
  type: string;
  reason: string;
  /** Kind/name. */
  object: string;
  namespace: string;
  count: number;
  message: string;
}

interface Subject {
  kind: string;
  namespace: string | undefined;
  name: string;
}

/** Namespace of Events about cluster-scoped objects. */
const CLUSTER_SCOPED = "default";
const MOST_PAGES = 4;
/** Anybody who may create Events may write a long message. */
const LONGEST = 400;

/** The Events of the report's objects, of their placements, and of named clusters; the newest last. */
export async function eventsOf(
  report: StatusReport,
  hub: Connection,
  { terminal, signal }: CommandContext,
): Promise<EventReport[]> {
  const reader = new HubReader(hub, signal);
  const subjects = new Map(subjectsOf(report).map((subject) => [JSON.stringify(subject), subject]));
  const found: EventReport[] = [];
  for (const { kind, namespace, name } of subjects.values()) {
    const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
    const place = namespace ?? CLUSTER_SCOPED;
    const listed = await reader.list(CORE_EVENTS, { namespace: place, fieldSelector, mostPages: MOST_PAGES });
    if (listed === "Denied") reader.noteDenied("list", "Events", place, ", so they are left out");
    else if (listed !== "NotServed") found.push(...listed.map(eventIn));
  }
  for (const note of reader.notes) terminal.err(`${note}\n`);
  return inOrder(found);
}

/** Events of the manager about objects and clusters, as the person's rights show them; the newest last. */
export async function eventsOfFleet(
  namespace: string | undefined,
  hub: Connection,
  { terminal, signal }: CommandContext,
): Promise<EventReport[]> {
  const reader = new HubReader(hub, signal);
  const fieldSelector = `reportingComponent=${EVENT_REPORTER}`;
  const listed = await reader.list(CORE_EVENTS, { ...defined({ namespace }), fieldSelector, mostPages: MOST_PAGES });
  if (listed === "Denied") reader.noteDenied("list", "Events", namespace, ": give -n NAMESPACE of one where you may");
  for (const note of reader.notes) terminal.err(`${note}\n`);
  return typeof listed === "string" ? [] : inOrder(listed.map(eventIn));
}

function inOrder(events: readonly EventReport[]): EventReport[] {
  return events.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || (a.message < b.message ? -1 : 1));
}

function subjectsOf({ objects, clusters }: StatusReport): Subject[] {
  if (objects.length === 0) return clusters.map(({ name }) => ({ kind: "MemberCluster", namespace: undefined, name }));
  return objects.flatMap(({ kind, namespace, name, policy }): Subject[] => [
    { kind, namespace: namespace || undefined, name },
    ...(policy === undefined ? [] : [{ kind: policy.kind, namespace: policy.namespace, name: policy.name }]),
  ]);
}

interface EventFields {
  involvedObject?: { kind?: string; namespace?: string; name?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  eventTime?: string;
  lastTimestamp?: string;
  series?: { count?: number; lastObservedTime?: string };
}

function eventIn(event: KubeObject): EventReport {
  const { involvedObject = {}, series, ...fields } = event as EventFields;
  const { kind = "", name = "", namespace = "" } = involvedObject;
  return {
    at: series?.lastObservedTime ?? fields.lastTimestamp ?? fields.eventTime ?? event.metadata.creationTimestamp ?? "",
    type: fields.type ?? "",
    reason: fields.reason ?? "",
    object: `${kind.toLowerCase()}/${name}`,
    namespace,
    count: series?.count ?? fields.count ?? 1,
    message: shortMessage((fields.message ?? "").replaceAll(/\p{C}/gu, " "), LONGEST),
  };
}

export function eventsText(events: readonly EventReport[], { color, now }: { color: boolean; now: number }): string {
  return formatColumns<EventReport>(
    [
      ["SEEN", ({ at }) => ago(at, now)],
      ["TYPE", ({ type }) => ({ text: type || "-", tone: type === "Warning" ? "bad" : "plain" })],
      ["REASON", ({ reason }) => reason],
      ["OBJECT", ({ object }) => object],
      ["MESSAGE", ({ message, count }) => (count > 1 ? `${message} (${count} times)` : message)],
    ],
    events,
    color,
  );
}
