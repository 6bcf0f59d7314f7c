/**
 * The rollout of one object in stages: the revision of each cluster, the decision on the hub, and the report.
 *
 * Promises: the hub holds each step of a rollout before a row follows from it.
 */
export { recordPlanned } from "./decision.ts";
export { type Decide, type ObjectRollout, RolloutStep, type RolloutStepSources } from "./rolloutStep.ts";
