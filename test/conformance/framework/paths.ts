/** Where the resources of the cases are served: short names of paths, and what a body lacks. */

interface Served {
  apiVersion: string;
  kind: string;
  clusterScoped?: true;
}

const served = (apiVersion: string, kind: string): Served => ({ apiVersion, kind });
const ofCluster = (apiVersion: string, kind: string): Served => ({ apiVersion, kind, clusterScoped: true });

const RESOURCES: Readonly<Record<string, Served>> = {
  namespaces: ofCluster("v1", "Namespace"),
  nodes: ofCluster("v1", "Node"),
  pods: served("v1", "Pod"),
  services: served("v1", "Service"),
  configmaps: served("v1", "ConfigMap"),
  resourcequotas: served("v1", "ResourceQuota"),
  secrets: served("v1", "Secret"),
  serviceaccounts: served("v1", "ServiceAccount"),
  events: served("v1", "Event"),
  persistentvolumeclaims: served("v1", "PersistentVolumeClaim"),
  deployments: served("apps/v1", "Deployment"),
  replicasets: served("apps/v1", "ReplicaSet"),
  statefulsets: served("apps/v1", "StatefulSet"),
  daemonsets: served("apps/v1", "DaemonSet"),
  controllerrevisions: served("apps/v1", "ControllerRevision"),
  jobs: served("batch/v1", "Job"),
  leases: served("coordination.k8s.io/v1", "Lease"),
  roles: served("rbac.authorization.k8s.io/v1", "Role"),
  rolebindings: served("rbac.authorization.k8s.io/v1", "RoleBinding"),
  clusterroles: ofCluster("rbac.authorization.k8s.io/v1", "ClusterRole"),
  clusterrolebindings: ofCluster("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
  horizontalpodautoscalers: served("autoscaling/v2", "HorizontalPodAutoscaler"),
  poddisruptionbudgets: served("policy/v1", "PodDisruptionBudget"),
  ingresses: served("networking.k8s.io/v1", "Ingress"),
  customresourcedefinitions: ofCluster("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
  mutatingwebhookconfigurations: ofCluster("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
  validatingwebhookconfigurations: ofCluster("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
  // What the suite's own CRDs serve.
  widgets: served("conformance.example.com/v1", "Widget"),
  gadgets: ofCluster("conformance.example.com/v1", "Gadget"),
};

/** The path as it is asked for: `configmaps/a?x=y` becomes `/api/v1/namespaces/NAMESPACE/configmaps/a?x=y`. */
export function fullPath(short: string, namespace: string): string {
  if (short.startsWith("/")) return short;
  const [plural] = short.split(/[/?]/, 1);
  const resource = RESOURCES[plural ?? ""];
  if (resource === undefined) throw new Error(`the cases know no resource ${plural}`);
  const { apiVersion, clusterScoped } = resource;
  const prefix = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return clusterScoped === true ? `${prefix}/${short}` : `${prefix}/namespaces/${namespace}/${short}`;
}

const SUBRESOURCE_KINDS: Readonly<Record<string, { apiVersion: string; kind: string }>> = {
  scale: { apiVersion: "autoscaling/v1", kind: "Scale" },
  eviction: { apiVersion: "policy/v1", kind: "Eviction" },
  binding: { apiVersion: "v1", kind: "Binding" },
  token: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" },
};

/** The body with the apiVersion, kind and name that a short path implies, unless it says them itself. */
export function completed(short: string, body: unknown): unknown {
  if (short.startsWith("/") || typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const [plural, name, subresource] = (short.split("?", 1)[0] ?? "").split("/");
  const resource = RESOURCES[plural ?? ""];
  if (resource === undefined) return body;
  const { apiVersion, kind } = SUBRESOURCE_KINDS[subresource ?? ""] ?? resource;
  const object = body as Record<string, unknown>;
  const metadata = name === undefined ? object["metadata"] : { name, ...(object["metadata"] as object | undefined) };
  return { apiVersion, kind, ...object, ...(metadata === undefined ? {} : { metadata }) };
}
