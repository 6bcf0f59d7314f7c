import type { KubeObject } from "../../../apis/index.ts";
import { type LabelSelector } from "../../labelSelectors.ts";
import {
  compare,
  isActive,
  isLeaving,
  isReady,
  isTerminating,
  phaseOf,
  type Pod,
  type PodTemplate,
  uidOf,
} from "../shared/index.ts";
import { timestamp } from "../../timestamp.ts";

export const TRACKING = "batch.kubernetes.io/job-tracking";
export const INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index";

export interface JobCondition {
  type: string;
  status: string;
  lastProbeTime: string;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

export interface JobStatus {
  active?: number;
  ready?: number;
  terminating?: number;
  succeeded?: number;
  failed?: number;
  completedIndexes?: string;
  startTime?: string;
  completionTime?: string;
  uncountedTerminatedPods?: { succeeded?: readonly string[]; failed?: readonly string[] };
  conditions?: readonly JobCondition[];
}

export interface Job extends KubeObject {
  spec: {
    parallelism?: number;
    completions?: number;
    completionMode?: string;
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
    suspend?: boolean;
    managedBy?: string;
    podReplacementPolicy?: string;
    selector?: LabelSelector;
    template: PodTemplate;
  };
  status?: JobStatus;
}

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === "Indexed";
}

export function isSuspended({ spec }: Job): boolean {
  return spec.suspend === true;
}

export function jobCondition(status: JobStatus | undefined, type: string): JobCondition | undefined {
  return status?.conditions?.find((known) => known.type === type && known.status === "True");
}

/** The condition that ends a Job: Complete or Failed. */
export function endOf({ status }: Job): JobCondition | undefined {
  return jobCondition(status, "Complete") ?? jobCondition(status, "Failed");
}

/** The pods of a Job, counted. */
export interface Account {
  active: Pod[];
  ready: number;
  /** Pods that are being deleted and have not finished. */
  terminating: number;
  succeeded: number;
  failed: number;
  indexes: readonly number[];
  /** The status to write before finalizers are removed. */
  status: JobStatus;
  /** Pods that the status has counted, whose finalizer can be removed. */
  released: Pod[];
}

/** A deleted pod counts as failed too, unless podReplacementPolicy is Failed. */
function isFailed(job: Job, pod: Pod): boolean {
  if (phaseOf(pod) === "Failed") return true;
  return job.spec.podReplacementPolicy !== "Failed" && isTerminating(pod) && phaseOf(pod) !== "Succeeded";
}

/**
 * Counts pods. A finished pod is listed by UID in the status as long as it has its finalizer; once the finalizer is
 * removed, the pod is part of the totals.
 */
export function accountOf(job: Job, pods: readonly Pod[], isEnding: boolean): Account {
  const known = job.status ?? {};
  const held = new Map(pods.filter(isTracked).map((pod) => [uidOf(pod), pod]));
  const { succeeded: before = [], failed: failedBefore = [] } = known.uncountedTerminatedPods ?? {};
  const stillSucceeded = before.filter((uid) => held.has(uid));
  const stillFailed = failedBefore.filter((uid) => held.has(uid));
  const counted = {
    succeeded: (known.succeeded ?? 0) + before.length - stillSucceeded.length,
    failed: (known.failed ?? 0) + failedBefore.length - stillFailed.length,
  };
  const listed = new Set([...stillSucceeded, ...stillFailed]);
  const fresh = [...held.values()].filter((pod) => !listed.has(uidOf(pod)));
  const newSucceeded = fresh.filter((pod) => phaseOf(pod) === "Succeeded");
  const newFailed = fresh.filter(
    (pod) => isFailed(job, pod) || (isEnding && isTerminating(pod) && phaseOf(pod) !== "Succeeded"),
  );
  const indexes = new Set(parseIndexes(known.completedIndexes ?? ""));
  const completions = job.spec.completions ?? 0;
  if (isIndexed(job)) {
    for (const pod of pods) {
      const index = indexOf(pod);
      if (phaseOf(pod) === "Succeeded" && index !== undefined && index < completions) indexes.add(index);
    }
  }
  const uncounted = {
    // A completed index is listed in completedIndexes at once.
    succeeded: isIndexed(job) ? [] : [...stillSucceeded, ...newSucceeded.map(uidOf)],
    failed: [...stillFailed, ...newFailed.map(uidOf)],
  };
  const active = pods.filter(isActive);
  const sorted = [...indexes].sort(compare);
  const total = isIndexed(job) ? sorted.length : counted.succeeded + uncounted.succeeded.length;
  return {
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isLeaving).length,
    succeeded: total,
    failed: counted.failed + uncounted.failed.length,
    indexes: sorted,
    status: {
      ...known,
      ...nonZero("succeeded", isIndexed(job) ? sorted.length : counted.succeeded),
      ...nonZero("failed", counted.failed),
      ...(isIndexed(job) && sorted.length > 0 ? { completedIndexes: formatIndexes(sorted) } : {}),
      uncountedTerminatedPods: {
        ...(uncounted.succeeded.length === 0 ? {} : { succeeded: uncounted.succeeded }),
        ...(uncounted.failed.length === 0 ? {} : { failed: uncounted.failed }),
      },
    },
    released: [...newSucceeded, ...newFailed, ...[...held].filter(([uid]) => listed.has(uid)).map(([, pod]) => pod)],
  };
}

function nonZero(key: "succeeded" | "failed", count: number): JobStatus {
  return count === 0 ? {} : { [key]: count };
}

export function isTracked({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(TRACKING) === true;
}

export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX_ANNOTATION];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** `1,3-5` for 1, 3, 4, 5. */
export function formatIndexes(indexes: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < indexes.length;) {
    let end = i;
    while (indexes[end + 1] === (indexes[end] ?? 0) + 1) end++;
    const gap = end - i > 1 ? "-" : ",";
    parts.push(end === i ? `${indexes[i]}` : `${indexes[i]}${gap}${indexes[end]}`);
    i = end + 1;
  }
  return parts.join(",");
}

export function parseIndexes(text: string): number[] {
  return text.split(",").flatMap((part) => {
    const [first, last = first] = part.split("-").map(Number);
    if (part === "" || first === undefined || last === undefined) return [];
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
}

/** Milliseconds since 1970 at which the pod finished. */
export function endedAt({ status, metadata }: Pod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => state.terminated?.finishedAt);
  const times = ends.filter((time) => time !== undefined).map((time) => Date.parse(time));
  const unready = status?.conditions?.find(({ type, status: value }) => type === "Ready" && value === "False");
  if (times.length > 0) return Math.max(...times);
  return Date.parse(unready?.lastTransitionTime ?? metadata.deletionTimestamp ?? metadata.creationTimestamp ?? "");
}

export function newCondition(
  type: string,
  reason: string,
  message: string,
  now: number,
  status = "True",
): JobCondition {
  const time = timestamp(now);
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}
