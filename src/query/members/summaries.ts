import { isRecord, type KubeObject } from "../../apis/index.ts";

/** A pod of a placed object. Every text comes from the member. */
export interface PodSummary {
  name: string;
  namespace?: string;
  phase: string;
  reason?: string;
  message?: string;
  node?: string;
  createdAt?: string;
  deleting: boolean;
  ready: boolean;
  restarts: number;
  containers: ContainerSummary[];
}

export interface ContainerSummary {
  name: string;
  isInit?: true;
  image?: string;
  ready: boolean;
  restarts: number;
  /** Running, Waiting, Terminated or Unknown. */
  state: string;
  reason?: string;
  message?: string;
  exitCode?: number;
  since?: string;
  /** End of the run before the last restart. */
  last?: { reason?: string; exitCode?: number; at?: string };
}

export interface EventSummary {
  /** Normal or Warning. */
  type: string;
  reason: string;
  message: string;
  count: number;
  firstSeen?: string;
  lastSeen?: string;
  object: { kind: string; name: string };
}

type Fields = Readonly<Record<string, unknown>>;

const LONGEST_TEXT = 1_024;
const MOST_CONTAINERS = 64;

function fields(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.slice(0, MOST_CONTAINERS).map(fields) : [];
}

function text<K extends string>(key: K, value: unknown): { [P in K]?: string } {
  return typeof value === "string" && value !== ""
    ? ({ [key]: value.slice(0, LONGEST_TEXT) } as { [P in K]?: string })
    : {};
}

function word(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value.slice(0, LONGEST_TEXT) : otherwise;
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

function exitCode(value: unknown): { exitCode?: number } {
  return typeof value === "number" && Number.isSafeInteger(value) ? { exitCode: value } : {};
}

export function podSummary(pod: KubeObject): PodSummary {
  const { metadata } = pod;
  const [spec, status] = [fields(pod["spec"]), fields(pod["status"])];
  const states = [...list(status["initContainerStatuses"]), ...list(status["containerStatuses"])];
  const stateOf = (name: unknown): Fields => states.find((one) => one["name"] === name) ?? {};
  const containers = [
    ...list(spec["initContainers"]).map((one) => ({
      ...containerSummary(one, stateOf(one["name"])),
      isInit: true as const,
    })),
    ...list(spec["containers"]).map((one) => containerSummary(one, stateOf(one["name"]))),
  ];
  const ready = list(status["conditions"]).find(({ type }) => type === "Ready");
  return {
    name: word(metadata.name, ""),
    ...text("namespace", metadata.namespace),
    phase: word(status["phase"], "Unknown"),
    ...text("reason", status["reason"]),
    ...text("message", status["message"]),
    ...text("node", spec["nodeName"]),
    ...text("createdAt", metadata.creationTimestamp),
    deleting: metadata.deletionTimestamp !== undefined,
    ready: ready?.["status"] === "True",
    restarts: containers.reduce((sum, { restarts }) => sum + restarts, 0),
    containers,
  };
}

function containerSummary(container: Fields, status: Fields): ContainerSummary {
  const { running, waiting, terminated } = fields(status["state"]);
  const last = fields(fields(status["lastState"])["terminated"]);
  const now = fields(terminated ?? waiting ?? running);
  const state = terminated !== undefined ? "Terminated" : waiting !== undefined ? "Waiting" : "Running";
  return {
    name: word(container["name"], ""),
    ...text("image", container["image"]),
    ready: status["ready"] === true,
    restarts: count(status["restartCount"]),
    state: terminated === undefined && waiting === undefined && running === undefined ? "Unknown" : state,
    ...text("reason", now["reason"]),
    ...text("message", now["message"]),
    ...exitCode(now["exitCode"]),
    ...text("since", now["finishedAt"] ?? now["startedAt"]),
    ...(Object.keys(last).length === 0
      ? {}
      : {
          last: { ...text("reason", last["reason"]), ...exitCode(last["exitCode"]), ...text("at", last["finishedAt"]) },
        }),
  };
}

/** Of `events.k8s.io`. The deprecated fields are those of an Event that was recorded in the core group. */
export function eventSummary(event: KubeObject): EventSummary {
  const { kind, name } = fields(event["regarding"]);
  const series = fields(event["series"]);
  const { creationTimestamp } = event.metadata;
  const first = event["deprecatedFirstTimestamp"] ?? event["eventTime"] ?? creationTimestamp;
  const last =
    series["lastObservedTime"] ?? event["deprecatedLastTimestamp"] ?? event["eventTime"] ?? creationTimestamp;
  return {
    type: word(event["type"], "Normal"),
    reason: word(event["reason"], ""),
    message: word(event["note"], ""),
    count: Math.max(1, count(series["count"] ?? event["deprecatedCount"])),
    ...text("firstSeen", first),
    ...text("lastSeen", last),
    object: { kind: word(kind, ""), name: word(name, "") },
  };
}

/** UID of the object that an Event is about. */
export function uidOfEvent(event: KubeObject): string {
  return word(fields(event["regarding"])["uid"], "");
}
