import type { KubeObject } from "../../src/apis/index.ts";
import {
  applicationObject as app,
  bindingObject,
  bundleObject as bundle,
  clusterBindingObject,
  clusterObject as cluster,
  clusterOverrideObject,
  clusterPlacementObject,
  overrideObject as override,
  patchObject as patch,
  placementObject as placement,
} from "./policyObjects.ts";

/** An object that must be accepted as it stands. */
type GoodRow = readonly [name: string, object: KubeObject];

const REGION = "topology.kubernetes.io/region";
const inRegions = (...values: string[]) => ({
  fieldSelector: { matchExpressions: [{ key: "region", operator: "In", values }] },
});
const sha256 = `sha256:${"0123456789abcdef".repeat(4)}`;

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const manyLabels = Object.fromEntries(
  many(32, (index) => [`${"sub.".repeat(10)}example.com/key-${index}`, "a".repeat(63)]),
);

const applications: GoodRow[] = [
  [
    "as much as the bounds allow",
    app({
      ports: many(64, (index) => ({ name: `${"a".repeat(58)}-${index}`, port: 1000 + index, nodePort: 30000 + index })),
      volumes: many(32, (index) => ({ name: `${"v".repeat(58)}-${index}`, emptyDir: {} })),
      volumeMounts: many(64, (index) => ({ name: `${"v".repeat(58)}-31`, mountPath: `/${"m".repeat(500)}/${index}` })),
      env: many(256, (index) => ({ name: `A${index}`, value: "x".repeat(100) })),
    }),
  ],
  [
    "the sample",
    app({ replica: 2, image: "nginx:latest", ports: [{ port: 80, targetPort: 80, nodePort: 30002 }] }, "nginx-demo"),
  ],
  [
    "the sample of v1beta1",
    app(
      { replica: 1, ports: [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" }] },
      "legacy-demo",
      "v1beta1",
    ),
  ],
  [
    "what v1 adds",
    app({
      replica: 4,
      command: ["nginx"],
      args: ["-g", "daemon off;"],
      serviceType: "ClusterIP",
      ports: [{ name: "http", port: 80, targetPort: 8080 }],
      env: [
        { name: "MODE", value: "production" },
        { name: "DB_PASSWORD", valueFrom: { secretKeyRef: { name: "shop-secret", key: "password" } } },
        { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
      ],
      envFrom: [
        { configMapRef: { name: "shop-config" } },
        { prefix: "S_", secretRef: { name: "shop-secret", optional: true } },
      ],
      volumes: [
        { name: "pages", configMap: { name: "shop-pages", items: [{ key: "a", path: "x/..y/a", mode: 0o644 }] } },
        { name: "keys", secret: { secretName: "shop-keys", defaultMode: 0o400, optional: true } },
        { name: "tmp", emptyDir: { medium: "Memory", sizeLimit: "64Mi" } },
        { name: "all", projected: { sources: [{ configMap: { name: "c" } }, { secret: { name: "s" } }] } },
      ],
      volumeMounts: [
        { name: "pages", mountPath: "/usr/share/nginx/html", readOnly: true },
        { name: "keys", mountPath: "/keys", subPath: "tls" },
      ],
      resources: { requests: { cpu: "200m", memory: "256Mi" }, limits: { cpu: 1, memory: "512Mi" } },
      readinessProbe: { httpGet: { path: "/", port: "http" }, periodSeconds: 5 },
      livenessProbe: { tcpSocket: { port: 8080 }, initialDelaySeconds: 10, failureThreshold: 6 },
      imagePullSecrets: [{ name: "registry" }],
    }),
  ],
  [
    "an ingress with everything in it",
    app({
      ports: [
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "http", port: 80 },
      ],
      ingress: {
        host: "*.shop.example.com",
        path: "/shop/v1.2/..b",
        pathType: "Exact",
        port: "http",
        tlsSecretName: "shop-tls",
        className: "nginx",
      },
    }),
  ],
  ["an ingress with as little as may be", app({ ports: [{ port: 80 }], ingress: { host: "localhost" } })],
  [
    "an ingress to a port by number, with a path that its controller alone understands",
    app({
      ports: [{ port: 80 }, { port: 8080 }],
      ingress: { host: "a.example.com", port: 8080, path: "/a//(.*)", pathType: "ImplementationSpecific" },
    }),
  ],
  ["only an image", app({})],
  ["no pods at all", app({ replica: 0 })],
  ["as many pods as may be", app({ replica: 1000 })],
  ["a name of 63 characters", app({}, "a".repeat(63))],
  [
    "one port of two protocols",
    app({
      ports: [
        { name: "tcp", port: 53 },
        { name: "udp", port: 53, protocol: "UDP" },
      ],
    }),
  ],
  [
    "one nodePort of two protocols",
    app({
      ports: [
        { name: "tcp", port: 53, nodePort: 30053 },
        { name: "udp", port: 53, nodePort: 30053, protocol: "UDP" },
      ],
    }),
  ],
  ["two ports without names", app({ ports: [{ port: 80 }, { port: 443 }] })],
  ...[
    "nginx",
    "nginx:1.27",
    "library/nginx",
    "registry.example.cn:5000/team/web-1/app__x:v1.2_3",
    `ghcr.io/org/app:1@${sha256}`,
    `app@${sha256}`,
    "localhost:5000/a",
    "[::1]:5000/a/b",
  ].map((image): GoodRow => [`the image ${image}`, app({ image })]),
];

const clusters: GoodRow[] = [
  [
    "a kubeconfig",
    cluster({
      provider: "aliyun",
      connection: { kubeconfigSecretRef: { name: "shanghai-1", key: "kubeconfig" } },
      taints: [],
    }),
  ],
  ["a kubeconfig under the usual key", cluster({ connection: { kubeconfigSecretRef: { name: "shanghai-1" } } })],
  ["the hub itself", cluster({ connection: { local: {} } }, "hub")],
  ["an agent", cluster({ connection: { pull: {} }, deletionPolicy: "Drain" })],
  [
    "taints",
    cluster({
      taints: [
        { key: "maintenance", effect: "NoExecute", timeAdded: "2026-11-21T08:22:14Z" },
        { key: "maintenance", effect: "NoSchedule", value: "soon" },
      ],
    }),
  ],
];

const placements: GoodRow[] = [
  [
    "as much as the bounds allow",
    placement({
      resourceSelectors: many(64, () => ({
        apiVersion: "v1",
        kind: "Secret",
        labelSelector: { matchLabels: manyLabels },
      })),
      clusterAffinities: many(16, (index) => ({
        name: `group-${index}`,
        clusterNames: many(200, (cluster) => `cluster-${cluster}`),
        labelSelector: {
          matchLabels: manyLabels,
          matchExpressions: many(32, () => ({
            key: "example.com/a",
            operator: "In",
            values: many(64, (value) => `v${value}`),
          })),
        },
      })),
      tolerations: many(64, (index) => ({ key: `key-${index}`, operator: "Exists" })),
    }),
  ],
  ["all clusters", placement({})],
  [
    "regions by label",
    placement({
      clusterAffinities: [
        {
          name: "all-regions",
          labelSelector: {
            matchExpressions: [{ key: REGION, operator: "In", values: ["cn-shanghai", "eu-central-1"] }],
          },
        },
      ],
      replicaScheduling: { mode: "Duplicated" },
    }),
  ],
  [
    "the object's own region",
    clusterPlacementObject({
      priority: 10,
      clusterAffinities: [{ name: "same-region", matchLabelKeys: [REGION] }],
    }),
  ],
  [
    "every field",
    placement({
      priority: 5,
      clusterAffinities: [
        {
          name: "primary",
          fieldSelector: { matchExpressions: [{ key: "provider", operator: "In", values: ["aliyun"] }] },
          exclude: ["shanghai-2"],
        },
        { name: "backup", clusterNames: ["frankfurt-1", "singapore-1"] },
      ],
      tolerations: [
        { key: "maintenance", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
        { operator: "Exists" },
        { key: "team", value: "web" },
      ],
      spreadConstraints: [
        { topologyKey: "region", minGroups: 2, maxGroups: 3, whenUnsatisfiable: "DoNotSchedule" },
        { topologyKey: "cluster", minGroups: 2, maxGroups: 6 },
        { topologyKey: "example.com/rack", maxGroups: 1 },
      ],
      replicaScheduling: {
        mode: "Divided",
        strategy: "Weighted",
        weights: [
          { targetClusters: { labelSelector: { matchLabels: { [REGION]: "cn-shanghai" } } }, weight: 2 },
          { targetClusters: { clusterNames: ["frankfurt-1"] }, weight: 1 },
        ],
        minReplicasPerCluster: 1,
        maxReplicasPerCluster: 50,
      },
      rollout: {
        stages: [
          { name: "canary", targetClusters: { clusterNames: ["singapore-1"] }, soak: "2m", approval: "Manual" },
          { name: "asia", targetClusters: inRegions("cn-shanghai", "ap-southeast-1"), maxConcurrency: "50%" },
          { name: "rest", maxConcurrency: 2 },
        ],
        gate: { available: "100%", timeout: "10m" },
        onFailure: "Rollback",
        revisionHistoryLimit: 5,
      },
      failover: { gracePeriod: "60s", makeBeforeBreak: true, maxUnhealthyClusters: "34%", returnAfter: "1h30m" },
      dependencies: {
        mode: "Auto",
        fields: [
          { kind: "Secret", path: "spec.secretName" },
          { kind: "Secret", path: "spec.users[].passwordSecret.name" },
          { kind: "ConfigMap", path: "spec.configs[]" },
          { kind: "PersistentVolumeClaim", path: "spec.claim" },
          { kind: "ServiceAccount", path: "spec.serviceAccountName" },
        ],
      },
      conflictResolution: "Abort",
      deletionPolicy: "Delete",
      retain: [{ kind: "Deployment", path: "spec.replicas" }],
      health: [{ kind: "MysqlCluster", available: "object.status.readyNodes >= object.spec.replicas" }],
      suspend: false,
    }),
  ],
  [
    "bundles, and objects of other groups",
    clusterPlacementObject({
      resourceSelectors: [
        { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" },
        { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "shop-config" },
        { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "system:aggregate-to-view" },
      ],
    }),
  ],
  [
    "replicas at another place than Kubernetes' own kinds have them",
    placement({ replicaScheduling: { mode: "Duplicated", path: "spec.node-pool.Size_1" } }),
  ],
  ["dividing as is usual", placement({ replicaScheduling: { mode: "Divided" } })],
];

const overrides: GoodRow[] = [
  [
    "as much as the bounds allow",
    {
      ...override({}),
      spec: {
        resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment" }],
        rules: many(64, () => ({
          labels: manyLabels,
          annotations: manyLabels,
          patches: many(32, () => ({ op: "add", path: `/metadata/${"a".repeat(374)}`, value: 1 })),
        })),
      },
    },
  ],
  [
    "every field",
    override({
      targetClusters: { labelSelector: { matchLabels: { [REGION]: "ap-southeast-1" } } },
      replicas: 3,
      image: { registry: "registry.example.cn:5000", repository: "team/web", tag: "1.27", digest: sha256 },
      command: ["nginx"],
      args: [],
      env: [
        { name: "REGION", value: "ap-southeast-1" },
        { name: "KEY", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } },
      ],
      labels: { "data-residency": "sg" },
      annotations: { "example.com/owner": "sre-asia" },
      patches: [
        { kind: "Service", op: "replace", path: "/spec/type", value: "LoadBalancer" },
        { kind: "Deployment", op: "add", path: "/spec/template/spec/terminationGracePeriodSeconds", value: 45 },
      ],
    }),
  ],
  ["no replicas in some clusters", clusterOverrideObject({ replicas: 0 })],
  ["a patch with null", patch({ op: "replace", path: "/spec/x", value: null })],
  ["a patch with a tree", patch({ op: "add", path: "/metadata/labels/a~1b", value: { a: [1, { b: true }] } })],
  ["a patch that removes", patch({ op: "remove", path: "/spec/type" })],
  ["a patch that moves", patch({ op: "move", from: "/spec/a", path: "/spec/b" })],
  ["a patch that copies the name", patch({ op: "copy", from: "/metadata/name", path: "/metadata/labels/of" })],
  ["a patch that tests the name", patch({ op: "test", path: "/metadata/name", value: "shop" })],
  ["a path that only begins like a protected one", patch({ op: "add", path: "/metadata/nameless", value: 1 })],
];

const bindings: GoodRow[] = [
  [
    "of an object of a namespace",
    bindingObject({ apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "settings", uid: "6d0c" }),
  ],
  [
    "of an object of none",
    clusterBindingObject({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      name: "system:reader",
      uid: "6d0c",
    }),
  ],
];

const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "operator" } };

const bundles: GoodRow[] = [
  ["a list", bundle({ manifests: [account, { ...account, kind: "ConfigMap", data: { a: "b" } }] })],
  ["of a kind that nobody knows", bundle({ manifests: [{ ...account, apiVersion: "example.com/v1" }] })],
  ["compressed", bundle({ compressed: "H4sIAAAAAAAAA4uOBQApu0wNAgAAAA==" })],
  ["both", bundle({ manifests: [account], compressed: "H4sIAAAAAAAAA4uOBQApu0wNAgAAAA==" })],
];

export const GOOD_OBJECTS = [...applications, ...clusters, ...placements, ...overrides, ...bindings, ...bundles].map(
  ([name, object]) => ({ name: `${object.kind}: ${name}`, object }),
);
