import { conformance } from "../framework/conformance.ts";
import { deployment, pod } from "../framework/objects.ts";
import { create, get, remove, type Step } from "../framework/requests.ts";

const named = (name: string, object: object) => ({ metadata: { name }, ...object });
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "app", image: "nginx" }] } };
const selector = { matchLabels: { app: "web" } };
const account: Step[] = [create("serviceaccounts", named("default", {}))];
const container = (fields: object) =>
  create("deployments", named("web", deployment({}, fields as Record<string, unknown>)));

conformance("defaults of workloads", [
  { name: "a Deployment", steps: [create("deployments", named("web", deployment()))] },
  {
    name: "a Deployment that recreates",
    steps: [create("deployments", named("web", deployment({ strategy: { type: "Recreate" } })))],
  },
  {
    name: "a Deployment with zero replicas keeps the zero",
    steps: [create("deployments", named("web", deployment({ replicas: 0 })))],
  },
  { name: "an image without a tag is always pulled", steps: [container({ image: "nginx" })] },
  {
    name: "an image with the tag latest is always pulled",
    steps: [container({ image: "registry:5000/nginx:latest" })],
  },
  {
    name: "an image with a digest is pulled when it is not there",
    steps: [container({ image: `nginx@sha256:${"a".repeat(64)}` })],
  },
  {
    name: "requests come from limits, in pods only",
    steps: [
      container({ resources: { limits: { cpu: "1", memory: "1Gi" } } }),
      ...account,
      create(
        "pods",
        named("p", pod({ containers: [{ name: "a", image: "a:1", resources: { limits: { cpu: "1500m" } } }] })),
      ),
    ],
  },
  {
    name: "quantities are put into their canonical form",
    steps: [
      container({
        resources: {
          limits: { cpu: "1000m", memory: "1048576Ki", "example.com/gpu": "2" },
          requests: { cpu: 0.25, memory: 1e9, "example.com/gpu": "2" },
        },
      }),
    ],
  },
  {
    name: "probes",
    steps: [
      container({
        livenessProbe: { httpGet: { port: 80 } },
        readinessProbe: { tcpSocket: { port: "http" } },
        startupProbe: { exec: { command: ["true"] } },
      }),
    ],
  },
  { name: "a gRPC probe", steps: [container({ livenessProbe: { grpc: { port: 80 } } })] },
  {
    name: "ports and environment",
    steps: [
      container({
        ports: [{ containerPort: 80 }],
        env: [
          { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
        ],
        envFrom: [{ configMapRef: { name: "c" } }],
      }),
    ],
  },
  {
    name: "volumes",
    steps: [
      create(
        "deployments",
        named(
          "web",
          deployment({
            template: {
              ...template,
              spec: {
                ...template.spec,
                volumes: [
                  { name: "a", secret: { secretName: "s" } },
                  { name: "b", configMap: { name: "c" } },
                  { name: "c", downwardAPI: { items: [{ path: "x", fieldRef: { fieldPath: "metadata.labels" } }] } },
                  { name: "d", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
                  { name: "e", hostPath: { path: "/x" } },
                  { name: "f" },
                ],
              },
            },
          }),
        ),
      ),
    ],
  },
  {
    name: "a service account under either name",
    steps: [
      create(
        "deployments",
        named("web", deployment({ template: { ...template, spec: { ...template.spec, serviceAccountName: "s" } } })),
      ),
    ],
  },
  {
    name: "a host network copies the ports",
    steps: [
      create(
        "deployments",
        named(
          "web",
          deployment({
            template: {
              ...template,
              spec: { hostNetwork: true, containers: [{ name: "a", image: "a", ports: [{ containerPort: 80 }] }] },
            },
          }),
        ),
      ),
    ],
  },
  { name: "a ReplicaSet", steps: [create("replicasets", named("r", { spec: { selector, template } }))] },
  {
    name: "a StatefulSet",
    steps: [
      create(
        "statefulsets",
        named("s", {
          spec: {
            serviceName: "s",
            selector,
            template,
            volumeClaimTemplates: [
              {
                metadata: { name: "d" },
                spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
              },
            ],
          },
        }),
      ),
    ],
  },
  { name: "a DaemonSet", steps: [create("daemonsets", named("d", { spec: { selector, template } }))] },
  {
    name: "a Job gets a selector and labels of its own",
    steps: [
      create(
        "jobs",
        named("j", {
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } } },
        }),
      ),
    ],
  },
  {
    name: "a Job with completions",
    steps: [
      create(
        "jobs",
        named("j", {
          spec: {
            completions: 3,
            completionMode: "Indexed",
            template: { spec: { restartPolicy: "OnFailure", containers: [{ name: "a", image: "a" }] } },
          },
        }),
      ),
    ],
  },
  { name: "a Pod", steps: [...account, create("pods", named("p", pod()))] },
  {
    name: "a Pod with host aliases, security and affinity",
    steps: [
      ...account,
      create(
        "pods",
        named(
          "p",
          pod({
            securityContext: { runAsUser: 0 },
            hostAliases: [{ ip: "127.0.0.1", hostnames: ["x"] }],
            automountServiceAccountToken: false,
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: "zone",
                whenUnsatisfiable: "DoNotSchedule",
                labelSelector: { matchLabels: { a: "b" } },
              },
            ],
          }),
        ),
      ),
    ],
  },
  {
    name: "a Pod with init containers and an ephemeral volume",
    steps: [
      ...account,
      create(
        "pods",
        named(
          "p",
          pod({
            initContainers: [{ name: "i", image: "i:1", restartPolicy: "Always" }],
            volumes: [{ name: "v", emptyDir: { sizeLimit: "1Gi" } }],
          }),
        ),
      ),
    ],
  },
  {
    name: "a Pod without its service account is refused",
    steps: [create("pods", named("p", pod()), { gives: 403, saying: "error looking up service account" })],
  },
  {
    name: "a Pod's deletion without a node is immediate",
    steps: [...account, create("pods", named("p", pod())), remove("pods/p"), get("pods/p", { gives: 404 })],
  },
  {
    name: "a Pod's deletion on a node waits for the node",
    steps: [
      ...account,
      create("pods", named("p", pod({ nodeName: "n" }))),
      remove("pods/p"),
      remove("pods/p", { gracePeriodSeconds: 5 }),
      remove("pods/p", { gracePeriodSeconds: 0 }),
      get("pods/p", { gives: 404 }),
    ],
  },
  { name: "a ControllerRevision", steps: [create("controllerrevisions", named("c", { revision: 1, data: { a: 1 } }))] },
]);
