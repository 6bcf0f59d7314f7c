import type { KubeObject } from "../../apis/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import type { EventRecorder } from "../../observability/index.ts";
import { recordPlanningFailure } from "../progress/index.ts";
import { lifeOf, type Plans } from "../tables/index.ts";

/**
 * Planning must not throw, whatever the hub holds. An exception is a bug of Meridian: the rows stay as they are, and
 * the status reports the failure. The error goes on to the workqueue, which logs the error and retries.
 */
export function attempted<T>(
  { plans, events }: { plans: Plans; events: EventRecorder },
  owner: string,
  object: KubeObject,
  plan: () => T,
): T {
  try {
    return plan();
  } catch (error) {
    const before = plans.get(owner);
    const name = error instanceof Error ? error.name : typeof error;
    const message = `the object could not be planned (${name}); the manager's log says more`;
    const failure: Why = { reason: "PlanningFailed", message };
    const life = lifeOf(object);
    const same = before?.uid === life.uid ? before : undefined;
    const { target, remaining = new Set<string>() } = same ?? {};
    plans.set(owner, { ...life, target, remaining, failure, ours: true });
    if (before?.failure === undefined) recordPlanningFailure(events, object, failure);
    throw error;
  }
}
