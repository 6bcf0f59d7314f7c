/**
 * Reports the progress of planning: Events of placement, and the progress of policies.
 *
 * Promises: an Event is recorded once for each change.
 */
export { DelayedWarnings } from "./delayedWarnings.ts";
export {
  clusterNames,
  logProblems,
  recordDecision,
  recordFinalizer,
  recordHandover,
  recordPlanningFailure,
  recordStart,
  regardingOf,
  warnLater,
} from "./placementEvents.ts";
export { PolicyProgress } from "./policyProgress.ts";
