/**
 * The lifecycle of MemberClusters: admission, deletion, garbage, Events.
 */
export { ClusterReconciler } from "./cluster.ts";
export { DeletionHoldReconciler } from "./deletionHolds.ts";
export { GarbageReconciler } from "./garbage.ts";
export { recordMemberEvents } from "./memberEvents.ts";
