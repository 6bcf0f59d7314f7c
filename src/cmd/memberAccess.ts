import { FEDERATION_GROUP, type KubeObject, type OwnerReference } from "../apis/index.ts";
import { memberRights } from "../hub/index.ts";

/** The rights of a hub on a member: the objects that join makes on the member and unjoin removes. Pure: only values come in and go out. */

/** On every object that join makes on a member, and on its Secret on the hub: UID of the hub's kube-system namespace. */
export const JOINED_TO_LABEL = `${FEDERATION_GROUP}/joined-to`;

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
    "pods",
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

/** Owner of all other objects of join: the garbage collector deletes them after this one. */
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

/** Every object that the ClusterRole owns, in the order of creation. */
export function accessDependents(access: MemberAccess, clusterRoleUid: string): KubeObject[] {
  const { namespace, name, hubId } = access;
  const owner: OwnerReference = { apiVersion: RBAC_API_VERSION, kind: "ClusterRole", name, uid: clusterRoleUid };
  const common = { name, labels: { [JOINED_TO_LABEL]: hubId }, ownerReferences: [owner] };
  const subjects = [{ kind: "ServiceAccount", namespace, name }];
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...common, namespace } },
    { apiVersion: RBAC_API_VERSION, kind: "Role", metadata: { ...common, namespace }, rules: ownAffairs(access) },
    {
      apiVersion: RBAC_API_VERSION,
      kind: "RoleBinding",
      metadata: { ...common, namespace },
      roleRef: { apiGroup: RBAC, kind: "Role", name },
      subjects,
    },
    {
      apiVersion: RBAC_API_VERSION,
      kind: "ClusterRoleBinding",
      metadata: common,
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name },
      subjects,
    },
  ];
}

/** The rights to renew the account's own token and to remove the account itself. */
function ownAffairs({ name }: MemberAccess): PolicyRule[] {
  return [
    { apiGroups: [""], resources: ["serviceaccounts/token"], resourceNames: [name], verbs: ["create"] },
    { apiGroups: [""], resources: ["serviceaccounts"], resourceNames: [name], verbs: ["delete"] },
  ];
}
