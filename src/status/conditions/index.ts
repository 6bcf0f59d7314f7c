/** Builds the conditions of objects and policies. They contain no relative time. */
export { conditionsOf } from "./conditions.ts";
export { deletionText, deletionWait } from "./deletion.ts";
export { namingObjects } from "./named.ts";
export { type LostObjects, policyStatus } from "./policy.ts";
export { clustersWithout, isHeldByRollout } from "./rollout.ts";
export { FAILING_OVER, HANDOVER, statementsOf } from "./statements.ts";
