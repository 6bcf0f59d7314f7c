/**
 * What every pod of a manager is like, whoever makes the pod: `meridian install --manager` takes these values from here, and the chart from
 * files/manager.yaml, which test/chart/generate.ts writes from here. Pure: values only.
 */

/** No pod is missing while another one takes its place. */
const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };

const podSecurityContext = {
  runAsNonRoot: true,
  runAsUser: 65532,
  runAsGroup: 65532,
  // Files of mode 0400 belong to root; the group is what lets the manager read them.
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

/** Of a manager with webhooks: API servers still call the pod until its endpoint is gone everywhere. */
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

/** Node labels over which the pods spread where that is possible. */
const spreadOver = ["kubernetes.io/hostname", "topology.kubernetes.io/zone"];

const dns = {
  ports: [
    { port: 53, protocol: "UDP" },
    { port: 53, protocol: "TCP" },
  ],
};

/** Where API servers may be: anywhere but at the addresses at which clouds serve the credentials of the node. */
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
