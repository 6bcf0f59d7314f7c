import {
  defined,
  type FederatedStatus,
  type KubeObject,
  type MemberCluster,
  type Placement,
} from "../../../apis/index.ts";

/** Kinds that a person with rights in one namespace may not list. */
export type HiddenKind = "clusterplacements" | "clusteroverridepolicies" | "memberclusters";

/** Undefined if nothing is hidden. */
export function hiddenNote(hidden: ReadonlySet<HiddenKind>): string | undefined {
  if (hidden.size === 0) return undefined;
  const kinds = [...hidden].toSorted().join(", ");
  return `Hidden from you: ${kinds}. Objects are taken to stay on the clusters that their status names, with what it says of the policy; ask the hub's administrator for the right to list these kinds (group federation.paas.cmft.com) to see the whole decision.`;
}

/** Stand-ins for clusters that the person may not read: only their names are known, from statuses. */
export function assumedClusters(statuses: readonly (FederatedStatus | undefined)[]): MemberCluster[] {
  const names = new Set(statuses.flatMap((status) => (status?.clusters ?? []).map(({ name }) => name)));
  return [...names].toSorted().map(
    (name) =>
      ({
        apiVersion: "federation.paas.cmft.com/v1alpha1",
        kind: "MemberCluster",
        metadata: { name },
        spec: { connection: {} },
        status: { conditions: [{ type: "Ready", status: "True" }] },
      }) as unknown as MemberCluster,
  );
}

/** A stand-in policy that keeps the object on the clusters of its status; undefined if the person sees the real one. */
export function pinnedPlacement(
  hidden: ReadonlySet<HiddenKind>,
  object: KubeObject,
  status: FederatedStatus | undefined,
): Placement | undefined {
  const clusters = status?.clusters ?? [];
  const placedBy = status?.placement;
  if (clusters.length === 0 || placedBy === undefined) return undefined;
  const isHidden =
    hidden.has("memberclusters") || (hidden.has("clusterplacements") && placedBy.kind === "ClusterPlacement");
  if (!isHidden) return undefined;
  const { apiVersion, kind, metadata } = object;
  const names = clusters.map(({ name }) => name);
  return {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: placedBy.kind as Placement["kind"],
    metadata: { name: placedBy.name, ...defined({ namespace: placedBy.namespace }) },
    spec: {
      resourceSelectors: [{ apiVersion, kind, name: metadata.name }],
      clusterAffinities: [{ name: "status", clusterNames: names }],
      tolerations: [{ operator: "Exists" }],
      replicaScheduling: schedulingAsNow(object, clusters),
    },
  } as Placement;
}

/** Gives each cluster all replicas, or its present share. */
function schedulingAsNow(
  object: KubeObject,
  clusters: NonNullable<FederatedStatus["clusters"]>,
): Placement["spec"]["replicaScheduling"] {
  const spec = object["spec"] as { replica?: unknown; replicas?: unknown } | undefined;
  const asked = spec?.replica ?? spec?.replicas;
  const shares = clusters.map(({ name, replicas }) => ({ name, desired: replicas?.desired ?? 0 }));
  const sum = shares.reduce((all, { desired }) => all + desired, 0);
  // A different sum comes from overrides, which count besides this scheduling.
  if (sum !== asked || sum === 0 || shares.length === 1) return { mode: "Duplicated" };
  const weights = shares
    .filter(({ desired }) => desired > 0)
    .map(({ name, desired }) => ({ targetClusters: { clusterNames: [name] }, weight: desired }));
  return { mode: "Divided", strategy: "Weighted", weights };
}
