import { BAD_APPLICATIONS } from "./badApplications.ts";
import { BAD_DEPENDENCIES } from "./badDependencies.ts";
import { BAD_BUNDLES, BAD_OVERRIDES } from "./badOverrides.ts";
import type { BadRow } from "./badObject.ts";
import { clusterObject as cluster, clusterPlacementObject, placementObject as placement } from "./policyObjects.ts";

const divided = (more: object) => placement({ replicaScheduling: { mode: "Divided", ...more } });
const labels = (requirement: object) =>
  placement({ clusterAffinities: [{ name: "a", labelSelector: { matchExpressions: [requirement] } }] });
const expression = "spec.clusterAffinities[0].labelSelector.matchExpressions[0]";
const selector = (more: object) =>
  placement({ resourceSelectors: [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", ...more }] });
const twoClusters = { clusterNames: ["a", "a"] };

const clusters: BadRow[] = [
  ["a connection of no sort", cluster({ connection: {} }), "spec.connection"],
  ["a connection of two sorts", cluster({ connection: { local: {}, pull: {} } }), "spec.connection"],
  ["no connection", cluster({ connection: undefined }), "spec.connection"],
  [
    "a Secret without a name",
    cluster({ connection: { kubeconfigSecretRef: { key: "k" } } }),
    "spec.connection.kubeconfigSecretRef.name",
  ],
  [
    "a Secret of another namespace",
    cluster({ connection: { kubeconfigSecretRef: { name: "s", namespace: "kube-system" } } }),
    "spec.connection.kubeconfigSecretRef.namespace",
  ],
  ["a taint without an effect", cluster({ taints: [{ key: "a" }] }), "spec.taints[0].effect"],
  [
    "a taint with an effect that there is not",
    cluster({ taints: [{ key: "a", effect: "Never" }] }),
    "spec.taints[0].effect",
  ],
  [
    "a taint with a time that is none",
    cluster({ taints: [{ key: "a", effect: "NoExecute", timeAdded: "yesterday" }] }),
    "spec.taints[0].timeAdded",
  ],
  [
    "the same taint twice",
    cluster({
      taints: [
        { key: "a", effect: "NoExecute" },
        { key: "a", effect: "NoExecute", value: "b" },
      ],
    }),
    "spec.taints[1]",
  ],
  ["a name with a dot", cluster({}, "shanghai.1"), "metadata.name"],
  ...BAD_DEPENDENCIES,
  [
    "a retained field of a kind that is not on members",
    placement({ retain: [{ kind: "ManifestBundle", path: "spec.manifests" }] }),
    "spec.retain[0].kind",
  ],
  ["a deletionPolicy that there is not", cluster({ deletionPolicy: "Delete" }), "spec.deletionPolicy"],
];

const placements: BadRow[] = [
  ["no selectors", placement({ resourceSelectors: [] }), "spec.resourceSelectors"],
  ["a selector without a kind", selector({ kind: undefined }), "spec.resourceSelectors[0].kind"],
  ["a selector of a kind in small letters", selector({ kind: "deployment" }), "spec.resourceSelectors[0].kind"],
  ["an apiVersion that is none", selector({ apiVersion: "apps/v1/x" }), "spec.resourceSelectors[0].apiVersion"],
  [
    "a selector of policies",
    selector({ apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "Placement" }),
    "spec.resourceSelectors[0].kind",
  ],
  ["a priority beyond bounds", placement({ priority: 2_000_000_000 }), "spec.priority"],
  [
    "two groups of one name",
    placement({ clusterAffinities: [{ name: "a" }, { name: "a" }] }),
    "spec.clusterAffinities[1]",
  ],
  ["a group without a name", placement({ clusterAffinities: [{}] }), "spec.clusterAffinities[0].name"],
  [
    "a cluster twice",
    placement({ clusterAffinities: [{ name: "a", ...twoClusters }] }),
    "spec.clusterAffinities[0].clusterNames[1]",
  ],
  ["In without values", labels({ key: "tier", operator: "In" }), `${expression}.values`],
  ["NotIn with an empty list", labels({ key: "tier", operator: "NotIn", values: [] }), `${expression}.values`],
  ["Exists with values", labels({ key: "tier", operator: "Exists", values: ["a"] }), `${expression}.values`],
  [
    "DoesNotExist with values",
    labels({ key: "tier", operator: "DoesNotExist", values: ["a"] }),
    `${expression}.values`,
  ],
  ["an operator that there is not", labels({ key: "tier", operator: "Gt", values: ["1"] }), `${expression}.operator`],
  ["a label key that is none", labels({ key: "a b", operator: "Exists" }), `${expression}.key`],
  [
    "a label value that is none",
    placement({ clusterAffinities: [{ name: "a", labelSelector: { matchLabels: { tier: "a b" } } }] }),
    "spec.clusterAffinities[0].labelSelector.matchLabels.tier",
  ],
  [
    "a key of matchLabels that is none",
    placement({ clusterAffinities: [{ name: "a", labelSelector: { matchLabels: { "a b": "c" } } }] }),
    "spec.clusterAffinities[0].labelSelector.matchLabels",
  ],
  [
    "a field of clusters that there is not",
    placement({
      clusterAffinities: [
        { name: "a", fieldSelector: { matchExpressions: [{ key: "continent", operator: "Exists" }] } },
      ],
    }),
    "spec.clusterAffinities[0].fieldSelector.matchExpressions[0].key",
  ],
  [
    "a toleration with Exists and a value",
    placement({ tolerations: [{ key: "a", operator: "Exists", value: "b" }] }),
    "spec.tolerations[0].value",
  ],
  ["a toleration with Equal and no key", placement({ tolerations: [{ value: "b" }] }), "spec.tolerations[0].key"],
  [
    "tolerationSeconds with another effect than NoExecute",
    placement({ tolerations: [{ key: "a", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 5 }] }),
    "spec.tolerations[0].tolerationSeconds",
  ],
  [
    "minGroups above maxGroups",
    placement({ spreadConstraints: [{ topologyKey: "region", minGroups: 3, maxGroups: 2 }] }),
    "spec.spreadConstraints[0].minGroups",
  ],
  [
    "fewer clusters than groups",
    placement({ clusterCount: 2, spreadConstraints: [{ topologyKey: "region", minGroups: 3 }] }),
    "spec.clusterCount",
  ],
  [
    "a topologyKey that there is not",
    placement({ spreadConstraints: [{ topologyKey: "regoin", minGroups: 1 }] }),
    "spec.spreadConstraints[0].topologyKey",
  ],
  ["a mode that there is not", placement({ replicaScheduling: { mode: "Spread" } }), "spec.replicaScheduling.mode"],
  [
    "replicas outside of the spec",
    placement({ replicaScheduling: { path: "status.replicas" } }),
    "spec.replicaScheduling.path",
  ],
  [
    "replicas at a path that is none",
    placement({ replicaScheduling: { path: ".spec.replicas" } }),
    "spec.replicaScheduling.path",
  ],
  [
    "replicas in a list",
    placement({ replicaScheduling: { path: "spec.pools[0].size" } }),
    "spec.replicaScheduling.path",
  ],
  [
    "a strategy without dividing",
    placement({ replicaScheduling: { strategy: "Weighted" } }),
    "spec.replicaScheduling.strategy",
  ],
  [
    "weights without dividing",
    placement({ replicaScheduling: { mode: "Duplicated", weights: [{ targetClusters: {}, weight: 1 }] } }),
    "spec.replicaScheduling.weights",
  ],
  [
    "weights with another strategy",
    divided({ strategy: "Aggregated", weights: [{ targetClusters: {}, weight: 1 }] }),
    "spec.replicaScheduling.weights",
  ],
  ["no weight above 0", divided({ weights: [{ targetClusters: {}, weight: 0 }] }), "spec.replicaScheduling.weights"],
  [
    "a negative weight",
    divided({ weights: [{ targetClusters: {}, weight: -1 }] }),
    "spec.replicaScheduling.weights[0].weight",
  ],
  [
    "minReplicasPerCluster above maxReplicasPerCluster",
    divided({ minReplicasPerCluster: 3, maxReplicasPerCluster: 2 }),
    "spec.replicaScheduling.minReplicasPerCluster",
  ],
  [
    "maxReplicasPerCluster without dividing",
    placement({ replicaScheduling: { mode: "Duplicated", maxReplicasPerCluster: 2 } }),
    "spec.replicaScheduling.mode",
  ],
  [
    "two stages of one name",
    placement({ rollout: { stages: [{ name: "a" }, { name: "a" }] } }),
    "spec.rollout.stages[1]",
  ],
  [
    "a soak that is no duration",
    placement({ rollout: { stages: [{ name: "a", soak: "soon" }] } }),
    "spec.rollout.stages[0].soak",
  ],
  [
    "a maxConcurrency of no cluster",
    placement({ rollout: { stages: [{ name: "a", maxConcurrency: "0%" }] } }),
    "spec.rollout.stages[0].maxConcurrency",
  ],
  ["a gate above 100%", placement({ rollout: { gate: { available: "101%" } } }), "spec.rollout.gate.available"],
  [
    "a share that is none",
    placement({ failover: { maxUnhealthyClusters: "many" } }),
    "spec.failover.maxUnhealthyClusters",
  ],
  [
    "the health of a kind that has none",
    placement({ health: [{ kind: "Secret", available: "true" }] }),
    "spec.health[0].kind",
  ],
  [
    "the health of a kind that is not on members",
    placement({ health: [{ kind: "DemoApplication", available: "true" }] }),
    "spec.health[0].kind",
  ],
  ["a health that says nothing", placement({ health: [{ kind: "MysqlCluster" }] }), "spec.health[0]"],
  [
    "the health of one kind twice",
    placement({
      health: [
        { kind: "MysqlCluster", available: "true" },
        { kind: "MysqlCluster", failed: "false" },
      ],
    }),
    "spec.health[1]",
  ],
  ["a retained name", placement({ retain: [{ kind: "Deployment", path: "metadata.name" }] }), "spec.retain[0].path"],
  ["a deletionPolicy that there is not", placement({ deletionPolicy: "Keep" }), "spec.deletionPolicy"],
  [
    "a conflictResolution that there is not",
    clusterPlacementObject({ conflictResolution: "Force" }),
    "spec.conflictResolution",
  ],
  ["suspend that is a text", clusterPlacementObject({ suspend: "yes" }), "spec.suspend"],
];

export const BAD_OBJECTS = [...BAD_APPLICATIONS, ...clusters, ...placements, ...BAD_OVERRIDES, ...BAD_BUNDLES].map(
  ([name, object, field]) => ({ name: `${object.kind}: ${name}`, object, field }),
);
