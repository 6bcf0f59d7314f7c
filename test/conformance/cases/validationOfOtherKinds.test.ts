import { conformance } from "../framework/conformance.ts";
import { deployment, pod, service } from "../framework/objects.ts";
import { create, edit, mergePatch, type Case } from "../framework/requests.ts";

const named = (name: string, object: object) => ({ metadata: { name }, ...object });

/** One object that the server refuses. */
const refused = (plural: string, name: string, object: object, saying: string): Case => ({
  name,
  steps: [create(plural, named("x", object), { gives: 422, saying })],
});
const badService = (name: string, spec: Record<string, unknown>, saying: string) =>
  refused("services", name, service(spec), saying);

conformance("validation of Services", [
  badService("no ports", { ports: [] }, "spec.ports: Required value"),
  badService("a port that is too large", { ports: [{ port: 70_000 }] }, "must be between 1 and 65535"),
  badService("a port of zero", { ports: [{ port: 0 }] }, "must be between 1 and 65535"),
  badService("several ports without names", { ports: [{ port: 1 }, { port: 2 }] }, "name: Required value"),
  badService(
    "two ports of one name",
    {
      ports: [
        { name: "a", port: 1 },
        { name: "a", port: 2 },
      ],
    },
    "Duplicate value",
  ),
  badService(
    "two entries for one port",
    {
      ports: [
        { name: "a", port: 1 },
        { name: "b", port: 1 },
      ],
    },
    "Duplicate value",
  ),
  badService("an unknown type", { type: "Magic" }, "Unsupported value"),
  badService("an unknown affinity", { sessionAffinity: "Sticky" }, "Unsupported value"),
  badService("an address that is none", { clusterIP: "nonsense" }, "must be a valid IP address"),
  badService("an external name that is empty", { type: "ExternalName" }, "externalName"),
  badService(
    "a node port on a ClusterIP Service",
    { ports: [{ port: 80, nodePort: 30999 }] },
    "may not be used when `type` is 'ClusterIP'",
  ),
  badService("a bad target port", { ports: [{ port: 80, targetPort: "No_Port" }] }, "targetPort"),
  badService("a bad selector", { selector: { "a b": "c" } }, "spec.selector"),
  {
    name: "a changed address",
    steps: [
      create("services", named("x", service())),
      mergePatch(
        "services/x",
        { spec: { clusterIP: "{addresses}.9.9" } },
        { gives: 422, saying: "may not change once set" },
      ),
    ],
  },
]);

const rules = (rule: object) => ({ rules: [rule] });
conformance("validation of other kinds", [
  refused("configmaps", "a bad key of a ConfigMap", { data: { "a b": "x" } }, "a valid config key must consist of"),
  refused(
    "configmaps",
    "a key of a ConfigMap in both maps",
    { data: { a: "x" }, binaryData: { a: "YQ==" } },
    "duplicate",
  ),
  refused("configmaps", "a ConfigMap that is too large", { data: { a: "x".repeat(1_048_577) } }, "Too long"),
  refused("secrets", "a bad key of a Secret", { data: { "a b": "YQ==" } }, "a valid config key must consist of"),
  {
    name: "a Secret that is no base64",
    steps: [create("secrets", named("x", { data: { a: "?" } }), { gives: 400, saying: "illegal base64" })],
  },
  refused("secrets", "a TLS Secret without its parts", { type: "kubernetes.io/tls" }, "tls.crt"),
  refused(
    "secrets",
    "a registry Secret that is no JSON",
    { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "{" } },
    "Invalid value",
  ),
  {
    name: "a Secret's type cannot change",
    steps: [
      create("secrets", named("x", {})),
      edit("secrets/x", { type: "other" }, { gives: 422, saying: "field is immutable" }),
    ],
  },
  {
    name: "an immutable Secret cannot change",
    steps: [
      create("secrets", named("x", { immutable: true, data: { a: "YQ==" } })),
      edit("secrets/x", { data: { a: "Yg==" } }, { gives: 422, saying: "field is immutable when `immutable` is set" }),
    ],
  },
  refused(
    "roles",
    "a Role's rule without verbs",
    rules({ apiGroups: [""], resources: ["pods"] }),
    "verbs must contain at least one value",
  ),
  refused(
    "roles",
    "a Role's rule without resources",
    rules({ apiGroups: [""], verbs: ["get"] }),
    "resource rules must supply at least one resource",
  ),
  refused(
    "roles",
    "a Role's rule for paths",
    rules({ nonResourceURLs: ["/x"], verbs: ["get"] }),
    "namespaced rules cannot apply to non-resource URLs",
  ),
  refused(
    "rolebindings",
    "a binding to no role",
    { roleRef: { kind: "Role", name: "" } },
    "roleRef.name: Required value",
  ),
  refused("rolebindings", "a binding to something else", { roleRef: { kind: "Frob", name: "x" } }, "Unsupported value"),
  refused(
    "rolebindings",
    "a binding of an unknown subject",
    { roleRef: { kind: "Role", name: "r" }, subjects: [{ kind: "Frob", name: "x" }] },
    "Unsupported value",
  ),
  refused(
    "horizontalpodautoscalers",
    "an autoscaler whose bounds cross",
    { spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, minReplicas: 5, maxReplicas: 3 } },
    "must be greater than or equal to `minReplicas`",
  ),
  refused(
    "horizontalpodautoscalers",
    "an autoscaler without a target",
    { spec: { scaleTargetRef: {}, maxReplicas: 3 } },
    "scaleTargetRef.kind: Required value",
  ),
  refused(
    "poddisruptionbudgets",
    "a budget with both bounds",
    { spec: { minAvailable: 1, maxUnavailable: 1 } },
    "cannot be both set",
  ),
  refused(
    "ingresses",
    "an Ingress with nothing in it",
    { spec: {} },
    "either `defaultBackend` or `rules` must be specified",
  ),
  refused(
    "ingresses",
    "an Ingress with a path without a slash",
    {
      spec: {
        rules: [
          {
            http: {
              paths: [{ path: "x", pathType: "Prefix", backend: { service: { name: "s", port: { number: 1 } } } }],
            },
          },
        ],
      },
    },
    "must be an absolute path",
  ),
  refused("leases", "a Lease of a negative duration", { spec: { leaseDurationSeconds: -1 } }, "must be greater than 0"),
  refused("statefulsets", "an empty StatefulSet", { spec: {} }, "spec.selector: Required value"),
  refused(
    "daemonsets",
    "a DaemonSet whose selector does not match",
    {
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "c" } }, spec: { containers: [{ name: "a", image: "a" }] } },
      },
    },
    "`selector` does not match template `labels`",
  ),
  refused(
    "jobs",
    "a Job that restarts always",
    { spec: { template: { spec: { containers: [{ name: "a", image: "a" }] } } } },
    "restartPolicy",
  ),
  refused(
    "persistentvolumeclaims",
    "a claim without a size",
    { spec: { accessModes: ["ReadWriteOnce"] } },
    "Required value",
  ),
  refused(
    "events",
    "an Event of another namespace",
    { involvedObject: { kind: "Pod", name: "p", namespace: "other" } },
    "involvedObject.namespace",
  ),
  {
    name: "a Job's template cannot change",
    steps: [
      create(
        "jobs",
        named("j", {
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } } },
        }),
      ),
      mergePatch(
        "jobs/j",
        { spec: { template: { spec: { containers: [{ name: "a", image: "b" }] } } } },
        { gives: 422, saying: "field is immutable", see: (answer) => (answer as { code: number }).code },
      ),
    ],
  },
  {
    name: "a StatefulSet lets only some fields change",
    steps: [
      create("statefulsets", named("s", { spec: { ...(deployment()["spec"] as object), serviceName: "s" } })),
      mergePatch(
        "statefulsets/s",
        { spec: { serviceName: "t" } },
        { gives: 422, saying: "updates to statefulset spec for fields other than" },
      ),
      mergePatch("statefulsets/s", { spec: { replicas: 2 } }),
    ],
  },
  {
    name: "a Pod lets only some fields change",
    steps: [
      create("serviceaccounts", named("default", {})),
      create("pods", named("p", pod())),
      mergePatch(
        "pods/p",
        { spec: { containers: [{ name: "app", image: "nginx:2", command: ["x"] }] } },
        {
          gives: 422,
          saying: "pod updates may not change fields other than",
          see: (answer) => (answer as { code: number }).code,
        },
      ),
      mergePatch("pods/p", { metadata: { labels: { a: "b" } } }),
    ],
  },
]);
