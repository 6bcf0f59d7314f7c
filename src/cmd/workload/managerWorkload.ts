import type { KubeObject } from "../../apis/index.ts";
import { INSTALLED_LABELS, MANAGER_ACCOUNT, type ManagerAccess } from "./managerAccess.ts";
import { MANAGER_POD } from "./managerPod.ts";

/** The managers of `meridian install --manager`. test/chart/managerWorkload.test.ts compares them with the chart's. */

export interface ManagerWorkload {
  image: string;
  imagePullSecrets: readonly string[];
  replicas: number;
}

type Access = Pick<ManagerAccess, "namespace" | "leaseName" | "webhookConfiguration">;

export const MANAGER_DEPLOYMENT = MANAGER_ACCOUNT;

const PORTS = { metrics: 8383, webhook: 9443, queries: 9444 } as const;
const POD_LABELS = {
  ...INSTALLED_LABELS,
  "app.kubernetes.io/name": "meridian",
  "app.kubernetes.io/component": "manager",
};

export const MANAGER_SELECTOR = Object.entries(POD_LABELS)
  .map(([key, value]) => `${key}=${value}`)
  .join(",");

/** In the order of creation: the Deployment comes last, so that its pods find everything they need. */
export function workloadObjects(access: Access, workload: ManagerWorkload): KubeObject[] {
  const { namespace } = access;
  const meta = (name: string, labels: Record<string, string> = {}) => ({
    name,
    namespace,
    labels: { ...INSTALLED_LABELS, ...labels },
  });
  const serves = access.webhookConfiguration !== undefined;
  const service = (name: "metrics" | "webhook", port: number, more: object[] = []): KubeObject => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: meta(`${MANAGER_DEPLOYMENT}-${name}`, { "app.kubernetes.io/component": name }),
    spec: {
      type: "ClusterIP",
      selector: POD_LABELS,
      ports: [{ name, port, targetPort: name, protocol: "TCP" }, ...more],
    },
  });
  const queries = { name: "queries", port: PORTS.queries, targetPort: "queries", protocol: "TCP" };
  return [
    {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: priorityClassName(access), labels: { ...INSTALLED_LABELS } },
      value: 1_000_000,
      globalDefault: false,
      description: "The manager of Meridian, which heals and moves applications when nodes are short.",
    },
    service("metrics", PORTS.metrics),
    ...(serves ? [service("webhook", 443, [queries])] : []),
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: meta(MANAGER_DEPLOYMENT),
      spec: networkRules(serves),
    },
    ...(workload.replicas > 1 ? [disruptionBudget(meta(MANAGER_DEPLOYMENT))] : []),
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: meta(MANAGER_DEPLOYMENT),
      spec: {
        replicas: workload.replicas,
        revisionHistoryLimit: 3,
        selector: { matchLabels: POD_LABELS },
        strategy: MANAGER_POD.strategy,
        template: { metadata: podMetadata(), spec: podSpec(access, workload) },
      },
    },
  ];
}

function priorityClassName({ namespace }: Access): string {
  return `${MANAGER_DEPLOYMENT}-${namespace}`;
}

function disruptionBudget(metadata: KubeObject["metadata"]): KubeObject {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata,
    spec: {
      selector: { matchLabels: POD_LABELS },
      maxUnavailable: 1,
      // A pod that never becomes ready must not keep a node from being drained.
      unhealthyPodEvictionPolicy: "AlwaysAllow",
    },
  };
}

function networkRules(serves: boolean): object {
  const { dns, anywhere } = MANAGER_POD.egress;
  const into = (port: string) => ({ ports: [{ port, protocol: "TCP" }] });
  return {
    podSelector: { matchLabels: POD_LABELS },
    policyTypes: ["Ingress", "Egress"],
    ingress: [into("metrics"), ...(serves ? [into("webhook"), into("queries")] : [])],
    egress: [
      dns,
      { to: anywhere, ports: [{ port: 1, endPort: 65535, protocol: "TCP" }] },
      // The manager that leads, to which queries are passed on.
      ...(serves ? [{ to: [{ podSelector: { matchLabels: POD_LABELS } }], ...into("queries") }] : []),
    ],
  };
}

function podMetadata(): object {
  return {
    labels: POD_LABELS,
    annotations: {
      "kubectl.kubernetes.io/default-container": "manager",
      "prometheus.io/scrape": "true",
      "prometheus.io/port": String(PORTS.metrics),
      "prometheus.io/path": "/metrics",
    },
  };
}

function podSpec(access: Access, { image, imagePullSecrets }: ManagerWorkload): object {
  const serves = access.webhookConfiguration !== undefined;
  const { apiAccess, lifecycle, podSecurityContext, probes, securityContext, spreadOver } = MANAGER_POD;
  const port = (name: keyof typeof PORTS) => ({ name, containerPort: PORTS[name], protocol: "TCP" });
  return {
    serviceAccountName: MANAGER_ACCOUNT,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 30,
    priorityClassName: priorityClassName(access),
    ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    securityContext: podSecurityContext,
    containers: [
      {
        name: "manager",
        image,
        imagePullPolicy: "IfNotPresent",
        args: managerArguments(access),
        env: [
          fromPod("POD_NAME", "metadata.name"),
          ...(serves ? [fromPod("POD_IP", "status.podIP")] : []),
          fromPod("HOST_IP", "status.hostIP"),
        ],
        ports: [port("metrics"), ...(serves ? [port("webhook"), port("queries")] : [])],
        ...probes,
        ...(serves ? { lifecycle } : {}),
        // No CPU limit: a throttled leader loses its Lease.
        resources: { requests: { cpu: "200m", memory: "512Mi" }, limits: { memory: "512Mi" } },
        securityContext,
        volumeMounts: [apiAccess.mount],
      },
    ],
    volumes: [apiAccess.volume],
    topologySpreadConstraints: spreadOver.map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: "ScheduleAnyway",
      matchLabelKeys: ["pod-template-hash"],
      labelSelector: { matchLabels: POD_LABELS },
    })),
  };
}

function fromPod(name: string, fieldPath: string): object {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

/** Flags that equal the manager's defaults are left out. */
function managerArguments({ namespace, leaseName, webhookConfiguration }: Access): string[] {
  return [
    "manager",
    `--namespace=${namespace}`,
    "--identity=$(POD_NAME)",
    `--lease-name=${leaseName}`,
    ...(webhookConfiguration === undefined
      ? []
      : [
          "--webhooks",
          `--webhook-service=${namespace}/${MANAGER_DEPLOYMENT}-webhook`,
          `--webhook-configuration=${webhookConfiguration}`,
          `--query-port=${PORTS.queries}`,
          "--query-advertise-host=$(POD_IP)",
        ]),
  ];
}
