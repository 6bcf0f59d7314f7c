import {
  counted,
  defined,
  type FederatedStatus,
  fullMessage,
  generationOf,
  isSameMessage,
  type KubeObject,
  type OwnerRef,
  type Reason,
  refOf,
  shortMessage,
} from "../../apis/index.ts";
import type { Problem, Target, Why } from "../../desiredstate/index.ts";
import type { EventRecord, EventRecorder, FailoverReason, Logger } from "../../observability/index.ts";

import type { DelayedWarnings } from "./delayedWarnings.ts";
import type { ObjectStates } from "../states/index.ts";

const LACKING: ReadonlySet<string> = new Set<Reason>(["DependencyMissing", "DependencyUnresolved", "DuplicateEntries"]);

export interface DecisionSinks {
  /** Receives warnings that may be over in a moment. Default: the warnings are recorded at once. */
  warn?: (warning: EventRecord) => void;
  /** Called if an object has left a cluster by failover for this reason, or has returned to a cluster. */
  failedOver?: (reason: FailoverReason) => void;
}

/**
 * Records the clusters of the object, or why it has none, if this has changed. `before`: the previous target in this
 * process.
 */
export function recordDecision(
  events: Pick<EventRecorder, "record">,
  object: KubeObject,
  target: Target,
  { before, status }: { before: Target | undefined; status: FederatedStatus | undefined },
  { warn = (warning) => events.record(warning), failedOver }: DecisionSinks = {},
): void {
  const regarding = regardingOf(object);
  recordFailover(events, regarding, target, { before, status }, failedOver);
  recordRescheduling(events, regarding, target);
  if (target.scheduled.status === "False") {
    const { reason, message } = target.scheduled;
    const reported = status?.conditions?.find(({ type }) => type === "Scheduled");
    if ((before === undefined ? reported?.reason : before.scheduled.reason) === reason) return;
    warn({ regarding, type: "Warning", reason, action: "Schedule", note: fullMessage(message) });
    return;
  }
  const missing = missingOf(target);
  const reported = status?.clusters?.some(({ reason }) => reason === missing?.reason) === true;
  if (
    missing !== undefined &&
    (before === undefined ? !reported : !isSameMessage(missingOf(before)?.message, missing.message))
  )
    warn({ regarding, type: "Warning", reason: missing.reason, action: "Resolve", note: fullMessage(missing.message) });
  const chosen = clusterNames(target.clusters);
  if (chosen === clusterNames((before === undefined ? status?.clusters : before.clusters) ?? [])) return;
  events.record({
    regarding,
    type: "Normal",
    reason: "Scheduled",
    action: "Schedule",
    note: shortMessage(`placed on ${counted(target.clusters.length, "cluster")}: ${chosen}`),
  });
}

/** Records that the object left a cluster by failover, returned to one, or that failover was held. */
function recordFailover(
  events: Pick<EventRecorder, "record">,
  regarding: EventRecord["regarding"],
  { failover, clusters }: Target,
  { before, status }: { before: Target | undefined; status: FederatedStatus | undefined },
  failedOver: DecisionSinks["failedOver"],
): void {
  if (failover === undefined) return;
  const left = before?.failover?.departures ?? status?.departures ?? [];
  for (const { cluster, reason } of failover.departures) {
    if (left.some((one) => one.cluster === cluster)) continue;
    const note = shortMessage(
      `left ${cluster} (${reason}); it is placed on ${clusters.map(({ name }) => name).join(", ")}`,
    );
    events.record({ regarding, type: "Warning", reason: "FailedOver", action: "FailOver", note });
    failedOver?.(reason);
  }
  for (const { cluster } of left) {
    if (!clusters.some(({ name }) => name === cluster)) continue;
    const note = `returned to ${cluster}`;
    events.record({ regarding, type: "Normal", reason: "ReturnedToCluster", action: "FailOver", note });
    failedOver?.("Returned");
  }
  const { reason, message } = failover.condition;
  const reported = status?.conditions?.find(({ type }) => type === "FailingOver")?.reason;
  const was = before?.failover?.condition.reason ?? reported;
  if (HINDERED.has(reason) && was !== reason)
    events.record({ regarding, type: "Warning", reason, action: "FailOver", note: fullMessage(message) });
}

/** Records replicas that leave a cluster, once: later plans start from the lower number of replicas. */
function recordRescheduling(
  events: Pick<EventRecorder, "record">,
  regarding: EventRecord["regarding"],
  { decision, clusters }: Target,
): void {
  for (const [cluster, count] of decision.room?.left ?? []) {
    const note = shortMessage(
      `${counted(count, "replica")} ${count === 1 ? "leaves" : "leave"} ${cluster}, where pods find no node; placed on ${clusterNames(clusters)}`,
    );
    events.record({ regarding, type: "Normal", reason: "Rescheduled", action: "Reschedule", note });
  }
}

const HINDERED: ReadonlySet<string> = new Set<Reason>(["FailoverHeld", "NowhereToGo", "UnhealthyEverywhere"]);

/** Logs why an object cannot be written as wanted, once for each cluster. */
export function logProblems(logger: Logger, object: string, target: Target, before: Target | undefined): void {
  for (const { name, problem } of target.clusters) {
    const known = before?.clusters.find((one) => one.name === name)?.problem;
    if (problem === undefined || isSameMessage(known?.message, problem.message)) continue;
    logger.warn(
      { object, cluster: name, event_reason: problem.reason },
      `${isOfOverride(problem) ? "an override cannot be applied" : "the object cannot be sent"}: ${fullMessage(problem.message)}`,
    );
  }
}

/** True if an override has to change. Otherwise the object or one of its dependencies has to change. */
function isOfOverride({ policy, reason }: Problem): boolean {
  return policy !== undefined || OF_OVERRIDES.has(reason);
}

const OF_OVERRIDES: ReadonlySet<string> = new Set<Reason>(["InvalidOverride", "InvalidPatch", "ProtectedField"]);

/** Records a warning if it still holds a moment later: the rest of the manifests may be on the way. */
export function warnLater(
  { states, warnings }: { states: Pick<ObjectStates, "planOf">; warnings: Pick<DelayedWarnings, "warn"> },
  owner: string,
  warning: EventRecord,
): void {
  warnings.warn(`${owner} ${warning.reason}`, warning, () => {
    const target = states.planOf(owner)?.target;
    return target !== undefined && [target.scheduled.reason, missingOf(target)?.reason].includes(warning.reason);
  });
}

/** The warning about a dependency that is missing, unresolved or ambiguous. */
function missingOf({ clusters }: Target): Why | undefined {
  return clusters.find(({ warning }) => warning !== undefined && LACKING.has(warning.reason))?.warning;
}

export function recordOn(
  events: Pick<EventRecorder, "record">,
  object: Parameters<typeof regardingOf>[0],
  event: Omit<EventRecord, "regarding">,
): void {
  events.record({ regarding: regardingOf(object), ...event });
}

/** The caller calls this once for each generation; the recorder keeps the Event only in debug mode. */
export function recordStart(events: Pick<EventRecorder, "record">, object: KubeObject): void {
  const note = `generation ${generationOf(object.metadata)} is being planned`;
  recordOn(events, object, { type: "Normal", reason: "ReconcileStarted", action: "Plan", note, debug: true });
}

export function recordFinalizer(
  events: Pick<EventRecorder, "record">,
  object: Parameters<typeof regardingOf>[0],
  note: string,
  debug?: true,
): void {
  recordOn(events, object, { type: "Normal", reason: "FinalizerAdded", action: "Claim", note, ...defined({ debug }) });
}

export function clusterNames(clusters: readonly { name: string }[]): string {
  return clusters
    .map(({ name }) => name)
    .toSorted()
    .join(", ");
}

export function regardingOf(object: {
  apiVersion: string;
  kind: string;
  metadata: KubeObject["metadata"];
}): OwnerRef | ReturnType<typeof refOf> {
  const { uid } = object.metadata;
  return { ...refOf(object), ...defined({ uid }) };
}
