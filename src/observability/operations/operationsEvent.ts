import { defined } from "../../apis/index.ts";
import { redactText } from "../logging/index.ts";
import type { SpanContext } from "../tracing/index.ts";
import type { Decision, DecisionSubject, Severity } from "./decision.ts";

/** One line of the operations log. The names are a contract with its readers. */
export interface OperationsEvent {
  stream: "operations";
  /** The same for each line of one event; a later line has a greater `count`. */
  event_id: string;
  /** RFC 3339 with milliseconds. */
  occurred_at: string;
  severity: Severity;
  reason: string;
  message: string;
  trace_id?: string;
  span_id?: string;
  service_name: string;
  host_ip: string;
  process_id: number;
  resource_uid?: string;
  resource_group?: string;
  resource_kind?: string;
  resource_namespace?: string;
  resource_name?: string;
  cluster?: string;
  /** Region of the cluster. */
  region?: string;
  action?: string;
  /** State before a transition; empty at the beginning. */
  from?: string;
  /** State after a transition; empty at the end. */
  to?: string;
  /** How often the event has occurred until now. Absent: once. */
  count?: number;
  tags: Readonly<Record<string, string>>;
}

/** What each event of one process has. */
export interface ProcessFacts {
  serviceName: string;
  hostIp: string;
  processId: number;
  tags: Readonly<Record<string, string>>;
}

/** What the planner knows of the subject of a decision. */
export interface DecisionFacts {
  uidOf(subject: DecisionSubject): string | undefined;
  /** Span of the last plan of the object. */
  spanOf(subject: DecisionSubject): SpanContext | undefined;
  regionOf(cluster: string): string | undefined;
}

export const NO_FACTS: DecisionFacts = {
  uidOf: () => undefined,
  spanOf: () => undefined,
  regionOf: () => undefined,
};

/** Longer texts are cut: an event is one line that people read. */
const LONGEST_MESSAGE = 4_096;

/** Composes the event of a decision: the only place that makes one. */
export function composeEvent(
  { at, severity, reason, message, subject, cluster, action, transition }: Decision,
  id: string,
  { serviceName, hostIp, processId, tags }: ProcessFacts,
  facts: DecisionFacts,
): OperationsEvent {
  const span = subject && facts.spanOf(subject);
  return {
    stream: "operations",
    event_id: id,
    occurred_at: new Date(at).toISOString(),
    severity,
    reason,
    message: redactText(message).slice(0, LONGEST_MESSAGE),
    ...defined({ trace_id: span?.traceId, span_id: span?.spanId }),
    service_name: serviceName,
    host_ip: hostIp,
    process_id: processId,
    ...defined({
      resource_uid: subject && (subject.uid ?? facts.uidOf(subject)),
      resource_group: subject?.group,
      resource_kind: subject?.kind,
      resource_namespace: subject?.namespace,
      resource_name: subject?.name,
      cluster,
      region: cluster === undefined ? undefined : facts.regionOf(cluster),
      action,
      from: transition?.from,
      to: transition?.to,
    }),
    tags,
  };
}
