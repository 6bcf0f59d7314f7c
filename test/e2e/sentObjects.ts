import { FEDERATION_API_VERSION, type FieldsV1, type KubeObject } from "../../src/apis/index.ts";

/** What people write of kinds of which the hub allocates, defaults or decides a part: one object of each, and what is sent of it. */

/** By namespace, and by a word that is part of each name that belongs to the whole cluster. `port` is free on every node. */
export function writtenObjects(namespace: string, port: number): KubeObject[] {
  const labels = { sent: "yes" };
  const named = (name: string) => ({ name, namespace, labels });
  const wide = (name: string) => ({ name: `${name}-${namespace}`, labels });
  const pod = { containers: [{ name: "web", image: "busybox:1", command: ["sleep", "1000"] }] };
  const template = { metadata: { labels: { app: "web" } }, spec: pod };
  const selector = { matchLabels: { app: "web" } };
  const service = (name: string, spec: object): KubeObject => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: named(name),
    spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  });
  const rbac = "rbac.authorization.k8s.io/v1";
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const subjects = [{ kind: "ServiceAccount", name: "robot", namespace }];
  return [
    { apiVersion: "v1", kind: "ConfigMap", metadata: named("binary"), data: { a: "1" }, binaryData: { b: "AAE=" } },
    { apiVersion: "v1", kind: "Secret", metadata: named("text"), stringData: { password: "p" } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "bare", namespace } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: named("robot"), imagePullSecrets: [{ name: "text" }] },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { ...named("token"), annotations: { "kubernetes.io/service-account.name": "robot" } },
      type: "kubernetes.io/service-account-token",
    },
    service("allocated", { type: "NodePort" }),
    service("chosen", { type: "NodePort", ports: [{ port: 80, nodePort: port }] }),
    service("headless", { clusterIP: "None" }),
    service("balanced", { type: "LoadBalancer", externalTrafficPolicy: "Local" }),
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: wide("disk"),
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "manual",
        hostPath: { path: "/tmp/disk" },
      },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: named("claim"),
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "manual",
        resources: { requests: { storage: "1Gi" } },
      },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: named("defaulted"),
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    { apiVersion: "v1", kind: "Pod", metadata: named("single"), spec: pod },
    {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: named("nightly"),
      spec: {
        schedule: "0 3 * * *",
        suspend: true,
        jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: "Never" } } } },
      },
    },
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: named("agent"),
      spec: {
        selector: { matchLabels: { app: "agent" } },
        template: { metadata: { labels: { app: "agent" } }, spec: pod },
      },
    },
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: named("web"),
      spec: { minAvailable: 1, selector },
    },
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: named("once"),
      spec: { template: { spec: { ...pod, restartPolicy: "Never" } } },
    },
    { apiVersion: "apps/v1", kind: "Deployment", metadata: named("web"), spec: { replicas: 2, selector, template } },
    { apiVersion: "apps/v1", kind: "Deployment", metadata: named("scaled"), spec: { selector, template } },
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: named("db"),
      spec: {
        serviceName: "headless",
        selector,
        template,
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    },
    {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: named("scaled"),
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "scaled" },
        maxReplicas: 5,
        targetCPUUtilizationPercentage: 60,
      },
    },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: named("web"),
      spec: {
        rules: [
          {
            host: "web.example.com",
            http: {
              paths: [
                { path: "/", pathType: "Prefix", backend: { service: { name: "allocated", port: { number: 80 } } } },
              ],
            },
          },
        ],
      },
    },
    { apiVersion: rbac, kind: "Role", metadata: named("reader"), rules },
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: named("reader"),
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects,
    },
    { apiVersion: rbac, kind: "ClusterRole", metadata: wide("part"), rules },
    {
      apiVersion: rbac,
      kind: "ClusterRole",
      metadata: wide("sum"),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
      rules: [],
    },
    {
      apiVersion: rbac,
      kind: "ClusterRoleBinding",
      metadata: wide("part"),
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: `part-${namespace}` },
      subjects,
    },
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `widgets.${namespace}.example.com`, labels },
      spec: {
        group: `${namespace}.example.com`,
        names: { kind: "Widget", plural: "widgets" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    },
  ];
}

/** Paths of the fields that Meridian applied, less its own marks: what was sent. */
export function sentPaths({ metadata }: KubeObject): string[] {
  const applied = metadata.managedFields?.find(
    ({ manager, operation, subresource = "" }) => manager === "meridian" && operation === "Apply" && subresource === "",
  )?.fieldsV1;
  return applied === undefined ? [] : leaves(applied, "").filter((path) => !path.includes("federation.paas.cmft.com"));
}

function leaves(fields: FieldsV1, path: string): string[] {
  const own = Object.entries(fields).filter(([element]) => element !== ".");
  if (own.length === 0) return [path];
  return own.flatMap(([element, node]) =>
    leaves(node, `${path}${element.startsWith("f:") ? `.${element.slice(2)}` : `[${element.slice(2)}]`}`),
  );
}

/** What a cluster takes for objects that name no class of storage or ingress. */
export function defaultClasses(cluster: string): KubeObject[] {
  const metadata = (group: string) => ({
    name: `default-of-${cluster}`,
    annotations: { [`${group}.kubernetes.io/is-default-class`]: "true" },
  });
  return [
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: metadata("storageclass"),
      provisioner: "example.com/none",
    },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "IngressClass",
      metadata: metadata("ingressclass"),
      spec: { controller: "example.com/none" },
    },
  ];
}

/** Of any object of these tests, whatever its kind. */
export function writtenCollection({ apiVersion, kind, metadata: { namespace } }: KubeObject): string {
  const plural = kind
    .toLowerCase()
    .replace(/(?:([^aeiou])y|(s)|)$/, (_end, y?: string, s?: string) =>
      y === undefined ? `${s === undefined ? "" : "se"}s` : `${y}ies`,
    );
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${plural}`;
}

export const writtenPath = (object: KubeObject): string => `${writtenCollection(object)}/${object.metadata.name}`;

/** Places these objects, and what else is `sent: yes`, everywhere: those of namespaces that are `sent: yes`, the others by their own label. */
export function sentEverywhere(objects: readonly KubeObject[]): KubeObject {
  const kinds = new Map(objects.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, { apiVersion, kind }]));
  const selectors = [...kinds.values()].map((selector) => {
    const isWide = objects.every(({ kind, metadata }) => kind !== selector.kind || metadata.namespace === undefined);
    const labels = { matchLabels: { sent: "yes" } };
    // Written in another version than it is read in.
    const version = selector.kind === "HorizontalPodAutoscaler" ? { apiVersion: "autoscaling/v2" } : {};
    return { ...selector, ...version, ...(isWide ? { labelSelector: labels } : { namespaceSelector: labels }) };
  });
  return {
    apiVersion: FEDERATION_API_VERSION,
    kind: "ClusterPlacement",
    metadata: { name: "sent" },
    spec: { resourceSelectors: [...selectors, { apiVersion: "v1", kind: "Secret", name: "token" }] },
  };
}
