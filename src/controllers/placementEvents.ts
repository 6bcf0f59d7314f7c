import { type FederatedStatus, type KubeObject, type OwnerRef, refOf } from "../apis/index.ts";
import type { Plan } from "../desiredstate/index.ts";
import { shortMessage } from "../interpreter/index.ts";
import type { EventRecorder } from "../observability/index.ts";

/** Where the object goes, or why nowhere, when that is news. `before`: the plan of before, of this process. */
export function tellDecision(events: EventRecorder, object: KubeObject, plan: Plan, before: Plan | undefined): void {
  const regarding = regardingOf(object);
  const status = object["status"] as FederatedStatus | undefined;
  if (plan.scheduled.status === "False") {
    const { reason, message } = plan.scheduled;
    const reported = status?.conditions?.find(({ type }) => type === "Scheduled");
    if ((before === undefined ? reported?.reason : before.scheduled.reason) === reason) return;
    events.record({ regarding, type: "Warning", reason, action: "Schedule", note: message });
    return;
  }
  const chosen = names(plan.clusters);
  if (chosen === names((before === undefined ? status?.clusters : before.clusters) ?? [])) return;
  events.record({
    regarding,
    type: "Normal",
    reason: "Scheduled",
    action: "Schedule",
    note: shortMessage(`placed on ${plan.clusters.length} clusters: ${chosen}`),
  });
}

/** How an object passes from one manager to another. */
export function tellHandover(
  events: EventRecorder,
  object: KubeObject,
  reason: "HandoverWaits" | "TakenOver",
  note: string,
): void {
  const regarding = regardingOf(object);
  events.record({ regarding, type: "Normal", reason, action: "TakeOver", note: shortMessage(note) });
}

/** Sorted, as one text. */
export function names(clusters: readonly { name: string }[]): string {
  return clusters
    .map(({ name }) => name)
    .toSorted()
    .join(", ");
}

function regardingOf(object: KubeObject): OwnerRef | ReturnType<typeof refOf> {
  const { uid } = object.metadata;
  return { ...refOf(object), ...(uid === undefined ? {} : { uid }) };
}
