import { fc } from "@fast-check/vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import {
  type Content,
  keyed,
  listOf,
  mapOf,
  one,
  percent,
  seconds,
  some,
  template,
  withSome,
  word,
} from "./randomPods.ts";

/** Random documents of many kinds, as people write them: every one is valid, and two of one kind may follow each other under one name. */

const GROUP = "documents.example.com";

/** A kind of which documents are made. */
export interface DocumentKind {
  apiVersion: string;
  kind: string;
  isClusterScoped?: boolean;
  /** Whether `kubectl scale` works. */
  isScalable?: boolean;
  /** The content beside metadata; `name` is the object's. */
  content: (name: string) => fc.Arbitrary<Content>;
}

/** A custom kind with a schema, defaults and lists of every type, and one that keeps whatever it is given. */
export const documentDefinitions: KubeObject[] = [
  definition("Widget", "widgets", {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          replicas: { type: "integer", default: 1 },
          mode: { type: "string", default: "plain", nullable: true },
          size: { "x-kubernetes-int-or-string": true },
          atomic: { type: "array", items: { type: "string" }, default: ["d"] },
          set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
          keyed: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name", "port"],
            items: {
              type: "object",
              required: ["name"],
              properties: {
                name: { type: "string" },
                port: { type: "integer", default: 80 },
                note: { type: "string" },
                tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
              },
            },
          },
          whole: { type: "object", additionalProperties: { type: "string" }, "x-kubernetes-map-type": "atomic" },
          map: { type: "object", additionalProperties: { type: "string" } },
          free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    },
  }),
  definition("Blob", "blobs", { type: "object", "x-kubernetes-preserve-unknown-fields": true }),
];

function definition(kind: string, plural: string, openAPIV3Schema: object): KubeObject {
  const scale = { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: { kind, plural },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          ...(kind === "Widget" ? { subresources: scale } : {}),
        },
      ],
    },
  } as KubeObject;
}

const spec = (value: fc.Arbitrary<Content>): fc.Arbitrary<Content> => fc.record({ spec: value });
const selector = (name: string) => ({ matchLabels: { app: name } });
const servicePort = withSome(
  { name: fc.constantFrom("web", "admin", "dns"), port: fc.constantFrom(80, 81, 53) },
  {
    protocol: fc.constantFrom("TCP", "UDP"),
    targetPort: fc.constantFrom<string | number>(80, "web"),
    appProtocol: one("http"),
  },
);
const peer = fc.oneof(
  some({
    podSelector: some({ matchLabels: mapOf(["app"]) }),
    namespaceSelector: some({ matchLabels: mapOf(["team"]) }),
  }).map((given) => ({
    podSelector: {},
    ...given,
  })),
  one({ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }),
);
const policyPorts = listOf(
  withSome({ port: fc.constantFrom<string | number>(80, "web") }, { protocol: fc.constantFrom("TCP", "UDP") }),
);
const rule = withSome(
  {
    apiGroups: listOf(fc.constantFrom("", "apps"), 1),
    resources: listOf(fc.constantFrom("pods", "deployments"), 1),
    verbs: listOf(fc.constantFrom("get", "list", "watch"), 1),
  },
  { resourceNames: listOf(fc.constantFrom("x", "y")) },
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.constantFrom<unknown>(null, true, 0, -1.5, 9007199254740993n, {}, [], [null]),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "a.b/c~d", "__proto__"), tie("value"), { maxKeys: 3 }),
  ),
})).value;
const free = fc.dictionary(fc.constantFrom("x", "y", "z", "__proto__"), json, { maxKeys: 3 });
const metric = fc.constantFrom("cpu", "memory").map((name) => ({
  type: "Resource",
  resource: { name, target: { type: "Utilization", averageUtilization: 60 } },
}));
const scaling = some({
  stabilizationWindowSeconds: seconds,
  selectPolicy: fc.constantFrom("Max", "Min"),
  policies: one([{ type: "Pods", value: 4, periodSeconds: 60 }]),
});

/** One of each kind; a list of documents takes them in turn. */
export const DOCUMENT_KINDS: readonly DocumentKind[] = [
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    content: () =>
      some({
        data: mapOf(["a", "b.txt", "__proto__"]),
        binaryData: mapOf(["c", "d"], one("AAE=") as fc.Arbitrary<string>),
      }),
  },
  {
    apiVersion: "v1",
    kind: "Secret",
    content: () => some({ data: mapOf(["a", "b"], fc.constantFrom("AAE=", "")), stringData: mapOf(["c", "d"]) }),
  },
  {
    apiVersion: "v1",
    kind: "Service",
    content: (name) =>
      spec(
        withSome(
          {
            selector: mapOf(["tier"]).map((labels) => ({ ...labels, app: name })),
            ports: keyed(servicePort, ["name", "port"], 1),
          },
          {
            type: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer"),
            sessionAffinity: fc.constantFrom("None", "ClientIP"),
            publishNotReadyAddresses: fc.boolean(),
            externalIPs: listOf(fc.constantFrom("198.51.100.1", "198.51.100.2"), 0, 2),
            internalTrafficPolicy: fc.constantFrom("Cluster", "Local"),
          },
        ),
      ),
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    isScalable: true,
    content: (name) =>
      spec(
        withSome(
          { selector: one(selector(name)), template: template(name) },
          {
            replicas: fc.constantFrom(0, 1, 2),
            strategy: fc.oneof(
              one({ type: "Recreate" }),
              one({}),
              some({ maxSurge: percent, maxUnavailable: percent }).map((rollingUpdate) => ({
                type: "RollingUpdate",
                rollingUpdate,
              })),
            ),
            minReadySeconds: fc.constantFrom(0, 1),
            revisionHistoryLimit: fc.constantFrom(0, 3, 10),
            paused: fc.boolean(),
          },
        ),
      ),
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    isScalable: true,
    content: (name) =>
      spec(
        withSome(
          { serviceName: one("none"), selector: one(selector(name)), template: template(name) },
          {
            replicas: fc.constantFrom(0, 1, 2),
            updateStrategy: fc.oneof(
              one({ type: "OnDelete" }),
              fc.record({ partition: fc.constantFrom(0, 1) }).map((rollingUpdate) => ({
                type: "RollingUpdate",
                rollingUpdate,
              })),
            ),
            persistentVolumeClaimRetentionPolicy: some({ whenDeleted: fc.constantFrom("Retain", "Delete") }),
            minReadySeconds: fc.constantFrom(0, 1),
          },
        ),
      ),
  },
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    content: (name) =>
      spec(
        withSome(
          { selector: one(selector(name)), template: template(name), updateStrategy: one({ type: "OnDelete" }) },
          { minReadySeconds: fc.constantFrom(0, 1) },
        ),
      ),
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    // Its template cannot be changed, nor the completions, which follow from whether it names a parallelism.
    content: () =>
      spec(
        withSome(
          {
            parallelism: fc.constantFrom(0, 1, 2),
            template: one({
              spec: { restartPolicy: "Never", containers: [{ name: "run", image: "busybox:1", command: ["true"] }] },
            }),
          },
          {
            suspend: one(true),
            activeDeadlineSeconds: one(600),
            backoffLimit: fc.constantFrom(0, 3),
          },
        ),
      ),
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    content: (name) =>
      spec(
        withSome(
          {
            schedule: fc.constantFrom("0 3 * * *", "@daily"),
            suspend: one(true),
            jobTemplate: fc.record({
              spec: withSome({ template: template(name, "Never") }, { backoffLimit: fc.constantFrom(0, 3) }),
            }),
          },
          {
            concurrencyPolicy: fc.constantFrom("Allow", "Forbid"),
            timeZone: fc.constantFrom("Etc/UTC", "Asia/Shanghai"),
            successfulJobsHistoryLimit: fc.constantFrom(0, 3),
          },
        ),
      ),
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    content: () =>
      spec(
        withSome(
          {
            // Each cluster has a class of its own where none is named.
            ingressClassName: one("given"),
            rules: listOf(
              withSome(
                {
                  http: fc.record({
                    paths: listOf(
                      fc.record({
                        path: fc.constantFrom("/", "/a"),
                        pathType: fc.constantFrom("Prefix", "Exact"),
                        backend: fc.constantFrom(
                          { service: { name: "web", port: { number: 80 } } },
                          { service: { name: "web", port: { name: "web" } } },
                          { resource: { apiGroup: "example.com", kind: "Bucket", name: "x" } },
                        ),
                      }),
                      1,
                    ),
                  }),
                },
                { host: fc.constantFrom("a.example.com", "*.b.example.com") },
              ),
              1,
            ),
          },
          {
            tls: listOf(
              some({ hosts: listOf(fc.constantFrom("a.example.com"), 0, 1), secretName: fc.constantFrom("cert") }),
            ),
          },
        ),
      ),
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    content: () =>
      spec(
        withSome(
          { podSelector: some({ matchLabels: mapOf(["app"]) }) },
          {
            ingress: listOf(some({ from: listOf(peer), ports: policyPorts })),
            egress: listOf(some({ to: listOf(peer), ports: policyPorts })),
            policyTypes: fc.subarray(["Ingress", "Egress"], { minLength: 1 }),
          },
        ),
      ),
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    content: (name) =>
      spec(
        fc
          .tuple(
            fc.oneof(some({ minAvailable: percent }), some({ maxUnavailable: percent })),
            some({ unhealthyPodEvictionPolicy: fc.constantFrom("AlwaysAllow", "IfHealthyBudget") }),
          )
          .map(([bound, more]) => ({ selector: selector(name), ...bound, ...more })),
      ),
  },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    content: () =>
      spec(
        withSome(
          {
            scaleTargetRef: one({ apiVersion: "apps/v1", kind: "Deployment", name: "none" }),
            maxReplicas: fc.constantFrom(3, 5),
          },
          {
            minReplicas: fc.constantFrom(1, 2),
            metrics: listOf(metric, 1, 2),
            behavior: some({ scaleUp: scaling, scaleDown: scaling }),
          },
        ),
      ),
  },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", content: () => fc.record({ rules: listOf(rule) }) },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    isClusterScoped: true,
    content: () => fc.record({ rules: listOf(rule) }),
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    content: () =>
      withSome(
        { roleRef: one({ apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" }) },
        {
          subjects: listOf(
            fc.constantFrom<Content>(
              { kind: "User", name: "ann", apiGroup: "rbac.authorization.k8s.io" },
              { kind: "Group", name: "team" },
              { kind: "ServiceAccount", name: "robot", namespace: "elsewhere" },
            ),
          ),
        },
      ),
  },
  {
    apiVersion: "v1",
    kind: "ServiceAccount",
    content: () =>
      some({
        imagePullSecrets: keyed(withSome({ name: fc.constantFrom("pull", "other") }, {}), ["name"]),
        automountServiceAccountToken: fc.boolean(),
      }),
  },
  {
    apiVersion: "v1",
    kind: "ResourceQuota",
    content: () =>
      spec(
        some({
          hard: mapOf(["persistentvolumeclaims", "count/leases.coordination.k8s.io"], fc.constantFrom("500", "1k")),
        }),
      ),
  },
  {
    apiVersion: `${GROUP}/v1`,
    kind: "Widget",
    isScalable: true,
    content: () =>
      spec(
        some({
          replicas: fc.constantFrom(0, 1, 2),
          mode: fc.constantFrom("plain", "other", null),
          size: fc.constantFrom<string | number>(1, "1", "50%"),
          atomic: listOf(word),
          set: fc.subarray(["a", "b", "yes", "0400"]),
          keyed: keyed(
            withSome(
              { name: fc.constantFrom("a", "b", "c") },
              { port: fc.constantFrom(80, 81), note: word, tags: fc.subarray(["a", "b"]) },
            ),
            ["name"],
          ),
          whole: mapOf(["a", "b"]),
          map: mapOf(["a", "b", "__proto__"]),
          free,
        }),
      ),
  },
  {
    apiVersion: `${GROUP}/v1`,
    kind: "Blob",
    content: () => some({ spec: free, data: free, list: fc.array(json, { maxLength: 3 }) }),
  },
];

const metadata = some({
  labels: mapOf(["team", "tier", "example.com/part"], fc.constantFrom("a", "b", "")),
  annotations: mapOf(["note", "example.com/text"]),
});

/** Documents of one kind under one name. */
export function documentOf(kind: DocumentKind, name: string): fc.Arbitrary<KubeObject> {
  return fc.tuple(metadata, kind.content(name)).map(
    ([given, content]) =>
      ({
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        metadata: { ...given, labels: { ...(given["labels"] as object), documents: "yes" }, name },
        ...content,
      }) as KubeObject,
  );
}
