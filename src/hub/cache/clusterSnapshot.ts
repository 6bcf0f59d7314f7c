import { defined, type MemberCluster, REGION_LABEL, ZONE_LABEL } from "../../apis/index.ts";
import type { ClusterSnapshot, ClusterTaint } from "../../scheduler/index.ts";

/** What a decision may know of a MemberCluster. `taints`: those that it has, with the beginnings that were seen. */
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

/** Nothing while the first contact is being made: that a cluster is new is no reason to go elsewhere. */
function readyOf({ status }: MemberCluster): Pick<ClusterSnapshot, "ready"> {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.reason === "Connecting") return {};
  return { ready: { status: ready.status, since: Date.parse(ready.lastTransitionTime) } };
}
