/**
 * Values of every manager pod: `meridian install --manager` uses them, and test/chart/generate.ts writes them into the
 * chart.
 */

/** No pod may be missing while another one replaces it. */
const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };

const podSecurityContext = {
  runAsNonRoot: true,
  runAsUser: 65532,
  runAsGroup: 65532,
  // Files of mode 0400 belong to root. The manager can read them through this group.
  fsGroup: 65532,
  seccompProfile: { type: "RuntimeDefault" },
};

const securityContext = {
  allowPrivilegeEscalation: false,
  privileged: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
};

const probes = {
  startupProbe: { httpGet: { path: "/healthz", port: "metrics" }, periodSeconds: 1, failureThreshold: 30 },
  livenessProbe: {
    httpGet: { path: "/healthz", port: "metrics" },
    periodSeconds: 10,
    timeoutSeconds: 5,
    failureThreshold: 6,
  },
  readinessProbe: { httpGet: { path: "/readyz", port: "metrics" }, periodSeconds: 5, timeoutSeconds: 5 },
};

/** For a manager with webhooks: API servers still call the pod until its endpoint is gone everywhere. */
const lifecycle = { preStop: { sleep: { seconds: 5 } } };

/** The volume of an automounted service account, but with a short-lived token that nobody else can read. */
const apiAccess = {
  mount: { name: "api-access", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true },
  volume: {
    name: "api-access",
    projected: {
      defaultMode: 0o400,
      sources: [
        { serviceAccountToken: { path: "token", expirationSeconds: 3600 } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        { downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } },
      ],
    },
  },
};

/** Node labels over which the pods spread if possible. */
const spreadOver = ["kubernetes.io/hostname", "topology.kubernetes.io/zone"];

const dns = {
  ports: [
    { port: 53, protocol: "UDP" },
    { port: 53, protocol: "TCP" },
  ],
};

/** Possible addresses of API servers: all addresses except those of the clouds' node credentials. */
const anywhere = [
  { ipBlock: { cidr: "0.0.0.0/0", except: ["169.254.0.0/16"] } },
  { ipBlock: { cidr: "::/0", except: ["fe80::/10", "fd00:ec2::254/128"] } },
];

export const MANAGER_POD = {
  strategy,
  podSecurityContext,
  securityContext,
  probes,
  lifecycle,
  apiAccess,
  spreadOver,
  egress: { dns, anywhere },
};
