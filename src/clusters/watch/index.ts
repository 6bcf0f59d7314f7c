/**
 * The watches on one member.
 *
 * Promises: one watch per kind (per kind and namespace with restricted credentials); its size and its pages are bounded.
 */
export { ClusterCache } from "./clusterCache.ts";
