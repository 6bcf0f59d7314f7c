import { type MemberCluster, REGION_LABEL, ZONE_LABEL } from "../apis/index.ts";
import type { ClusterSnapshot } from "../scheduler/index.ts";

/** What a decision may know of a MemberCluster. */
export function clusterSnapshot(cluster: MemberCluster): ClusterSnapshot {
  const labels = cluster.metadata.labels ?? {};
  const region = labels[REGION_LABEL];
  const zone = labels[ZONE_LABEL];
  const { provider, taints, connection } = cluster.spec;
  return {
    name: cluster.metadata.name,
    labels,
    ...(provider === undefined ? {} : { provider }),
    ...(region === undefined ? {} : { region }),
    ...(zone === undefined ? {} : { zone }),
    taints: taints ?? [],
    deleting: cluster.metadata.deletionTimestamp !== undefined,
    local: connection.local !== undefined,
  };
}
