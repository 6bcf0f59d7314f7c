/**
 * The watches on one member.
 *
 * Promises: one watch for each kind; its size and its pages are bounded.
 */
export { ClusterCache } from "./clusterCache.ts";
