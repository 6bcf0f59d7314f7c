import { counted, type FederatedStatus, type KubeObject, type OwnerRef, refOf, shortMessage } from "../apis/index.ts";
import type { Target, Why } from "../desiredstate/index.ts";
import type { EventRecorder, Logger } from "../observability/index.ts";

/** Where the object goes, or why nowhere, when that is news. `before`: the target of before, of this process. */
export function recordDecision(
  events: EventRecorder,
  object: KubeObject,
  target: Target,
  before: Target | undefined,
): void {
  const regarding = regardingOf(object);
  const status = object["status"] as FederatedStatus | undefined;
  if (target.scheduled.status === "False") {
    const { reason, message } = target.scheduled;
    const reported = status?.conditions?.find(({ type }) => type === "Scheduled");
    if ((before === undefined ? reported?.reason : before.scheduled.reason) === reason) return;
    events.record({ regarding, type: "Warning", reason, action: "Schedule", note: message });
    return;
  }
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

/** The overrides that cannot be applied, each once, with all that there is to say of them: the status has 120 characters. */
export function logProblems(logger: Logger, object: string, target: Target, before: Target | undefined): void {
  for (const { name, problem } of target.clusters) {
    const known = before?.clusters.find((one) => one.name === name)?.problem;
    if (problem === undefined || known?.message === problem.message) continue;
    logger.warn(
      { object, cluster: name, event_reason: problem.reason },
      `an override cannot be applied: ${problem.detail ?? problem.message}`,
    );
  }
}

export function recordPlanningFailure(events: EventRecorder, object: KubeObject, { reason, message }: Why): void {
  events.record({ regarding: regardingOf(object), type: "Warning", reason, action: "Plan", note: message });
}

/** How an object passes from one manager to another. */
export function recordHandover(
  events: EventRecorder,
  object: KubeObject,
  reason: "HandoverWaits" | "TakenOver",
  note: string,
): void {
  const regarding = regardingOf(object);
  events.record({ regarding, type: "Normal", reason, action: "TakeOver", note: shortMessage(note) });
}

/** Sorted, as one text. */
export function clusterNames(clusters: readonly { name: string }[]): string {
  return clusters
    .map(({ name }) => name)
    .toSorted()
    .join(", ");
}

function regardingOf(object: KubeObject): OwnerRef | ReturnType<typeof refOf> {
  const { uid } = object.metadata;
  return { ...refOf(object), ...(uid === undefined ? {} : { uid }) };
}
