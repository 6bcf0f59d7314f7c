/**
 * The steps of planning one object that does not end: what wakes it, what it needs, whose it is, and its rows.
 *
 * Promises: a change that no plan depends on wakes no object; the rows and the waits of a plan change together.
 */
export { affectedBy, leavesClusters, ownersToReplan } from "./affected.ts";
export { changedFinished, changedHealthClocks, changedRecord, claim, isNews } from "./claims.ts";
export { footprintOf, type Leftovers, leftoversBeside, leftoversOf } from "./leftovers.ts";
export { declaredOf, type ResolvedObject, resolvedOf } from "./objectDependencies.ts";
export { awaitsMembers, isForMembers, waitsOfRollout } from "./openWaits.ts";
export { logChange, logEnd, logPlan, logRemoval } from "./planLog.ts";
export { attempted } from "./planningFailure.ts";
export { changedContent, isRelevant, relevantAmong } from "./relevance.ts";
export { RowPlanner } from "./rowPlanner.ts";
