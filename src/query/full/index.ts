/**
 * One placed object with everything that the hub knows of it: every cluster, waits, rollout, the explanation of the
 * decision, and the difference between desired objects and copies.
 *
 * Promises: no member is asked, and every cluster says when it was observed. Values of Secrets and of dependencies are
 * never shown. Without the right to list memberclusters, nothing is told of clusters where the object is not.
 */
export { type FullObject, type FullOptions, FullObjects, type FullSource } from "./fullObjects.ts";
