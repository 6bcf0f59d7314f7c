import { defined, type MemberCluster, REGION_LABEL, ZONE_LABEL } from "../../apis/index.ts";
import type { ClusterSnapshot, ClusterTaint } from "../../scheduler/index.ts";

/** Facts for scheduling decisions. `taints`: with the start times that were seen. */
export function clusterSnapshot(
  cluster: MemberCluster,
  taints: ClusterTaint[] = cluster.spec.taints ?? [],
): ClusterSnapshot {
  const labels = cluster.metadata.labels ?? {};
  const region = labels[REGION_LABEL];
  const zone = labels[ZONE_LABEL];
  const { provider, connection, deletionPolicy, namespaces } = cluster.spec;
  const isDeleted = cluster.metadata.deletionTimestamp !== undefined;
  return {
    name: cluster.metadata.name,
    labels,
    ...defined({ provider, region, zone }),
    taints,
    deleting: isDeleted && deletionPolicy !== undefined,
    ...(isDeleted && deletionPolicy === undefined ? { undecided: true as const } : {}),
    local: connection.local !== undefined,
    ...defined({ namespaces }),
    ...readyOf(cluster),
    ...(cluster.status?.apis === undefined ? {} : { apis: new Set(cluster.status.apis) }),
  };
}

/** The first contact with a new cluster is no reason to choose another cluster. */
function readyOf({ status }: MemberCluster): Pick<ClusterSnapshot, "ready"> {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.reason === "Connecting") return {};
  return { ready: { status: ready.status, since: Date.parse(ready.lastTransitionTime) } };
}
