import { kindKeyOf, type KubeObject, shortMessage } from "../../apis/index.ts";
import { fieldsOf, type Fields, listOf, numberOf, textOf } from "../values.ts";
import { codeOf, conditionOf, statusOf } from "./report.ts";

/** Why pods of a workload do not run, from the member's kubelet or scheduler. */
export interface PodTrouble {
  /** CamelCase code: ImagePullBackOff, CrashLoopBackOff, Unschedulable. */
  reason: string;
  message: string;
}

/** Kinds that run pods. */
const WORKLOADS: ReadonlySet<string> = new Set([
  "apps/Deployment",
  "apps/ReplicaSet",
  "apps/StatefulSet",
  "apps/DaemonSet",
  "batch/Job",
]);

/** Reasons with which the kubelet reports the same trouble while it retries. */
const SAME_TROUBLE: ReadonlyMap<string, string> = new Map([["ErrImagePull", "ImagePullBackOff"]]);
/** Waiting reasons of a container that starts normally. */
const ON_ITS_WAY: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);
const LOOPING = "CrashLoopBackOff";
/** Restarts from which a container loops, even at moments when it runs. */
const RESTARTS_OF_A_LOOP = 2;
/** The most telling first: a container that cannot run has got further than a pod without a node. */
const RANK = { waiting: 0, looping: 1, unschedulable: 2 };

interface Finding extends PodTrouble {
  rank: number;
}

/** As text; undefined for kinds without pods, and for an unreadable selector. */
export function podSelectorOf(object: KubeObject): string | undefined {
  if (!WORKLOADS.has(kindKeyOf(object))) return undefined;
  const selector = fieldsOf(fieldsOf(object["spec"])["selector"]);
  const parts = Object.entries(fieldsOf(selector["matchLabels"])).map(([key, value]) => `${key}=${String(value)}`);
  for (const expression of listOf(selector["matchExpressions"])) {
    const part = requirementOf(expression);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts.length === 0 ? undefined : parts.join(",");
}

function requirementOf(expression: Fields): string | undefined {
  const key = textOf(expression["key"]);
  const { values } = expression;
  const list = Array.isArray(values) ? values.map(String).join(",") : "";
  if (key === undefined) return undefined;
  switch (expression["operator"]) {
    case "In":
      return `${key} in (${list})`;
    case "NotIn":
      return `${key} notin (${list})`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return undefined;
  }
}

/**
 * Trouble of the workload's own pods; pods in deletion and ready pods do not count. The same trouble mostly has the
 * same words, without pod names and restart counts; compare by {@link isSameTrouble}.
 */
export function podTrouble(
  workload: { kind: string; name: string },
  pods: readonly KubeObject[],
): PodTrouble | undefined {
  let worst: Finding | undefined;
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined || !isPodOf(workload, pod)) continue;
    if (conditionOf(pod, "Ready")?.status === "True") continue;
    const finding = findingOf(pod);
    if (finding !== undefined && (worst === undefined || finding.rank < worst.rank)) worst = finding;
  }
  return worst === undefined ? undefined : { reason: worst.reason, message: worst.message };
}

/** Whoever owns the pod. */
export function troubleOfPod(pod: KubeObject): PodTrouble | undefined {
  const finding = findingOf(pod);
  return finding === undefined ? undefined : { reason: finding.reason, message: finding.message };
}

/** A container ends again and again. */
export function isLooping({ reason }: PodTrouble): boolean {
  return reason === LOOPING;
}

/** Reason and container are the same, whatever else the kubelet said. */
export function isSameTrouble(a: PodTrouble | undefined, b: PodTrouble | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.reason === b.reason && subjectOf(a) === subjectOf(b);
}

function subjectOf({ message }: PodTrouble): string {
  return message.slice(0, message.indexOf(":"));
}

/** Reasons about which pods may say more; the others are more exact. */
const FROM_THE_PODS: ReadonlySet<string> = new Set([
  "PodsNotReady",
  "RollingOut",
  "ProgressDeadlineExceeded",
  "JobRunning",
]);

/** Pods may say more about a workload than its own status. */
export function mayBeForPods(reason: string | undefined): boolean {
  return reason !== undefined && FROM_THE_PODS.has(reason);
}

function isPodOf({ kind, name }: { kind: string; name: string }, { metadata }: KubeObject): boolean {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return false;
  if (kind === "Deployment") return owner.kind === "ReplicaSet" && owner.name?.startsWith(`${name}-`) === true;
  return owner.kind === kind && owner.name === name;
}

function findingOf(pod: KubeObject): Finding | undefined {
  const status = statusOf(pod);
  for (const field of ["initContainerStatuses", "containerStatuses"]) {
    for (const container of listOf(status[field])) {
      const finding = containerFinding(container);
      if (finding !== undefined) return finding;
    }
  }
  const scheduled = conditionOf(pod, "PodScheduled");
  if (scheduled?.status !== "False") return undefined;
  const { reason = "Unschedulable", message } = scheduled;
  return reason === "SchedulingGated"
    ? undefined
    : { reason: codeOf(reason), message: shortMessage(`pods: ${message}`), rank: RANK.unschedulable };
}

function containerFinding(container: Fields): Finding | undefined {
  const name = textOf(container["name"]) ?? "";
  const state = fieldsOf(container["state"]);
  const waiting = fieldsOf(state["waiting"]);
  const reported = textOf(waiting["reason"]);
  const reason = SAME_TROUBLE.get(reported ?? "") ?? reported;
  const last = fieldsOf(fieldsOf(container["lastState"])["terminated"]);
  const ended = Object.keys(last).length > 0 ? last : fieldsOf(state["terminated"]);
  if (reason !== undefined && reason !== LOOPING) {
    if (ON_ITS_WAY.has(reason)) return undefined;
    const message = textOf(waiting["message"]) ?? reason;
    return { reason: codeOf(reason), message: shortMessage(`container ${name}: ${message}`), rank: RANK.waiting };
  }
  const restarts = numberOf(container["restartCount"]) ?? 0;
  const isLooping = reason !== undefined || (restarts >= RESTARTS_OF_A_LOOP && container["ready"] !== true);
  if (!isLooping || Object.keys(ended).length === 0) {
    if (reason === undefined) return undefined;
    return { reason, message: `container ${name}: it ends again and again`, rank: RANK.looping };
  }
  return {
    reason: LOOPING,
    message: shortMessage(`container ${name}: ${howItEnded(ended)}, again and again`),
    rank: RANK.looping,
  };
}

/** `exit code 1`, `exit code 137 (OOMKilled)` */
function howItEnded(ended: Fields): string {
  const why = textOf(ended["reason"]);
  const code = `exit code ${numberOf(ended["exitCode"]) ?? "unknown"}`;
  return why === undefined || why === "Error" ? code : `${code} (${why})`;
}
