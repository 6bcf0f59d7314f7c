import { conformance } from "../framework/conformance.ts";
import { service } from "../framework/objects.ts";
import { apply, get } from "../framework/requests.ts";

conformance("apply of a Service", {
  "owns what was applied and not what was allocated": [
    apply("services/web", service(), { gives: 201 }),
    get("services/web"),
  ],
  "of a port whose name another one has is refused": [
    apply("services/web", service({ ports: [{ name: "http", port: 80 }] }), { gives: 201 }),
    apply(
      "services/web",
      { spec: { ports: [{ name: "http", port: 81 }] } },
      { manager: "beta", gives: 422, saying: "Duplicate value" },
    ),
  ],
  "of a second port without names is refused": [
    apply("services/web", service(), { gives: 201 }),
    apply(
      "services/web",
      { spec: { ports: [{ port: 81 }] } },
      { manager: "beta", gives: 422, saying: "Required value" },
    ),
  ],
  "of another type allocates a node port, and back again releases it": [
    apply("services/web", service({ type: "NodePort" }), { gives: 201 }),
    apply("services/web", service({ type: "NodePort" })),
    apply("services/web", service({ type: "ClusterIP" })),
  ],
  "that drops the type falls back to ClusterIP": [
    apply("services/web", service({ type: "NodePort" }), { gives: 201 }),
    apply("services/web", service()),
  ],
  "of a node port owns it": [
    apply("services/web", service({ type: "NodePort", ports: [{ port: 80, nodePort: 31111 }] }), { gives: 201 }),
    apply("services/web", { spec: { ports: [{ port: 80, nodePort: 31112 }] } }, { manager: "beta", gives: 409 }),
    apply("services/web", service({ type: "NodePort" })),
  ],
  "to ExternalName gives the address back": [
    apply("services/web", service(), { gives: 201 }),
    apply("services/web", { spec: { type: "ExternalName", externalName: "example.com" } }),
  ],
  "without ports is refused": [
    apply("services/web", { spec: { selector: { app: "web" } } }, { gives: 422, saying: "spec.ports: Required value" }),
  ],
  "of a headless Service keeps None": [
    apply("services/web", service({ clusterIP: "None" }), { gives: 201 }),
    apply("services/web", service({ clusterIP: "None", ports: [{ port: 81 }] })),
  ],
  "of another clusterIP is refused": [
    apply("services/web", service({ clusterIP: "None" }), { gives: 201 }),
    apply("services/web", service({ clusterIP: "{addresses}.3.3" }), { gives: 422, saying: "may not change once set" }),
  ],
});

conformance("apply of other built-in kinds", {
  "a Secret's data and its type are owned": [
    apply("secrets/s", { type: "Opaque", data: { a: "YQ==" } }, { gives: 201 }),
    apply("secrets/s", { data: { b: "Yg==" } }, { manager: "beta" }),
  ],
  "a Secret's stringData becomes data, and the string is owned": [
    apply("secrets/s", { stringData: { a: "a" } }, { gives: 201 }),
    apply("secrets/s", { stringData: { a: "b" } }),
    apply("secrets/s", { stringData: { a: "b" } }),
  ],
  "a Role's rules are atomic": [
    apply("roles/r", { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }, { gives: 201 }),
    apply(
      "roles/r",
      { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }] },
      { manager: "beta", gives: 409, saying: ".rules" },
    ),
  ],
  "a RoleBinding's roleRef cannot be changed": [
    apply(
      "rolebindings/b",
      { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" } },
      { gives: 201 },
    ),
    apply(
      "rolebindings/b",
      { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" } },
      { gives: 422, saying: "cannot change roleRef" },
    ),
  ],
  "an Ingress's rules are atomic": [
    apply(
      "ingresses/i",
      { spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } },
      { gives: 201 },
    ),
    apply(
      "ingresses/i",
      {
        spec: {
          rules: [
            {
              host: "a.example.com",
              http: {
                paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } }],
              },
            },
          ],
        },
      },
      { manager: "beta" },
    ),
    apply(
      "ingresses/i",
      { spec: { rules: [{ host: "b.example.com" }] } },
      { manager: "gamma", gives: 409, saying: ".spec.rules" },
    ),
  ],
  "a HorizontalPodAutoscaler's metrics are atomic": [
    apply(
      "horizontalpodautoscalers/h",
      { spec: { scaleTargetRef: { kind: "Deployment", name: "web", apiVersion: "apps/v1" }, maxReplicas: 5 } },
      { gives: 201 },
    ),
    apply("horizontalpodautoscalers/h", { spec: { maxReplicas: 6 } }, { manager: "beta", gives: 409 }),
    get("horizontalpodautoscalers/h"),
  ],
  "a PodDisruptionBudget is created with its defaults": [
    apply(
      "poddisruptionbudgets/p",
      { spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } } },
      { gives: 201 },
    ),
  ],
  "a ServiceAccount's secrets are merged by name": [
    apply("serviceaccounts/s", { secrets: [{ name: "a" }] }, { gives: 201 }),
    apply("serviceaccounts/s", { secrets: [{ name: "b" }], imagePullSecrets: [{ name: "x" }] }, { manager: "beta" }),
    apply("serviceaccounts/s", { imagePullSecrets: [{ name: "y" }] }, { manager: "beta" }),
  ],
  "a Lease's times keep their microseconds": [
    apply(
      "leases/l",
      { spec: { holderIdentity: "me", renewTime: "2020-01-01T00:00:00.000001Z", leaseDurationSeconds: 15 } },
      { gives: 201 },
    ),
    apply("leases/l", {
      spec: { holderIdentity: "me", renewTime: "2020-01-01T00:00:01.500000Z", leaseDurationSeconds: 15 },
    }),
  ],
  "a Lease's time with fewer digits is refused": [
    apply("leases/l", { spec: { renewTime: "2020-01-01T00:00:01.5Z" } }, { gives: 500, saying: "parsing time" }),
  ],
  "a StatefulSet's volume claim templates are atomic": [
    apply(
      "statefulsets/s",
      {
        spec: {
          serviceName: "s",
          selector: { matchLabels: { app: "s" } },
          template: { metadata: { labels: { app: "s" } }, spec: { containers: [{ name: "app", image: "nginx:1" }] } },
          volumeClaimTemplates: [
            {
              metadata: { name: "disk" },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          ],
        },
      },
      { gives: 201 },
    ),
    apply("statefulsets/s", { spec: { replicas: 3 } }, { manager: "beta" }),
  ],
  "a Namespace is applied with labels": [
    apply("namespaces/{ns}", { metadata: { labels: { team: "a" } } }),
    get("namespaces/{ns}"),
  ],
});
