import type { KubeObject } from "../../../apis/index.ts";
import type { Why } from "../../../desiredstate/index.ts";
import type { EventSink } from "../../../observability/index.ts";
import { recordOn } from "../../progress/index.ts";
import { keptOf, type ObjectStates } from "../../states/index.ts";

/**
 * Planning must not throw, whatever the hub holds. An exception is a bug: the rows stay as they are, the status reports
 * the failure, and the error goes on to the workqueue.
 */
export function attempted<T>(
  { states, events }: { states: ObjectStates; events: EventSink },
  owner: string,
  object: KubeObject,
  plan: () => T,
): T {
  try {
    return plan();
  } catch (error) {
    const before = states.planOf(owner);
    const name = error instanceof Error ? error.name : typeof error;
    const message = `the object could not be planned (${name}); the manager's log says more`;
    const failure: Why = { reason: "PlanningFailed", message };
    states.setPlan(owner, { ...keptOf(before, object), rollout: undefined, failure, ours: true });
    if (before?.failure === undefined)
      recordOn(events, object, { type: "Warning", reason: failure.reason, action: "Plan", note: message });
    throw error;
  }
}
