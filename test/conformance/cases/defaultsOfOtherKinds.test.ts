import { conformance } from "../framework/conformance.ts";
import { create, remove } from "../framework/requests.ts";

const named = (name: string, object: object) => ({ metadata: { name }, ...object });
const selector = { matchLabels: { app: "web" } };

conformance("defaults of other kinds", {
  "a Secret": [create("secrets", named("s", { stringData: { a: "ä" }, data: { b: "Yg==" } }))],
  "a Secret of a registry": [
    create(
      "secrets",
      named("s", { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "{}" } }),
    ),
  ],
  "a Namespace": [create("namespaces", named("{ns}-other", {})), remove("namespaces/{ns}-other")],
  "a ServiceAccount": [create("serviceaccounts", named("s", {}))],
  "an Event": [
    create(
      "events",
      named("e", {
        involvedObject: { kind: "Pod", name: "p", namespace: "{ns}" },
        reason: "Started",
        message: "x",
        type: "Normal",
        count: 1,
      }),
    ),
  ],
  "a Lease": [create("leases", named("l", { spec: { holderIdentity: "a" } }))],
  "a Role and its binding": [
    create("roles", named("r", { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] })),
    create(
      "rolebindings",
      named("b", {
        roleRef: { kind: "Role", name: "r" },
        subjects: [
          { kind: "ServiceAccount", name: "s" },
          { kind: "User", name: "u" },
        ],
      }),
    ),
  ],
  "a HorizontalPodAutoscaler": [
    create(
      "horizontalpodautoscalers",
      named("h", {
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
          maxReplicas: 3,
          behavior: { scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } },
        },
      }),
    ),
  ],
  "a HorizontalPodAutoscaler with a metric": [
    create(
      "horizontalpodautoscalers",
      named("h", {
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
          minReplicas: 2,
          maxReplicas: 3,
          metrics: [
            { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 50 } } },
          ],
        },
      }),
    ),
  ],
  "a PodDisruptionBudget": [create("poddisruptionbudgets", named("p", { spec: { maxUnavailable: "30%", selector } }))],
  "an Ingress": [
    create(
      "ingresses",
      named("i", {
        spec: {
          rules: [
            {
              host: "a.example.com",
              http: {
                paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { name: "http" } } } }],
              },
            },
          ],
        },
      }),
    ),
  ],
  "a Node": [create("nodes", named("node-{ns}", { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }))],
  "a PersistentVolumeClaim": [
    create(
      "persistentvolumeclaims",
      named("p", { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }),
    ),
  ],
  "a custom resource": [
    create("widgets", named("w", {})),
    create("widgets", named("v", { spec: {} })),
    create(
      "widgets",
      named("u", { spec: { parts: [{ name: "a" }], endpoints: [{ port: 1 }], nested: { deep: { level: 1 } } } }),
    ),
  ],
  "a custom resource without the field that is defaulted": [
    create("widgets", named("w", { spec: { size: null, nested: null, note: null } })),
  ],
});
