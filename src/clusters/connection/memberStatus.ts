import {
  type Condition,
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

/** The status of a MemberCluster as a function of what was found out. */

/** What was found out about a cluster; a field that is absent has not been read yet, and the status keeps its value. */
export interface MemberFindings {
  kubernetesVersion?: string;
  clusterUID?: string;
  /** In any order. */
  apis?: readonly string[];
  /** Null when the credentials may not list nodes. */
  capacity?: Capacity | null;
  /** Null when nothing here expires. */
  credentials?: { expiresAt: string; renewAt: string } | null;
  /** How long answers take, in milliseconds, where that is long; null when they come in time. */
  latencyMs?: Answering["latencyMs"];
  /** Why writes are slowed down or stopped; null when they flow. */
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
 * Computes the status. Answers `previous` itself, the same reference, when nothing has changed, so that the caller need not write;
 * and while nothing is known yet, so that a restarted manager does not erase the findings of the one before.
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

/** Stands from the first time that the cluster is slow on: when that is over, the condition says what was. */
function slowCondition(input: MemberStatusInput, now: number): Condition[] {
  const { latencyMs } = input.findings;
  const trouble = typeof latencyMs === "number" ? slowFor(latencyMs) : latencyMs;
  return lasting(input, now, { type: SLOW_CONDITION, trouble, over: "AnswersInTime" });
}

/** What is new of how a cluster answers. */
export interface AnsweringNews {
  begun: Why[];
  ended: MemberTroubleEnd[];
}

/** Ended: of the MemberCluster. */
export type MemberTroubleEnd = Omit<EndedTrouble, "object">;

/** What begins, by what the status says so far, and what ends, with how long it lasted. */
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

/** A loss that took no longer, of a cluster that never answered before, is how a cluster joins. */
const JOINING_MS = 10_000;

/**
 * The loss of contact that ends now. `said`: what the manager has said of it; where it knows nothing of before itself, the loss is what the status
 * says, which another manager wrote. Undefined where none was said.
 */
export function contactLoss(
  said: Contact,
  status: Pick<MemberClusterStatus, "conditions" | "lastContact"> | undefined,
  now: number,
): MemberTroubleEnd | undefined {
  const ready = status?.conditions?.find(({ type, status: is }) => type === "Ready" && is === "False");
  const isKnown = said.reason !== NOT_YET_KNOWN;
  if (!isKnown && ready === undefined) return undefined;
  const { reason = "ClusterUnreachable", message = "" } = isKnown ? said : (ready ?? {});
  const lastContact = said.lastContact === undefined ? status?.lastContact : timestamp(said.lastContact);
  const since = lastContact ?? ready?.lastTransitionTime;
  const until = timestamp(now);
  if (lastContact !== undefined) return { reason, message, since: lastContact, until, ending: "Contact" };
  if (since === undefined || now - Date.parse(since) < JOINING_MS) return undefined;
  return { reason, message, since, until, ending: "Over" };
}

function slowFor(latencyMs: number): Why {
  return { reason: "SlowAnswers" satisfies Reason, message: `answers take about ${secondsText(latencyMs)}` };
}

/** As {@link slowCondition}, of the lane. */
function throttledCondition(input: MemberStatusInput, now: number): Condition[] {
  return lasting(input, now, { type: THROTTLED_CONDITION, trouble: input.findings.pace, over: "WritesFlow" });
}

/** `trouble`: null when there is none, undefined while nobody knows. */
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
      message: shortMessage(
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

/** A cluster in contact answers all the time. After a restart the time of before stays until something is found out. */
function lastContactIn({ contact, previous }: MemberStatusInput): Pick<MemberClusterStatus, "lastContact"> {
  if (contact.ok) return {};
  const lastContact = contact.lastContact === undefined ? previous?.lastContact : timestamp(contact.lastContact);
  return lastContact === undefined ? {} : { lastContact };
}

/** The figure that the status says, in milliseconds. */
export function saidLatency(status: MemberClusterStatus | undefined): number | undefined {
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

/** Equal but for the order of fields. Conditions of others in the previous status are not ours to judge. */
function sameStatus(previous: MemberClusterStatus, next: MemberClusterStatus): boolean {
  const own = (status: MemberClusterStatus): (Condition | undefined)[] =>
    OWN.map((own) => status.conditions?.find(({ type }) => type === own));
  return sameValue({ ...previous, conditions: own(previous) }, { ...next, conditions: own(next) });
}
