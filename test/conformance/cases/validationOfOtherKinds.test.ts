import { conformance } from "../framework/conformance.ts";
import { deployment, pod, service } from "../framework/objects.ts";
import { create, edit, mergePatch } from "../framework/requests.ts";

const named = (name: string, object: object) => ({ metadata: { name }, ...object });

/** One object that the server refuses. */
const refused = (plural: string, object: object, saying: string) => [
  create(plural, named("x", object), { gives: 422, saying }),
];
const badService = (spec: Record<string, unknown>, saying: string) => refused("services", service(spec), saying);

conformance("validation of Services", {
  "no ports": badService({ ports: [] }, "spec.ports: Required value"),
  "a port that is too large": badService({ ports: [{ port: 70_000 }] }, "must be between 1 and 65535"),
  "a port of zero": badService({ ports: [{ port: 0 }] }, "must be between 1 and 65535"),
  "several ports without names": badService({ ports: [{ port: 1 }, { port: 2 }] }, "name: Required value"),
  "two ports of one name": badService(
    {
      ports: [
        { name: "a", port: 1 },
        { name: "a", port: 2 },
      ],
    },
    "Duplicate value",
  ),
  "two entries for one port": badService(
    {
      ports: [
        { name: "a", port: 1 },
        { name: "b", port: 1 },
      ],
    },
    "Duplicate value",
  ),
  "an unknown type": badService({ type: "Magic" }, "Unsupported value"),
  "an unknown affinity": badService({ sessionAffinity: "Sticky" }, "Unsupported value"),
  "an address that is none": badService({ clusterIP: "nonsense" }, "must be a valid IP address"),
  "an external name that is empty": badService({ type: "ExternalName" }, "externalName"),
  "a node port on a ClusterIP Service": badService(
    { ports: [{ port: 80, nodePort: 30999 }] },
    "may not be used when `type` is 'ClusterIP'",
  ),
  "a bad target port": badService({ ports: [{ port: 80, targetPort: "No_Port" }] }, "targetPort"),
  "a bad selector": badService({ selector: { "a b": "c" } }, "spec.selector"),
  "a changed address": [
    create("services", named("x", service())),
    mergePatch(
      "services/x",
      { spec: { clusterIP: "{addresses}.9.9" } },
      { gives: 422, saying: "may not change once set" },
    ),
  ],
});

const rules = (rule: object) => ({ rules: [rule] });
conformance("validation of other kinds", {
  "a bad key of a ConfigMap": refused("configmaps", { data: { "a b": "x" } }, "a valid config key must consist of"),
  "a key of a ConfigMap in both maps": refused(
    "configmaps",
    { data: { a: "x" }, binaryData: { a: "YQ==" } },
    "duplicate",
  ),
  "a ConfigMap that is too large": refused("configmaps", { data: { a: "x".repeat(1_048_577) } }, "Too long"),
  "a bad key of a Secret": refused("secrets", { data: { "a b": "YQ==" } }, "a valid config key must consist of"),
  "a Secret that is no base64": [
    create("secrets", named("x", { data: { a: "?" } }), { gives: 400, saying: "illegal base64" }),
  ],
  "a TLS Secret without its parts": refused("secrets", { type: "kubernetes.io/tls" }, "tls.crt"),
  "a registry Secret that is no JSON": refused(
    "secrets",
    { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "{" } },
    "Invalid value",
  ),
  "a Secret's type cannot change": [
    create("secrets", named("x", {})),
    edit("secrets/x", { type: "other" }, { gives: 422, saying: "field is immutable" }),
  ],
  "an immutable Secret cannot change": [
    create("secrets", named("x", { immutable: true, data: { a: "YQ==" } })),
    edit("secrets/x", { data: { a: "Yg==" } }, { gives: 422, saying: "field is immutable when `immutable` is set" }),
  ],
  "a Role's rule without verbs": refused(
    "roles",
    rules({ apiGroups: [""], resources: ["pods"] }),
    "verbs must contain at least one value",
  ),
  "a Role's rule without resources": refused(
    "roles",
    rules({ apiGroups: [""], verbs: ["get"] }),
    "resource rules must supply at least one resource",
  ),
  "a Role's rule for paths": refused(
    "roles",
    rules({ nonResourceURLs: ["/x"], verbs: ["get"] }),
    "namespaced rules cannot apply to non-resource URLs",
  ),
  "a binding to no role": refused(
    "rolebindings",
    { roleRef: { kind: "Role", name: "" } },
    "roleRef.name: Required value",
  ),
  "a binding to something else": refused("rolebindings", { roleRef: { kind: "Frob", name: "x" } }, "Unsupported value"),
  "a binding of an unknown subject": refused(
    "rolebindings",
    { roleRef: { kind: "Role", name: "r" }, subjects: [{ kind: "Frob", name: "x" }] },
    "Unsupported value",
  ),
  "an autoscaler whose bounds cross": refused(
    "horizontalpodautoscalers",
    { spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, minReplicas: 5, maxReplicas: 3 } },
    "must be greater than or equal to `minReplicas`",
  ),
  "an autoscaler without a target": refused(
    "horizontalpodautoscalers",
    { spec: { scaleTargetRef: {}, maxReplicas: 3 } },
    "scaleTargetRef.kind: Required value",
  ),
  "a budget with both bounds": refused(
    "poddisruptionbudgets",
    { spec: { minAvailable: 1, maxUnavailable: 1 } },
    "cannot be both set",
  ),
  "an Ingress with nothing in it": refused(
    "ingresses",
    { spec: {} },
    "either `defaultBackend` or `rules` must be specified",
  ),
  "an Ingress with a path without a slash": refused(
    "ingresses",
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
  "a Lease of a negative duration": refused("leases", { spec: { leaseDurationSeconds: -1 } }, "must be greater than 0"),
  "an empty StatefulSet": refused("statefulsets", { spec: {} }, "spec.selector: Required value"),
  "a DaemonSet whose selector does not match": refused(
    "daemonsets",
    {
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "c" } }, spec: { containers: [{ name: "a", image: "a" }] } },
      },
    },
    "`selector` does not match template `labels`",
  ),
  "a Job that restarts always": refused(
    "jobs",
    { spec: { template: { spec: { containers: [{ name: "a", image: "a" }] } } } },
    "restartPolicy",
  ),
  "a claim without a size": refused(
    "persistentvolumeclaims",
    { spec: { accessModes: ["ReadWriteOnce"] } },
    "Required value",
  ),
  "an Event of another namespace": refused(
    "events",
    { involvedObject: { kind: "Pod", name: "p", namespace: "other" } },
    "involvedObject.namespace",
  ),
  "a Job's template cannot change": [
    create(
      "jobs",
      named("j", { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } } } }),
    ),
    mergePatch(
      "jobs/j",
      { spec: { template: { spec: { containers: [{ name: "a", image: "b" }] } } } },
      { gives: 422, saying: "field is immutable", see: (answer) => (answer as { code: number }).code },
    ),
  ],
  "a StatefulSet lets only some fields change": [
    create("statefulsets", named("s", { spec: { ...(deployment()["spec"] as object), serviceName: "s" } })),
    mergePatch(
      "statefulsets/s",
      { spec: { serviceName: "t" } },
      { gives: 422, saying: "updates to statefulset spec for fields other than" },
    ),
    mergePatch("statefulsets/s", { spec: { replicas: 2 } }),
  ],
  "a Pod lets only some fields change": [
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
});
