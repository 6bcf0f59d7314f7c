import { type FederatedStatus, generationOf, type KubeObject } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { ReconcileContext } from "../../runtime/index.ts";
import { isUnanswered, type Plan } from "../tables/index.ts";
import { clusterNames } from "../progress/index.ts";

/** The lines of one object's planning: with those of the workers and of the status they tell a change from the hub to the last member. */

/** What was known of an object: its last plan, and what was said of it last. */
export interface Before {
  plan: Plan | undefined;
  status: FederatedStatus | undefined;
  /** The key of what else than the object has changed. */
  cause?: string | undefined;
}

/** The object is new, or another one than at the last plan. A manager that starts finds most objects as they were. */
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

/** `changed`: the clusters where another thing is asked for than before. */
export function logPlan(
  { logger }: ReconcileContext,
  owner: string,
  object: KubeObject,
  target: Target,
  { plan: before, status, cause }: Before,
  changed: ReadonlySet<string>,
): void {
  if (changed.size === 0 && !isNewDecision(before?.target, target)) return;
  // After a start everything is planned once, and most of it is there already.
  const level = before !== undefined || isUnanswered(object, status) ? "info" : "debug";
  if (!logger.isLevelEnabled(level)) return;
  const { reason, message } = target.scheduled;
  const fields = { object: owner, resource_uid: object.metadata.uid, clusters: target.clusters.length, reason };
  logger[level]({ ...fields, changed: changed.size, cause }, `planned: ${message}`);
}

/** Of an object that is being deleted. */
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
