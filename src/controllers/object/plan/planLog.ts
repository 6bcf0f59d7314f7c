import { type FederatedStatus, fullMessage, generationOf, type KubeObject } from "../../../apis/index.ts";
import type { Target } from "../../../desiredstate/index.ts";
import type { ReconcileContext } from "../../../runtime/index.ts";
import { isUnanswered, type Plan } from "../../states/index.ts";
import { clusterNames } from "../../progress/index.ts";

export interface Before {
  plan: Plan | undefined;
  status: FederatedStatus | undefined;
  /** Key of another object whose change caused the plan. */
  cause?: string | undefined;
}

/** Logs an object that is new or has changed. After a start of the manager, most objects are unchanged. */
export function logChange(
  { logger }: ReconcileContext,
  owner: string,
  object: KubeObject,
  { plan: before, status }: Before,
): void {
  const { kind, metadata } = object;
  const { uid, generation, deletionTimestamp } = metadata;
  const isKnown = before !== undefined && before.uid === uid && before.generation === generationOf(object.metadata);
  if (isKnown || (before === undefined && !isUnanswered(object, status))) return;
  const change =
    deletionTimestamp === undefined ? `generation ${generationOf(object.metadata)}` : "the object is being deleted";
  logger.info({ object: owner, resource_uid: uid, kind, generation }, `changed: ${change}`);
}

export function logPlan(
  { logger }: ReconcileContext,
  owner: string,
  object: KubeObject,
  target: Target,
  { plan: before, status, cause }: Before,
  changed: ReadonlySet<string>,
): void {
  if (changed.size === 0 && !isNewDecision(before?.target, target)) return;
  // After a start, every object is planned once, and most copies exist already.
  const level = before !== undefined || isUnanswered(object, status) ? "info" : "debug";
  if (!logger.isLevelEnabled(level)) return;
  const { reason, message } = target.scheduled;
  const fields = { object: owner, resource_uid: object.metadata.uid, clusters: target.clusters.length, reason };
  logger[level]({ ...fields, changed: changed.size, cause }, `planned: ${fullMessage(message)}`);
}

export function logRemoval(
  { logger }: ReconcileContext,
  owner: string,
  { metadata }: KubeObject,
  changed: ReadonlySet<string>,
): void {
  if (changed.size === 0) return;
  logger.info({ object: owner, resource_uid: metadata.uid, changed: changed.size }, "planned: its copies go");
}

export function logEnd({ logger }: ReconcileContext, owner: string, { metadata }: KubeObject): void {
  logger.info({ object: owner, resource_uid: metadata.uid }, "ended: nothing of the object is left on any cluster");
}

function isNewDecision(before: Target | undefined, target: Target): boolean {
  return (
    before === undefined ||
    before.scheduled.reason !== target.scheduled.reason ||
    clusterNames(before.clusters) !== clusterNames(target.clusters)
  );
}
