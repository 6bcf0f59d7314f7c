import { type ClusterSelector, matchesClusterSelector } from "../apis/index.ts";
import type { ClusterSnapshot } from "./types.ts";

/** Whether a selector takes the cluster for an object with these labels. */
export type ClusterMatcher = (
  cluster: ClusterSnapshot,
  objectLabels: Readonly<Record<string, string>> | undefined,
) => boolean;

export function clusterMatcher(selector: ClusterSelector | undefined): ClusterMatcher {
  return (cluster, labels) => matchesClusterSelector(selector, cluster, labels);
}
