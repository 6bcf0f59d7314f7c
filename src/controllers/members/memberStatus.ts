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
import { type Answering, type ClusterFindings, NOT_YET_KNOWN } from "../../ports/index.ts";
import type { EndedTrouble } from "../../status/index.ts";

/** Status of a MemberCluster as a function of the findings. Pure. */

/** All findings about a cluster. The status keeps the value of an absent one. */
export interface MemberFindings extends ClusterFindings, Answering {
  clusterUID?: string | undefined;
}

export interface MemberStatusInput {
  /** Generation of the MemberCluster that the connection follows. */
  generation: number | undefined;
  contact: Contact;
  findings: MemberFindings;
  previous: MemberClusterStatus | undefined;
}

/**
 * Computes the status; `previous` itself when nothing has changed, or while nothing is known yet, so that a restarted
 * manager erases nothing.
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
    conditions: [
      readyCondition(input, now),
      ...lasting(input, now, { type: SLOW_CONDITION, trouble: slowness(findings.latencyMs), over: "AnswersInTime" }),
      ...lasting(input, now, { type: THROTTLED_CONDITION, trouble: findings.pace, over: "WritesFlow" }),
    ],
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

/** Troubles of the cluster's answers that begin or end. */
export interface AnsweringNews {
  begun: Why[];
  ended: MemberTroubleEnd[];
}

export type MemberTroubleEnd = Omit<EndedTrouble, "object">;

/** Troubles that begin or end with a new verdict, compared with the status. */
export function answeringNews(
  status: MemberClusterStatus | undefined,
  { latencyMs, pace }: Answering,
  now: number,
): AnsweringNews {
  const slow = slowness(latencyMs);
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

/** A shorter absence of a cluster that never answered is a normal join, no loss. */
const JOINING_MS = 10_000;

/**
 * Loss of contact that ends now. `published`: contact that this manager published; one that has just started uses the
 * loss in the status. Undefined when no loss was published.
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

/** As `lasting` takes it: null when there is no trouble, undefined while unknown. */
function slowness(latencyMs: Answering["latencyMs"]): Why | null | undefined {
  if (typeof latencyMs !== "number") return latencyMs;
  return { reason: "SlowAnswers" satisfies Reason, message: `answers take about ${secondsText(latencyMs)}` };
}

/** Condition for a trouble. It exists after the first period, and names the last one afterwards. */
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

/** Absent in contact. After a restart the previous time stays until contact is known. */
function lastContactIn({ contact, previous }: MemberStatusInput): Pick<MemberClusterStatus, "lastContact"> {
  if (contact.ok) return {};
  const lastContact = contact.lastContact === undefined ? previous?.lastContact : timestamp(contact.lastContact);
  return lastContact === undefined ? {} : { lastContact };
}

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

/** Ignores the order of fields and conditions of other writers. */
function sameStatus(previous: MemberClusterStatus, next: MemberClusterStatus): boolean {
  const own = (status: MemberClusterStatus): (Condition | undefined)[] =>
    OWN.map((own) => status.conditions?.find(({ type }) => type === own));
  return sameValue({ ...previous, conditions: own(previous) }, { ...next, conditions: own(next) });
}
