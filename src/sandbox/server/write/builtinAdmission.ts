import { defined } from "../../../apis/index.ts";
import { checkEscalation } from "../../authorization/index.ts";
import { failure, notFound, type StatusError } from "../../statusError.ts";
import type { KubeObject } from "../../types.ts";
import { type Api, subjectOf, type Target } from "../api.ts";

/** The API server's built-in admission plugins, which run before webhooks. */

/** Namespaces that cannot be deleted. */
const IMMORTAL = new Set(["default", "kube-system", "kube-public"]);
const DEFAULT_SERVICE_ACCOUNT = "default";
const NAMESPACES = { group: "", plural: "namespaces" };
const SERVICE_ACCOUNTS = { group: "", plural: "serviceaccounts" };
/** Reviews allowed in a terminating namespace. */
const ALLOWED_WHILE_TERMINATING = new Set(["localsubjectaccessreviews"]);

/** Refuses creation in a missing or terminating namespace. Throws a StatusError. */
export function checkNamespace(api: Api, target: Target, name: string): void {
  const { endpoint, namespace } = target;
  if (!endpoint.resource.namespaced || namespace === undefined) return;
  const found = api.store.collection(NAMESPACES).get(undefined, namespace);
  if (found === undefined) throw notFound({ group: "", kind: "namespaces", name: namespace });
  if (found.metadata.deletionTimestamp === undefined || ALLOWED_WHILE_TERMINATING.has(endpoint.resource.plural)) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw refusal(target, name, why, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ]);
}

/** Refuses the deletion of protected namespaces with a StatusError 403. */
export function checkDeletion(target: Target, name: string): void {
  const { resource } = target.endpoint;
  if (resource.group !== "" || resource.plural !== "namespaces" || !IMMORTAL.has(name)) return;
  throw refusal(target, name, "this namespace may not be deleted");
}

/** Sets the fields that plugins set on a new object. Throws a StatusError 403. */
export function admitNew(api: Api, target: Target, object: KubeObject): KubeObject {
  const { resource } = target.endpoint;
  if (resource.group !== "" || target.subresource !== undefined) return object;
  switch (resource.plural) {
    case "pods":
      return withTolerations(withServiceAccount(api, target, object));
    case "persistentvolumeclaims":
      return withFinalizer(object, "kubernetes.io/pvc-protection");
    case "persistentvolumes":
      return withFinalizer(object, "kubernetes.io/pv-protection");
    case "nodes":
      return withNotReadyTaint(object);
    default:
      return object;
  }
}

/** Adds a protection finalizer, which keeps a volume or claim while it is in use. */
function withFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** A new node gets no pods before it reports that it is ready. */
function withNotReadyTaint(node: KubeObject): KubeObject {
  const spec = (node["spec"] ?? {}) as { taints?: { key: string; effect: string }[] };
  const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
  if (spec.taints?.some(({ key, effect }) => key === taint.key && effect === taint.effect) === true) return node;
  return { ...node, spec: { ...spec, taints: [...(spec.taints ?? []), taint] } };
}

/** A user cannot grant permissions that the user does not have. Throws a StatusError 403. */
export function checkGrants(api: Api, target: Target, object: KubeObject, old: KubeObject | undefined): void {
  const { resource } = target.endpoint;
  if (resource.group !== "rbac.authorization.k8s.io") return;
  checkEscalation(resource, object, old, target.context.user, api.roles);
}

function withServiceAccount(api: Api, target: Target, pod: KubeObject): KubeObject {
  const spec = (pod["spec"] ?? {}) as Record<string, unknown>;
  const said = spec["serviceAccountName"];
  const name = typeof said === "string" && said !== "" ? said : DEFAULT_SERVICE_ACCOUNT;
  const account = api.store.collection(SERVICE_ACCOUNTS).get(target.namespace, name);
  // The default ServiceAccount is created shortly after its namespace, so a pod does not have to wait for it.
  if (account === undefined && name !== DEFAULT_SERVICE_ACCOUNT) {
    const why = `error looking up service account ${target.namespace}/${name}: serviceaccount "${name}" not found`;
    throw refusal(target, pod.metadata.name, why);
  }
  const secrets = account?.["imagePullSecrets"];
  const pullSecrets =
    spec["imagePullSecrets"] === undefined && secrets !== undefined ? { imagePullSecrets: secrets } : {};
  return { ...pod, spec: { ...spec, serviceAccountName: name, serviceAccount: name, ...pullSecrets } };
}

interface Toleration {
  key?: string;
  operator?: string;
  effect?: string;
  tolerationSeconds?: number;
}

/** A pod stays five minutes on a node that is not ready or unreachable. */
function withTolerations(pod: KubeObject): KubeObject {
  const spec = (pod["spec"] ?? {}) as Record<string, unknown>;
  const tolerations = (spec["tolerations"] ?? []) as Toleration[];
  const added = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]
    .filter(
      (taint) =>
        !tolerations.some(
          ({ key = "", effect = "" }) => (key === taint || key === "") && (effect === "NoExecute" || effect === ""),
        ),
    )
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
  const priority = spec["priority"] ?? 0;
  const preemptionPolicy = spec["preemptionPolicy"] ?? "PreemptLowerPriority";
  return { ...pod, spec: { ...spec, tolerations: [...tolerations, ...added], priority, preemptionPolicy } };
}

/** The refusal of a plugin: a StatusError 403. */
export function refusal(
  target: Target,
  name: string,
  why: string,
  causes?: { reason: string; message: string; field: string }[],
): StatusError {
  const { group, kind } = subjectOf(target, name);
  const subject = group === "" ? kind : `${kind}.${group}`;
  return failure(403, "Forbidden", `${subject} "${name}" is forbidden: ${why}`, {
    name,
    ...(group === "" ? {} : { group }),
    kind,
    ...defined({ causes }),
  });
}
