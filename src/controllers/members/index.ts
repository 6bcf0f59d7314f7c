/**
 * The lifecycle of MemberClusters. A deleted MemberCluster is drained (its objects are removed) or released (its
 * objects lose Meridian's marks and keep running).
 *
 * Promises: without a deletion policy, the objects on the member stay as they are; a deletion that waits says why.
 */
export { ClusterReconciler } from "./cluster.ts";
export { DeletionHoldReconciler } from "./deletionHolds.ts";
export { GarbageReconciler } from "./garbage.ts";
export { recordMemberEvents } from "./memberEvents.ts";
