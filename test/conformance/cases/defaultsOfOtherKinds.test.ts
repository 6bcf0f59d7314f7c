import { conformance } from "../framework/conformance.ts";
import { create, remove } from "../framework/requests.ts";

const named = (name: string, object: object) => ({ metadata: { name }, ...object });
const selector = { matchLabels: { app: "web" } };

conformance("defaults of other kinds", [
  { name: "a Secret", steps: [create("secrets", named("s", { stringData: { a: "ä" }, data: { b: "Yg==" } }))] },
  {
    name: "a Secret of a registry",
    steps: [
      create(
        "secrets",
        named("s", { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "{}" } }),
      ),
    ],
  },
  { name: "a Namespace", steps: [create("namespaces", named("{ns}-other", {})), remove("namespaces/{ns}-other")] },
  { name: "a ServiceAccount", steps: [create("serviceaccounts", named("s", {}))] },
  {
    name: "an Event",
    steps: [
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
  },
  { name: "a Lease", steps: [create("leases", named("l", { spec: { holderIdentity: "a" } }))] },
  {
    name: "a Role and its binding",
    steps: [
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
  },
  {
    name: "a HorizontalPodAutoscaler",
    steps: [
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
  },
  {
    name: "a HorizontalPodAutoscaler with a metric",
    steps: [
      create(
        "horizontalpodautoscalers",
        named("h", {
          spec: {
            scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
            minReplicas: 2,
            maxReplicas: 3,
            metrics: [
              {
                type: "Resource",
                resource: { name: "memory", target: { type: "Utilization", averageUtilization: 50 } },
              },
            ],
          },
        }),
      ),
    ],
  },
  {
    name: "a PodDisruptionBudget",
    steps: [create("poddisruptionbudgets", named("p", { spec: { maxUnavailable: "30%", selector } }))],
  },
  {
    name: "an Ingress",
    steps: [
      create(
        "ingresses",
        named("i", {
          spec: {
            rules: [
              {
                host: "a.example.com",
                http: {
                  paths: [
                    { path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { name: "http" } } } },
                  ],
                },
              },
            ],
          },
        }),
      ),
    ],
  },
  {
    name: "a Node",
    steps: [create("nodes", named("node-{ns}", { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }))],
  },
  {
    name: "a PersistentVolumeClaim",
    steps: [
      create(
        "persistentvolumeclaims",
        named("p", { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }),
      ),
    ],
  },
  {
    name: "a custom resource",
    steps: [
      create("widgets", named("w", {})),
      create("widgets", named("v", { spec: {} })),
      create(
        "widgets",
        named("u", { spec: { parts: [{ name: "a" }], endpoints: [{ port: 1 }], nested: { deep: { level: 1 } } } }),
      ),
    ],
  },
  {
    name: "a custom resource without the field that is defaulted",
    steps: [create("widgets", named("w", { spec: { size: null, nested: null, note: null } }))],
  },
]);
