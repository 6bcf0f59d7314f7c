import { parseApiVersion } from "../../apis/index.ts";
import type { EventRecord, EventSubject } from "../events/index.ts";

export type Severity = "INFO" | "WARNING" | "ERROR" | "CRITICAL";

/** A hub object, or a MemberCluster. */
export interface DecisionSubject {
  /** Empty for the core group. */
  group: string;
  kind: string;
  namespace?: string | undefined;
  name: string;
  uid?: string | undefined;
}

/** What Meridian decided or found, before it is composed to an event. */
export interface Decision {
  /** Epoch milliseconds. */
  at: number;
  severity: Severity;
  reason: string;
  message: string;
  /** Absent: the decision is about a cluster. */
  subject?: DecisionSubject | undefined;
  cluster?: string | undefined;
  /** What Meridian did or tried; for an Event of Kubernetes. */
  action?: string | undefined;
  /** For a transition. */
  transition?: { from: string; to: string } | undefined;
}

/** A change of state of an object, of an object on one cluster, or of a cluster. */
export interface StateChange {
  /** Epoch milliseconds. */
  at: number;
  /** Absent: the change of a cluster. */
  object?: DecisionSubject | undefined;
  cluster?: string | undefined;
  /** Empty at the beginning. */
  from: string;
  /** Empty at the end. */
  to: string;
  reason: string;
  message?: string | undefined;
}

/** Somebody has to decide something, and until then Meridian does not do part of its work. */
const CRITICAL: ReadonlySet<string> = new Set([
  "ClusterIdentityChanged",
  "DeletionsHeld",
  "DuplicateCluster",
  "FailoverHeld",
  "HubWentBack",
  "UnhealthyEverywhere",
]);

/** Something that worked does not work any more. */
const ERRORS: ReadonlySet<string> = new Set([
  "CertificateInvalid",
  "ClusterLost",
  "ClusterUnreachable",
  "CredentialsExpired",
  "CredentialsRejected",
  "InternalError",
  "NowhereToGo",
  "PlanningFailed",
  "RolledBack",
  "RollingBack",
  "RolloutFailed",
  "TokenNotRenewed",
]);

/** States that nobody has to look at. The empty state is the end of an object. */
const CALM: ReadonlySet<string> = new Set(["", "Available", "Pending", "Progressing", "Ready", "Removing"]);

export function decisionOfEvent({ regarding, related, type, reason, action, note }: EventRecord, at: number): Decision {
  const isCluster = regarding.kind === MEMBER_CLUSTER;
  const cluster = isCluster ? regarding.name : related?.kind === MEMBER_CLUSTER ? related.name : undefined;
  const severity = type === "Normal" ? "INFO" : severityOf(reason);
  return { at, severity, reason, message: note, subject: subjectOf(regarding), cluster, action };
}

export function decisionOfChange({ at, object, cluster, from, to, reason, message }: StateChange): Decision {
  const severity = CALM.has(to) ? "INFO" : to === "Failed" && !CRITICAL.has(reason) ? "ERROR" : severityOf(reason);
  const text = message ?? `${from === "" ? "new" : from} -> ${to === "" ? "gone" : to}`;
  return { at, severity, reason, message: text, subject: object, cluster, transition: { from, to } };
}

const MEMBER_CLUSTER = "MemberCluster";

function severityOf(reason: string): Severity {
  if (CRITICAL.has(reason)) return "CRITICAL";
  return ERRORS.has(reason) ? "ERROR" : "WARNING";
}

function subjectOf({ apiVersion, kind, namespace, name, uid }: EventSubject): DecisionSubject {
  return { group: parseApiVersion(apiVersion).group, kind, namespace, name, uid };
}
