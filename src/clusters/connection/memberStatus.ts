import {
  type Condition,
  conditionMessage,
  type Contact,
  defined,
  type MemberClusterStatus,
  type Reason,
  sameValue,
  shortMessage,
  SLOW_CONDITION,
  THROTTLED_CONDITION,
  timestamp,
} from "../../apis/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import type { EndedTrouble } from "../../status/index.ts";
import type { Answering } from "./answering.ts";
import type { Capacity } from "./capacity.ts";
import { NOT_YET_KNOWN } from "./connection.ts";

/** Status of a MemberCluster as a pure function of the findings. */

/** Findings about a cluster. An absent field has not been read yet, and the status keeps its value. */
export interface MemberFindings {
  kubernetesVersion?: string;
  clusterUID?: string;
  /** In any order. */
  apis?: readonly string[];
  /** Null when the credentials may not list nodes. */
  capacity?: Capacity | null;
  /** Null when nothing here expires. */
  credentials?: { expiresAt: string; renewAt: string } | null;
  /** Latency in milliseconds if the cluster is slow; null when it is not slow. */
  latencyMs?: Answering["latencyMs"];
  /** Reason why writes are slowed down or stopped; null when they are not. */
  pace?: Answering["pace"];
}

export interface MemberStatusInput {
  /** metadata.generation of the MemberCluster that the connection follows. */
  generation: number | undefined;
  contact: Contact;
  findings: MemberFindings;
  previous: MemberClusterStatus | undefined;
}

/**
 * Computes the status. Returns `previous` itself (the same reference) when nothing has changed, so that the caller need
 * not write. Also returns `previous` while nothing is known yet, so that a restarted manager does not erase earlier
 * findings.
 */
export function computeMemberStatus(input: MemberStatusInput, now: number): MemberClusterStatus | undefined {
  const { contact, findings, generation, previous } = input;
  if (!contact.ok && contact.reason === NOT_YET_KNOWN) return previous;
  const apis = findings.apis === undefined ? previous?.apis : [...new Set(findings.apis)].sort();
  const capacity = kept(findings.capacity, previous?.capacity);
  const credentials = kept(findings.credentials, previous?.credentials);
  const kubernetesVersion = findings.kubernetesVersion ?? previous?.kubernetesVersion;
  const clusterUID = findings.clusterUID ?? previous?.clusterUID;
  const next: MemberClusterStatus = {
    ...defined({ observedGeneration: generation }),
    conditions: [readyCondition(input, now), ...slowCondition(input, now), ...throttledCondition(input, now)],
    ...latencyIn(input),
    ...lastContactIn(input),
    ...defined({ kubernetesVersion, clusterUID, apis, capacity, credentials }),
  };
  return previous !== undefined && sameStatus(previous, next) ? previous : next;
}

function readyCondition({ contact, generation, previous }: MemberStatusInput, now: number): Condition {
  const before = previous?.conditions?.find((condition) => condition.type === "Ready");
  const status = contact.ok ? "True" : "False";
  return {
    type: "Ready",
    status,
    reason: contact.ok ? "Connected" : (contact.reason ?? "ClusterUnreachable"),
    message: contact.ok ? "" : shortMessage(contact.message ?? ""),
    ...defined({ observedGeneration: generation }),
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestamp(now),
  };
}

/** Condition for a slow cluster. It exists after the first slow period, and names the last period afterwards. */
function slowCondition(input: MemberStatusInput, now: number): Condition[] {
  const { latencyMs } = input.findings;
  const trouble = typeof latencyMs === "number" ? slowFor(latencyMs) : latencyMs;
  return lasting(input, now, { type: SLOW_CONDITION, trouble, over: "AnswersInTime" });
}

/** Troubles of the cluster's answers that begin or end. */
export interface AnsweringNews {
  begun: Why[];
  ended: MemberTroubleEnd[];
}

/** End of a trouble of the MemberCluster. */
export type MemberTroubleEnd = Omit<EndedTrouble, "object">;

/** Compares a new verdict with the status: troubles that begin, and troubles that end, with their duration. */
export function answeringNews(
  status: MemberClusterStatus | undefined,
  { latencyMs, pace }: Answering,
  now: number,
): AnsweringNews {
  const slow = typeof latencyMs === "number" ? slowFor(latencyMs) : latencyMs;
  const news: AnsweringNews = { begun: [], ended: [] };
  for (const [type, trouble] of [[SLOW_CONDITION, slow] as const, [THROTTLED_CONDITION, pace] as const]) {
    const before = status?.conditions?.find((condition) => condition.type === type && condition.status === "True");
    if (trouble !== undefined && trouble !== null && before === undefined) news.begun.push(trouble);
    if (trouble !== null || before === undefined) continue;
    const { reason, message, lastTransitionTime: since } = before;
    news.ended.push({ reason, message, since, until: timestamp(now), ending: "Over" });
  }
  return news;
}

/** A shorter loss of a cluster that never answered before is a normal join, not a loss. */
const JOINING_MS = 10_000;

/**
 * Loss of contact that ends now. `published`: contact that this manager published. A manager that has just started uses the
 * loss in the status, which another manager wrote. Undefined when no loss was published.
 */
export function contactLoss(
  published: Contact,
  status: Pick<MemberClusterStatus, "conditions" | "lastContact"> | undefined,
  now: number,
): MemberTroubleEnd | undefined {
  const ready = status?.conditions?.find(({ type, status: is }) => type === "Ready" && is === "False");
  const isKnown = published.reason !== NOT_YET_KNOWN;
  if (!isKnown && ready === undefined) return undefined;
  const { reason = "ClusterUnreachable", message = "" } = isKnown ? published : (ready ?? {});
  const lastContact = published.lastContact === undefined ? status?.lastContact : timestamp(published.lastContact);
  const since = lastContact ?? ready?.lastTransitionTime;
  const until = timestamp(now);
  if (lastContact !== undefined) return { reason, message, since: lastContact, until, ending: "Contact" };
  if (since === undefined || now - Date.parse(since) < JOINING_MS) return undefined;
  return { reason, message, since, until, ending: "Over" };
}

function slowFor(latencyMs: number): Why {
  return { reason: "SlowAnswers" satisfies Reason, message: `answers take about ${secondsText(latencyMs)}` };
}

/** As {@link slowCondition}, for throttled writes. */
function throttledCondition(input: MemberStatusInput, now: number): Condition[] {
  return lasting(input, now, { type: THROTTLED_CONDITION, trouble: input.findings.pace, over: "WritesFlow" });
}

/** `trouble`: null when there is none, undefined while unknown. */
function lasting(
  { generation, previous }: MemberStatusInput,
  now: number,
  { type, trouble, over }: { type: string; trouble: Why | null | undefined; over: Reason },
): Condition[] {
  const before = previous?.conditions?.find((condition) => condition.type === type);
  if (trouble === undefined || (trouble === null && before?.status !== "True"))
    return before === undefined ? [] : [before];
  const status = trouble === null ? "False" : "True";
  return [
    {
      type,
      status,
      reason: trouble === null ? over : trouble.reason,
      message: conditionMessage(
        trouble === null ? `since ${before?.lastTransitionTime} it was: ${before?.message}` : trouble.message,
      ),
      ...defined({ observedGeneration: generation }),
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestamp(now),
    },
  ];
}

function latencyIn({ findings: { latencyMs }, previous }: MemberStatusInput): Pick<MemberClusterStatus, "latency"> {
  const latency = latencyMs === undefined ? previous?.latency : latencyMs === null ? undefined : secondsText(latencyMs);
  return latency === undefined ? {} : { latency };
}

/** Time of the last contact; absent in contact. After a restart the previous time stays until contact is known. */
function lastContactIn({ contact, previous }: MemberStatusInput): Pick<MemberClusterStatus, "lastContact"> {
  if (contact.ok) return {};
  const lastContact = contact.lastContact === undefined ? previous?.lastContact : timestamp(contact.lastContact);
  return lastContact === undefined ? {} : { lastContact };
}

/** Latency in the status, in milliseconds. */
export function latencyOf(status: MemberClusterStatus | undefined): number | undefined {
  const seconds = Number.parseFloat(status?.latency ?? "");
  return Number.isNaN(seconds) ? undefined : seconds * 1_000;
}

function secondsText(ms: number): string {
  return `${Math.round(ms / 100) / 10}s`;
}

function kept<T>(found: T | null | undefined, previous: T | undefined): T | undefined {
  return found === undefined ? previous : (found ?? undefined);
}

const OWN = ["Ready", SLOW_CONDITION, THROTTLED_CONDITION];

/** Compares two statuses without regard to the order of fields. Conditions of other writers are ignored. */
function sameStatus(previous: MemberClusterStatus, next: MemberClusterStatus): boolean {
  const own = (status: MemberClusterStatus): (Condition | undefined)[] =>
    OWN.map((own) => status.conditions?.find(({ type }) => type === own));
  return sameValue({ ...previous, conditions: own(previous) }, { ...next, conditions: own(next) });
}
