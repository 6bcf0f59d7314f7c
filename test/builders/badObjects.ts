import type { KubeObject } from "../../src/apis/index.ts";
import {
  applicationObject as app,
  clusterObject as cluster,
  clusterOverrideObject,
  clusterPlacementObject,
  overrideObject as override,
  patchObject as patch,
  placementObject as placement,
} from "./policyObjects.ts";

/** An object that must be refused, and the field that the message must name. */
export interface BadObject {
  name: string;
  object: KubeObject;
  field: string;
}

const port = (more: object) => app({ ports: [{ port: 80, ...more }] });
const divided = (more: object) => placement({ replicaScheduling: { mode: "Divided", ...more } });
const labels = (requirement: object) =>
  placement({ clusterAffinities: [{ name: "a", labelSelector: { matchExpressions: [requirement] } }] });
const expression = "spec.clusterAffinities[0].labelSelector.matchExpressions[0]";
const selector = (more: object) =>
  placement({ resourceSelectors: [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", ...more }] });
const twoClusters = { clusterNames: ["a", "a"] };

const applications: BadObject[] = [
  { name: "no image", object: app({ image: undefined }), field: "spec.image" },
  { name: "an empty image", object: app({ image: "" }), field: "spec.image" },
  { name: "an image with a space", object: app({ image: "nginx latest" }), field: "spec.image" },
  { name: "an image in capitals", object: app({ image: "Nginx:1.27" }), field: "spec.image" },
  { name: "an image with a tag and nothing before", object: app({ image: ":1.27" }), field: "spec.image" },
  { name: "a replica below 0", object: app({ replica: -1 }), field: "spec.replica" },
  { name: "a replica above 1000", object: app({ replica: 1001 }), field: "spec.replica" },
  { name: "a replica that is a text", object: app({ replica: "2" }), field: "spec.replica" },
  { name: "a replica that is a fraction", object: app({ replica: 1.5 }), field: "spec.replica" },
  {
    name: "a replica of v1beta1 above 1000",
    object: app({ replica: 1001 }, "subject", "v1beta1"),
    field: "spec.replica",
  },
  { name: "env in v1beta1, which has none", object: app({ env: [] }, "subject", "v1beta1"), field: "spec.env" },
  { name: "a field that there is not", object: app({ replicas: 3 }), field: "spec.replicas" },
  { name: "a field beside spec that there is not", object: { ...app({}), replica: 3 }, field: "replica" },
  { name: "port 0", object: app({ ports: [{ port: 0 }] }), field: "spec.ports[0].port" },
  { name: "port 65536", object: app({ ports: [{ port: 65536 }] }), field: "spec.ports[0].port" },
  { name: "a port without a number", object: app({ ports: [{ name: "http" }] }), field: "spec.ports[0].port" },
  { name: "a nodePort above 65535", object: port({ nodePort: 70000 }), field: "spec.ports[0].nodePort" },
  { name: "a protocol that there is not", object: port({ protocol: "HTTP" }), field: "spec.ports[0].protocol" },
  { name: "a targetPort above 65535", object: port({ targetPort: 70000 }), field: "spec.ports[0].targetPort" },
  {
    name: "a targetPort with a name in capitals",
    object: port({ targetPort: "HTTP" }),
    field: "spec.ports[0].targetPort",
  },
  { name: "a port name in capitals", object: port({ name: "Http" }), field: "spec.ports[0].name" },
  {
    name: "the same port twice",
    object: app({
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 80 },
      ],
    }),
    field: "spec.ports[1]",
  },
  {
    name: "the same port name twice",
    object: app({
      ports: [
        { name: "a", port: 80 },
        { name: "a", port: 81 },
      ],
    }),
    field: "spec.ports",
  },
  {
    name: "the same nodePort twice",
    object: app({
      ports: [
        { name: "a", port: 80, nodePort: 30001 },
        { name: "b", port: 81, nodePort: 30001 },
      ],
    }),
    field: "spec.ports",
  },
  {
    name: "a nodePort in a Service of type ClusterIP",
    object: app({ serviceType: "ClusterIP", ports: [{ port: 80, nodePort: 30001 }] }),
    field: "spec.serviceType",
  },
  { name: "a serviceType that there is not", object: app({ serviceType: "ExternalName" }), field: "spec.serviceType" },
  { name: "a name that is no DNS label", object: app({}, "shop.web"), field: "metadata.name" },
  { name: "a name that begins with a digit", object: app({}, "1shop"), field: "metadata.name" },
  { name: "a name of 64 characters", object: app({}, "a".repeat(64)), field: "metadata.name" },
  {
    name: "a variable with a name that is none",
    object: app({ env: [{ name: "A=B", value: "" }] }),
    field: "spec.env[0].name",
  },
  {
    name: "a variable twice",
    object: app({
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
      ],
    }),
    field: "spec.env[1]",
  },
  {
    name: "a variable with two sources",
    object: app({ env: [{ name: "A", value: "1", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] }),
    field: "spec.env[0].valueFrom",
  },
  {
    name: "a variable from nowhere",
    object: app({ env: [{ name: "A", valueFrom: {} }] }),
    field: "spec.env[0].valueFrom",
  },
  {
    name: "a variable from a Secret without a key",
    object: app({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s" } } }] }),
    field: "spec.env[0].valueFrom.secretKeyRef.key",
  },
  { name: "envFrom from nowhere", object: app({ envFrom: [{ prefix: "A_" }] }), field: "spec.envFrom[0]" },
  {
    name: "envFrom from two places",
    object: app({ envFrom: [{ configMapRef: { name: "c" }, secretRef: { name: "s" } }] }),
    field: "spec.envFrom[0]",
  },
  { name: "a volume from nowhere", object: app({ volumes: [{ name: "v" }] }), field: "spec.volumes[0]" },
  {
    name: "a volume from two places",
    object: app({ volumes: [{ name: "v", configMap: { name: "c" }, emptyDir: {} }] }),
    field: "spec.volumes[0]",
  },
  {
    name: "a volume item that leaves its folder",
    object: app({ volumes: [{ name: "v", configMap: { name: "c", items: [{ key: "k", path: "a/../../b" }] } }] }),
    field: "spec.volumes[0].configMap.items[0].path",
  },
  {
    name: "a mount of a volume that there is not",
    object: app({ volumes: [{ name: "v", emptyDir: {} }], volumeMounts: [{ name: "w", mountPath: "/w" }] }),
    field: "spec.volumeMounts",
  },
  {
    name: "a mount without any volumes",
    object: app({ volumeMounts: [{ name: "w", mountPath: "/w" }] }),
    field: "spec.volumeMounts",
  },
  {
    name: "a quantity that is none",
    object: app({ resources: { requests: { cpu: "much" } } }),
    field: "spec.resources.requests.cpu",
  },
  {
    name: "a negative quantity",
    object: app({ resources: { requests: { cpu: "-1" } } }),
    field: "spec.resources.requests.cpu",
  },
  {
    name: "a request above its limit",
    object: app({ resources: { requests: { memory: "1Gi" }, limits: { memory: "512Mi" } } }),
    field: "spec.resources.requests",
  },
  {
    name: "a probe that asks nothing",
    object: app({ readinessProbe: { periodSeconds: 5 } }),
    field: "spec.readinessProbe",
  },
  {
    name: "a probe that asks two things",
    object: app({ readinessProbe: { tcpSocket: { port: 80 }, exec: { command: ["true"] } } }),
    field: "spec.readinessProbe",
  },
  {
    name: "a liveness probe that must succeed twice",
    object: app({ livenessProbe: { tcpSocket: { port: 80 }, successThreshold: 2 } }),
    field: "spec.livenessProbe.successThreshold",
  },
  {
    name: "a readiness probe that would end the pod",
    object: app({ readinessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 5 } }),
    field: "spec.readinessProbe.terminationGracePeriodSeconds",
  },
  {
    name: "an imagePullSecret without a name",
    object: app({ imagePullSecrets: [{}] }),
    field: "spec.imagePullSecrets[0].name",
  },
];

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

const patches: BadObject[] = [
  ...[
    "/apiVersion",
    "/kind",
    "/metadata",
    "/metadata/name",
    "/metadata/namespace",
    "/metadata/ownerReferences/-",
    "/status/x",
  ].map((path) => ({
    name: `a patch of ${path}`,
    object: patch({ op: "add", path, value: "x" }),
    field: "spec.rules[0].patches[0].path",
  })),
  {
    name: "a move that takes the name away",
    object: patch({ op: "move", from: "/metadata/name", path: "/spec/x" }),
    field: "spec.rules[0].patches[0].from",
  },
  {
    name: "a patch of everything",
    object: patch({ op: "replace", path: "", value: {} }),
    field: "spec.rules[0].patches[0].path",
  },
  {
    name: "a path that is no pointer",
    object: patch({ op: "replace", path: "spec.type", value: 1 }),
    field: "spec.rules[0].patches[0].path",
  },
  {
    name: "an op that there is not",
    object: patch({ op: "merge", path: "/spec", value: {} }),
    field: "spec.rules[0].patches[0].op",
  },
  ...["add", "replace", "test"].map((op) => ({
    name: `${op} without a value`,
    object: patch({ op, path: "/spec/type" }),
    field: "spec.rules[0].patches[0].value",
  })),
  {
    name: "move without from",
    object: patch({ op: "move", path: "/spec/type" }),
    field: "spec.rules[0].patches[0].from",
  },
  {
    name: "copy without from",
    object: patch({ op: "copy", path: "/spec/type" }),
    field: "spec.rules[0].patches[0].from",
  },
  {
    name: "replace with from",
    object: patch({ op: "replace", path: "/spec/type", value: 1, from: "/spec/a" }),
    field: "spec.rules[0].patches[0].from",
  },
];

const overrides: BadObject[] = [
  { name: "a rule that changes nothing", object: override({ targetClusters: {} }), field: "spec.rules[0]" },
  {
    name: "no rules",
    object: { ...override({}), spec: { resourceSelectors: [{ apiVersion: "v1", kind: "Pod" }], rules: [] } },
    field: "spec.rules",
  },
  { name: "replicas above 1000", object: override({ replicas: 1001 }), field: "spec.rules[0].replicas" },
  { name: "an image override of nothing", object: override({ image: {} }), field: "spec.rules[0].image" },
  {
    name: "a registry with a path",
    object: override({ image: { registry: "example.com/a" } }),
    field: "spec.rules[0].image.registry",
  },
  { name: "a tag with a colon", object: override({ image: { tag: ":1" } }), field: "spec.rules[0].image.tag" },
  {
    name: "a digest that is none",
    object: override({ image: { digest: "abc" } }),
    field: "spec.rules[0].image.digest",
  },
  { name: "a label key that is none", object: override({ labels: { "a b": "c" } }), field: "spec.rules[0].labels" },
  {
    name: "a label value that is none",
    object: override({ labels: { tier: "a b" } }),
    field: "spec.rules[0].labels.tier",
  },
  {
    name: "a label key with a prefix that is no DNS name",
    object: override({ labels: { "a_b/c": "d" } }),
    field: "spec.rules[0].labels",
  },
  {
    name: "a label of Meridian's own",
    object: clusterOverrideObject({ labels: { "federation.paas.cmft.com/managed-by": "me" } }),
    field: "spec.rules[0].labels",
  },
  {
    name: "an annotation of Meridian's own",
    object: override({ annotations: { "federation.paas.cmft.com/owner": "me" } }),
    field: "spec.rules[0].annotations",
  },
  {
    name: "an annotation key that is none",
    object: override({ annotations: { "a/b/c": "d" } }),
    field: "spec.rules[0].annotations",
  },
  {
    name: "a cluster name in capitals",
    object: override({ targetClusters: { clusterNames: ["Shanghai"] }, replicas: 1 }),
    field: "spec.rules[0].targetClusters.clusterNames[0]",
  },
  ...patches,
];

export const BAD_OBJECTS: readonly BadObject[] = [...applications, ...clusters, ...placements, ...overrides].map(
  (bad) => ({
    ...bad,
    name: `${bad.object.kind}: ${bad.name}`,
  }),
);
