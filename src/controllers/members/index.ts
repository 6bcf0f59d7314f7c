/**
 * The lifecycle and the status of MemberClusters: which clusters are to be connected, and what becomes of the reports
 * about them. A deleted MemberCluster is drained (its objects are removed) or released (its
 * objects lose Meridian's marks and keep running).
 *
 * Promises: without a deletion policy, the objects on the member stay as they are; a deletion that waits says why. A
 * status is written when it has changed, and only by the manager that owns the MemberCluster. Contact that flaps causes
 * few writes.
 */
export { ClusterReconciler } from "./cluster.ts";
export { ConnectedMembers } from "./connectedMembers.ts";
export { DeletionHoldReconciler } from "./deletionHolds.ts";
export { GarbageReconciler } from "./garbage.ts";
export { recordMemberEvents } from "./memberEvents.ts";
