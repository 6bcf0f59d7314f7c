import { BAD_APPLICATIONS } from "./badApplications.ts";
import { BAD_DEPENDENCIES } from "./badDependencies.ts";
import { BAD_BUNDLES, BAD_OVERRIDES } from "./badOverrides.ts";
import type { BadObject } from "./badObject.ts";
import { clusterObject as cluster, clusterPlacementObject, placementObject as placement } from "./policyObjects.ts";

const divided = (more: object) => placement({ replicaScheduling: { mode: "Divided", ...more } });
const labels = (requirement: object) =>
  placement({ clusterAffinities: [{ name: "a", labelSelector: { matchExpressions: [requirement] } }] });
const expression = "spec.clusterAffinities[0].labelSelector.matchExpressions[0]";
const selector = (more: object) =>
  placement({ resourceSelectors: [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", ...more }] });
const twoClusters = { clusterNames: ["a", "a"] };

const clusters: BadObject[] = [
  { name: "a connection of no sort", object: cluster({ connection: {} }), field: "spec.connection" },
  {
    name: "a connection of two sorts",
    object: cluster({ connection: { local: {}, pull: {} } }),
    field: "spec.connection",
  },
  { name: "no connection", object: cluster({ connection: undefined }), field: "spec.connection" },
  {
    name: "a Secret without a name",
    object: cluster({ connection: { kubeconfigSecretRef: { key: "k" } } }),
    field: "spec.connection.kubeconfigSecretRef.name",
  },
  {
    name: "a Secret of another namespace",
    object: cluster({ connection: { kubeconfigSecretRef: { name: "s", namespace: "kube-system" } } }),
    field: "spec.connection.kubeconfigSecretRef.namespace",
  },
  { name: "a taint without an effect", object: cluster({ taints: [{ key: "a" }] }), field: "spec.taints[0].effect" },
  {
    name: "a taint with an effect that there is not",
    object: cluster({ taints: [{ key: "a", effect: "Never" }] }),
    field: "spec.taints[0].effect",
  },
  {
    name: "a taint with a time that is none",
    object: cluster({ taints: [{ key: "a", effect: "NoExecute", timeAdded: "yesterday" }] }),
    field: "spec.taints[0].timeAdded",
  },
  {
    name: "the same taint twice",
    object: cluster({
      taints: [
        { key: "a", effect: "NoExecute" },
        { key: "a", effect: "NoExecute", value: "b" },
      ],
    }),
    field: "spec.taints[1]",
  },
  { name: "a name with a dot", object: cluster({}, "shanghai.1"), field: "metadata.name" },
  ...BAD_DEPENDENCIES,
  {
    name: "a retained field of a kind that is not on members",
    object: placement({ retain: [{ kind: "ManifestBundle", path: "spec.manifests" }] }),
    field: "spec.retain[0].kind",
  },
  {
    name: "a deletionPolicy that there is not",
    object: cluster({ deletionPolicy: "Delete" }),
    field: "spec.deletionPolicy",
  },
];

const placements: BadObject[] = [
  { name: "no selectors", object: placement({ resourceSelectors: [] }), field: "spec.resourceSelectors" },
  { name: "a selector without a kind", object: selector({ kind: undefined }), field: "spec.resourceSelectors[0].kind" },
  {
    name: "a selector of a kind in small letters",
    object: selector({ kind: "deployment" }),
    field: "spec.resourceSelectors[0].kind",
  },
  {
    name: "an apiVersion that is none",
    object: selector({ apiVersion: "apps/v1/x" }),
    field: "spec.resourceSelectors[0].apiVersion",
  },
  {
    name: "a selector of policies",
    object: selector({ apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "Placement" }),
    field: "spec.resourceSelectors[0].kind",
  },
  { name: "a priority beyond bounds", object: placement({ priority: 2_000_000_000 }), field: "spec.priority" },
  {
    name: "two groups of one name",
    object: placement({ clusterAffinities: [{ name: "a" }, { name: "a" }] }),
    field: "spec.clusterAffinities[1]",
  },
  {
    name: "a group without a name",
    object: placement({ clusterAffinities: [{}] }),
    field: "spec.clusterAffinities[0].name",
  },
  {
    name: "a cluster twice",
    object: placement({ clusterAffinities: [{ name: "a", ...twoClusters }] }),
    field: "spec.clusterAffinities[0].clusterNames[1]",
  },
  { name: "In without values", object: labels({ key: "tier", operator: "In" }), field: `${expression}.values` },
  {
    name: "NotIn with an empty list",
    object: labels({ key: "tier", operator: "NotIn", values: [] }),
    field: `${expression}.values`,
  },
  {
    name: "Exists with values",
    object: labels({ key: "tier", operator: "Exists", values: ["a"] }),
    field: `${expression}.values`,
  },
  {
    name: "DoesNotExist with values",
    object: labels({ key: "tier", operator: "DoesNotExist", values: ["a"] }),
    field: `${expression}.values`,
  },
  {
    name: "an operator that there is not",
    object: labels({ key: "tier", operator: "Gt", values: ["1"] }),
    field: `${expression}.operator`,
  },
  { name: "a label key that is none", object: labels({ key: "a b", operator: "Exists" }), field: `${expression}.key` },
  {
    name: "a label value that is none",
    object: placement({ clusterAffinities: [{ name: "a", labelSelector: { matchLabels: { tier: "a b" } } }] }),
    field: "spec.clusterAffinities[0].labelSelector.matchLabels.tier",
  },
  {
    name: "a key of matchLabels that is none",
    object: placement({ clusterAffinities: [{ name: "a", labelSelector: { matchLabels: { "a b": "c" } } }] }),
    field: "spec.clusterAffinities[0].labelSelector.matchLabels",
  },
  {
    name: "a field of clusters that there is not",
    object: placement({
      clusterAffinities: [
        { name: "a", fieldSelector: { matchExpressions: [{ key: "continent", operator: "Exists" }] } },
      ],
    }),
    field: "spec.clusterAffinities[0].fieldSelector.matchExpressions[0].key",
  },
  {
    name: "a toleration with Exists and a value",
    object: placement({ tolerations: [{ key: "a", operator: "Exists", value: "b" }] }),
    field: "spec.tolerations[0].value",
  },
  {
    name: "a toleration with Equal and no key",
    object: placement({ tolerations: [{ value: "b" }] }),
    field: "spec.tolerations[0].key",
  },
  {
    name: "tolerationSeconds with another effect than NoExecute",
    object: placement({ tolerations: [{ key: "a", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 5 }] }),
    field: "spec.tolerations[0].tolerationSeconds",
  },
  {
    name: "minGroups above maxGroups",
    object: placement({ spreadConstraints: [{ topologyKey: "region", minGroups: 3, maxGroups: 2 }] }),
    field: "spec.spreadConstraints[0].minGroups",
  },
  {
    name: "fewer clusters than groups",
    object: placement({ clusterCount: 2, spreadConstraints: [{ topologyKey: "region", minGroups: 3 }] }),
    field: "spec.clusterCount",
  },
  {
    name: "a topologyKey that there is not",
    object: placement({ spreadConstraints: [{ topologyKey: "regoin", minGroups: 1 }] }),
    field: "spec.spreadConstraints[0].topologyKey",
  },
  {
    name: "a mode that there is not",
    object: placement({ replicaScheduling: { mode: "Spread" } }),
    field: "spec.replicaScheduling.mode",
  },
  {
    name: "replicas outside of the spec",
    object: placement({ replicaScheduling: { path: "status.replicas" } }),
    field: "spec.replicaScheduling.path",
  },
  {
    name: "replicas at a path that is none",
    object: placement({ replicaScheduling: { path: ".spec.replicas" } }),
    field: "spec.replicaScheduling.path",
  },
  {
    name: "replicas in a list",
    object: placement({ replicaScheduling: { path: "spec.pools[0].size" } }),
    field: "spec.replicaScheduling.path",
  },
  {
    name: "a strategy without dividing",
    object: placement({ replicaScheduling: { strategy: "Weighted" } }),
    field: "spec.replicaScheduling.strategy",
  },
  {
    name: "weights without dividing",
    object: placement({ replicaScheduling: { mode: "Duplicated", weights: [{ targetClusters: {}, weight: 1 }] } }),
    field: "spec.replicaScheduling.weights",
  },
  {
    name: "weights with another strategy",
    object: divided({ strategy: "Aggregated", weights: [{ targetClusters: {}, weight: 1 }] }),
    field: "spec.replicaScheduling.weights",
  },
  {
    name: "no weight above 0",
    object: divided({ weights: [{ targetClusters: {}, weight: 0 }] }),
    field: "spec.replicaScheduling.weights",
  },
  {
    name: "a negative weight",
    object: divided({ weights: [{ targetClusters: {}, weight: -1 }] }),
    field: "spec.replicaScheduling.weights[0].weight",
  },
  {
    name: "minReplicasPerCluster above maxReplicasPerCluster",
    object: divided({ minReplicasPerCluster: 3, maxReplicasPerCluster: 2 }),
    field: "spec.replicaScheduling.minReplicasPerCluster",
  },
  {
    name: "maxReplicasPerCluster without dividing",
    object: placement({ replicaScheduling: { mode: "Duplicated", maxReplicasPerCluster: 2 } }),
    field: "spec.replicaScheduling.mode",
  },
  {
    name: "two stages of one name",
    object: placement({ rollout: { stages: [{ name: "a" }, { name: "a" }] } }),
    field: "spec.rollout.stages[1]",
  },
  {
    name: "a soak that is no duration",
    object: placement({ rollout: { stages: [{ name: "a", soak: "soon" }] } }),
    field: "spec.rollout.stages[0].soak",
  },
  {
    name: "a maxConcurrency of no cluster",
    object: placement({ rollout: { stages: [{ name: "a", maxConcurrency: "0%" }] } }),
    field: "spec.rollout.stages[0].maxConcurrency",
  },
  {
    name: "a gate above 100%",
    object: placement({ rollout: { gate: { available: "101%" } } }),
    field: "spec.rollout.gate.available",
  },
  {
    name: "a share that is none",
    object: placement({ failover: { maxUnhealthyClusters: "many" } }),
    field: "spec.failover.maxUnhealthyClusters",
  },
  {
    name: "the health of a kind that has none",
    object: placement({ health: [{ kind: "Secret", available: "true" }] }),
    field: "spec.health[0].kind",
  },
  {
    name: "the health of a kind that is not on members",
    object: placement({ health: [{ kind: "DemoApplication", available: "true" }] }),
    field: "spec.health[0].kind",
  },
  {
    name: "a health that says nothing",
    object: placement({ health: [{ kind: "MysqlCluster" }] }),
    field: "spec.health[0]",
  },
  {
    name: "the health of one kind twice",
    object: placement({
      health: [
        { kind: "MysqlCluster", available: "true" },
        { kind: "MysqlCluster", failed: "false" },
      ],
    }),
    field: "spec.health[1]",
  },
  {
    name: "a retained name",
    object: placement({ retain: [{ kind: "Deployment", path: "metadata.name" }] }),
    field: "spec.retain[0].path",
  },
  {
    name: "a deletionPolicy that there is not",
    object: placement({ deletionPolicy: "Keep" }),
    field: "spec.deletionPolicy",
  },
  {
    name: "a conflictResolution that there is not",
    object: clusterPlacementObject({ conflictResolution: "Force" }),
    field: "spec.conflictResolution",
  },
  { name: "suspend that is a text", object: clusterPlacementObject({ suspend: "yes" }), field: "spec.suspend" },
];

export const BAD_OBJECTS: readonly BadObject[] = [
  ...BAD_APPLICATIONS,
  ...clusters,
  ...placements,
  ...BAD_OVERRIDES,
  ...BAD_BUNDLES,
].map((bad) => ({
  ...bad,
  name: `${bad.object.kind}: ${bad.name}`,
}));
