/**
 * Decides which clusters run an object and how many replicas each gets. It filters by affinity, lifecycle and taints, and
 * divides replicas by weight.
 *
 * It promises the same answer for the same values, whatever the order of the clusters; a reason for every cluster, also
 * for the chosen ones; replicas that add up to what the object asks for whenever the bounds allow it; and `notes` for
 * whatever a placement asks for and does not get. It never calls a client, never reads a clock and never throws.
 */
export { type ClusterMatcher, clusterMatcher } from "./clusterMatcher.ts";
export { sortedByName } from "./order.ts";
export { schedule } from "./schedule.ts";
export type { ClusterSnapshot, Decision, PlacementRules, Subject, Verdict } from "./types.ts";
