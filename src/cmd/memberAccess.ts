import { JOINED_TO_LABEL, type KubeObject, type OwnerReference } from "../apis/index.ts";
import { memberRights } from "../hub/index.ts";

/** The rights of a hub on a member: the objects that join makes on the member and unjoin removes. Pure: only values come in and go out. */

export { JOINED_TO_LABEL };

export interface MemberAccess {
  namespace: string;
  /** Name of the service account and of its roles and bindings. */
  name: string;
  hubId: string;
}

interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

const RBAC = "rbac.authorization.k8s.io";
const RBAC_API_VERSION = `${RBAC}/v1`;

/**
 * Namespaced kinds of Kubernetes itself. Meridian removes a namespace that it made only when the namespace is empty, and must be able
 * to list these kinds to know that.
 */
const LOOKED_THROUGH: Record<string, string[]> = {
  "": [
    "endpoints",
    "events",
    "limitranges",
    "persistentvolumeclaims",
    "podtemplates",
    "replicationcontrollers",
    "resourcequotas",
    "serviceaccounts",
  ],
  apps: ["controllerrevisions", "daemonsets", "replicasets", "statefulsets"],
  autoscaling: ["horizontalpodautoscalers"],
  batch: ["cronjobs", "jobs"],
  "certificates.k8s.io": ["podcertificaterequests"],
  "coordination.k8s.io": ["leasecandidates", "leases"],
  "discovery.k8s.io": ["endpointslices"],
  "events.k8s.io": ["events"],
  "metrics.k8s.io": ["pods"],
  "networking.k8s.io": ["ingresses", "networkpolicies"],
  policy: ["poddisruptionbudgets"],
  [RBAC]: ["rolebindings", "roles"],
  "resource.k8s.io": ["resourceclaims", "resourceclaimtemplates"],
  "scheduling.k8s.io": ["workloads"],
  "storage.k8s.io": ["csistoragecapacities"],
};

/** Names contain the hub, so that two hubs can share a member. */
export function memberAccess(hubId: string, namespace: string): MemberAccess {
  return { namespace, name: `meridian-${hubId.slice(0, 8)}`, hubId };
}

export function accessNamespace({ namespace, hubId }: MemberAccess): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels: { [JOINED_TO_LABEL]: hubId } } };
}

/** Owner of its binding: the garbage collector deletes that after this one. */
export function accessClusterRole({ name, hubId }: MemberAccess): KubeObject {
  const rules: PolicyRule[] = [
    ...memberRights(),
    { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
    ...Object.entries(LOOKED_THROUGH).map(([group, resources]) => ({ apiGroups: [group], resources, verbs: ["list"] })),
    // So that unjoin can remove the objects that join made: the garbage collector takes everything else along.
    { apiGroups: [RBAC], resources: ["clusterroles"], resourceNames: [name], verbs: ["delete"] },
  ];
  return {
    apiVersion: RBAC_API_VERSION,
    kind: "ClusterRole",
    metadata: { name, labels: { [JOINED_TO_LABEL]: hubId } },
    rules,
  };
}

/** Owner of the Role and of its binding: an account that removes itself takes its last rights along. */
export function accessAccount({ namespace, name, hubId }: MemberAccess): KubeObject {
  const metadata = { name, namespace, labels: { [JOINED_TO_LABEL]: hubId } };
  return { apiVersion: "v1", kind: "ServiceAccount", metadata };
}

/**
 * Every other object, in the order of creation. Those that the ClusterRole owns go first, by one request; those that the account owns, and its
 * right to remove itself and its namespace, last until it is removed by the next request, with nothing to lose in between.
 */
export function accessDependents(access: MemberAccess, owners: { clusterRole: string; account: string }): KubeObject[] {
  const { namespace, name, hubId } = access;
  const byClusterRole: OwnerReference = {
    apiVersion: RBAC_API_VERSION,
    kind: "ClusterRole",
    name,
    uid: owners.clusterRole,
  };
  const byAccount: OwnerReference = { apiVersion: "v1", kind: "ServiceAccount", name, uid: owners.account };
  const common = { name, labels: { [JOINED_TO_LABEL]: hubId } };
  const local = { ...common, namespace, ownerReferences: [byAccount] };
  const subjects = [{ kind: "ServiceAccount", namespace, name }];
  return [
    { apiVersion: RBAC_API_VERSION, kind: "Role", metadata: local, rules: ownAffairs(access) },
    {
      apiVersion: RBAC_API_VERSION,
      kind: "RoleBinding",
      metadata: local,
      roleRef: { apiGroup: RBAC, kind: "Role", name },
      subjects,
    },
    {
      apiVersion: RBAC_API_VERSION,
      kind: "ClusterRoleBinding",
      metadata: { ...common, ownerReferences: [byClusterRole] },
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name },
      subjects,
    },
  ];
}

/** The rights to renew the account's own token and to remove the account itself. */
function ownAffairs({ name, namespace }: MemberAccess): PolicyRule[] {
  return [
    { apiGroups: [""], resources: ["serviceaccounts/token"], resourceNames: [name], verbs: ["create"] },
    { apiGroups: [""], resources: ["serviceaccounts"], resourceNames: [name], verbs: ["delete"] },
    // When the ClusterRole has gone, this is the right by which unjoin removes the namespace, and the account with it.
    { apiGroups: [""], resources: ["namespaces"], resourceNames: [namespace], verbs: ["delete"] },
  ];
}
