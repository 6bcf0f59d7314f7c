/** The watches on one member: one per kind (and namespace, for an account of single namespaces), each bounded. */
export { ClusterCache } from "./clusterCache.ts";
export { ALL_READABLE } from "./readability.ts";
