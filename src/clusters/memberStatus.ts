import {
  type Condition,
  type Contact,
  type MemberClusterStatus,
  sameValue,
  shortMessage,
  timestamp,
} from "../apis/index.ts";
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
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: [readyCondition(input, now)],
    ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }),
    ...(clusterUID === undefined ? {} : { clusterUID }),
    ...(apis === undefined ? {} : { apis }),
    ...(capacity === undefined ? {} : { capacity }),
    ...(credentials === undefined ? {} : { credentials }),
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
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestamp(now),
  };
}

function kept<T>(found: T | null | undefined, previous: T | undefined): T | undefined {
  return found === undefined ? previous : (found ?? undefined);
}

/** Equal but for the order of fields. Conditions of others in the previous status are not ours to judge. */
function sameStatus(previous: MemberClusterStatus, next: MemberClusterStatus): boolean {
  const ready = (status: MemberClusterStatus) => status.conditions?.find((condition) => condition.type === "Ready");
  return sameValue({ ...previous, conditions: ready(previous) }, { ...next, conditions: ready(next) });
}
