import { conformance } from "../framework/conformance.ts";
import { deployment, pod } from "../framework/objects.ts";
import { create, get, remove, type Step } from "../framework/requests.ts";

const named = (name: string, object: object) => ({ metadata: { name }, ...object });
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "app", image: "nginx" }] } };
const selector = { matchLabels: { app: "web" } };
const account: Step[] = [create("serviceaccounts", named("default", {}))];
const container = (fields: object) =>
  create("deployments", named("web", deployment({}, fields as Record<string, unknown>)));

conformance("defaults of workloads", {
  "a Deployment": [create("deployments", named("web", deployment()))],
  "a Deployment that recreates": [create("deployments", named("web", deployment({ strategy: { type: "Recreate" } })))],
  "a Deployment with zero replicas keeps the zero": [create("deployments", named("web", deployment({ replicas: 0 })))],
  "an image without a tag is always pulled": [container({ image: "nginx" })],
  "an image with the tag latest is always pulled": [container({ image: "registry:5000/nginx:latest" })],
  "an image with a digest is pulled when it is not there": [container({ image: `nginx@sha256:${"a".repeat(64)}` })],
  "requests come from limits, in pods only": [
    container({ resources: { limits: { cpu: "1", memory: "1Gi" } } }),
    ...account,
    create(
      "pods",
      named("p", pod({ containers: [{ name: "a", image: "a:1", resources: { limits: { cpu: "1500m" } } }] })),
    ),
  ],
  "quantities are put into their canonical form": [
    container({
      resources: {
        limits: { cpu: "1000m", memory: "1048576Ki", "example.com/gpu": "2" },
        requests: { cpu: 0.25, memory: 1e9, "example.com/gpu": "2" },
      },
    }),
  ],
  probes: [
    container({
      livenessProbe: { httpGet: { port: 80 } },
      readinessProbe: { tcpSocket: { port: "http" } },
      startupProbe: { exec: { command: ["true"] } },
    }),
  ],
  "a gRPC probe": [container({ livenessProbe: { grpc: { port: 80 } } })],
  "ports and environment": [
    container({
      ports: [{ containerPort: 80 }],
      env: [
        { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      ],
      envFrom: [{ configMapRef: { name: "c" } }],
    }),
  ],
  volumes: [
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
  "a service account under either name": [
    create(
      "deployments",
      named("web", deployment({ template: { ...template, spec: { ...template.spec, serviceAccountName: "s" } } })),
    ),
  ],
  "a host network copies the ports": [
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
  "a ReplicaSet": [create("replicasets", named("r", { spec: { selector, template } }))],
  "a StatefulSet": [
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
  "a DaemonSet": [create("daemonsets", named("d", { spec: { selector, template } }))],
  "a Job gets a selector and labels of its own": [
    create(
      "jobs",
      named("j", { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } } } }),
    ),
  ],
  "a Job with completions": [
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
  "a Pod": [...account, create("pods", named("p", pod()))],
  "a Pod with host aliases, security and affinity": [
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
  "a Pod with init containers and an ephemeral volume": [
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
  "a Pod without its service account is refused": [
    create("pods", named("p", pod()), { gives: 403, saying: "error looking up service account" }),
  ],
  "a Pod's deletion without a node is immediate": [
    ...account,
    create("pods", named("p", pod())),
    remove("pods/p"),
    get("pods/p", { gives: 404 }),
  ],
  "a Pod's deletion on a node waits for the node": [
    ...account,
    create("pods", named("p", pod({ nodeName: "n" }))),
    remove("pods/p"),
    remove("pods/p", { gracePeriodSeconds: 5 }),
    remove("pods/p", { gracePeriodSeconds: 0 }),
    get("pods/p", { gives: 404 }),
  ],
  "a ControllerRevision": [create("controllerrevisions", named("c", { revision: 1, data: { a: 1 } }))],
});
