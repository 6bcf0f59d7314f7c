/**
 * Reports the progress of planning: Events of placement, and the progress of policies. Promises: one Event for each
 * change.
 */
export { DelayedWarnings } from "./delayedWarnings.ts";
export {
  clusterNames,
  logProblems,
  recordDecision,
  recordFinalizer,
  recordOn,
  recordStart,
  regardingOf,
  warnLater,
} from "./placementEvents.ts";
export { PolicyProgress } from "./policyProgress.ts";
