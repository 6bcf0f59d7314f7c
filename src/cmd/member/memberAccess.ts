import { FEDERATION_GROUP, JOINED_TO_LABEL, type KubeObject, type OwnerReference } from "../../apis/index.ts";
import { memberRights, memberRightsInNamespace } from "../../hub/index.ts";
import { type GrantedKind, nameOfKind, oneByOne, rightsToGiveRights } from "./grantedKinds.ts";

/** The rights of a hub on a member: the objects that join makes on the member and unjoin removes. Pure. */

export { JOINED_TO_LABEL };

export interface MemberAccess {
  namespace: string;
  /** Name of the service account and of its roles and bindings. */
  name: string;
  hubId: string;
  /** The only namespaces in which the account may work; undefined: the whole cluster. */
  namespaces?: readonly string[] | undefined;
  /** Kinds on which the account has rights, besides the kinds of every account. */
  kinds?: readonly GrantedKind[];
  /** Namespaces into which the account never writes, besides the namespaces of Kubernetes and of Meridian itself. */
  protectedNamespaces?: readonly string[];
  /**
   * Kinds that the account may write in namespaces of Kubernetes, each one kind in one namespace, as
   * `kube-system/roles.rbac.authorization.k8s.io`.
   */
  allowProtected?: readonly string[];
}

/**
 * Annotation of the ClusterRole: the kinds that were granted by name, as `a,b`. A later join adds kinds, and resolves
 * `*` again.
 */
const KINDS_ANNOTATION = `${FEDERATION_GROUP}/kinds`;
/**
 * Annotation of the ClusterRole: the namespaces that join has to protect, as `a,b`. A later join replaces them only if
 * it names others.
 */
const PROTECTED_NAMESPACES_ANNOTATION = `${FEDERATION_GROUP}/protected-namespaces`;

/**
 * Annotation of the ClusterRole: the permissions of join in namespaces of Kubernetes, as `kube-system/a,kube-system/b`.
 * A later join replaces them only if it names others.
 */
const ALLOW_PROTECTED_ANNOTATION = `${FEDERATION_GROUP}/allow-protected`;

interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

const RBAC = "rbac.authorization.k8s.io";
const RBAC_API_VERSION = `${RBAC}/v1`;

/**
 * Namespaced kinds of Kubernetes itself. Meridian removes a namespace that it made only when the namespace is empty,
 * and must list these kinds to know that.
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

/** Names contain the hub's ID, so that two hubs can share a member. */
export function memberAccess(
  hubId: string,
  namespace: string,
  granted: Pick<MemberAccess, "namespaces" | "kinds" | "protectedNamespaces" | "allowProtected"> = {},
): MemberAccess {
  return { ...granted, namespace, name: nameOfAccount(hubId), hubId };
}

/** Name of a hub's account on its members, and of the account's roles and bindings. */
export function nameOfAccount(hubId: string): string {
  return `meridian-${hubId.slice(0, 8)}`;
}

export function accessNamespace({ namespace, hubId }: MemberAccess): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels: { [JOINED_TO_LABEL]: hubId } } };
}

/** The options of earlier joins, from the annotations of the ClusterRole. */
export function rememberedBy(clusterRole: KubeObject | undefined): {
  kinds: string[];
  protectedNamespaces: string[];
  allowProtected: string[];
} {
  const listed = (annotation: string): string[] =>
    (clusterRole?.metadata.annotations?.[annotation] ?? "").split(",").filter((one) => one !== "");
  return {
    kinds: listed(KINDS_ANNOTATION),
    protectedNamespaces: listed(PROTECTED_NAMESPACES_ANNOTATION),
    allowProtected: listed(ALLOW_PROTECTED_ANNOTATION),
  };
}

/**
 * The ClusterRole owns its binding and the Roles in the granted namespaces: the garbage collector deletes these after
 * the ClusterRole.
 */
export function accessClusterRole(access: MemberAccess): KubeObject {
  const { name, hubId, namespaces, kinds = [], protectedNamespaces = [], allowProtected = [] } = access;
  const annotations = {
    ...(kinds.length === 0 ? {} : { [KINDS_ANNOTATION]: kinds.map(nameOfKind).join(",") }),
    ...(protectedNamespaces.length === 0 ? {} : { [PROTECTED_NAMESPACES_ANNOTATION]: protectedNamespaces.join(",") }),
    ...(allowProtected.length === 0 ? {} : { [ALLOW_PROTECTED_ANNOTATION]: allowProtected.join(",") }),
  };
  const rules: PolicyRule[] = [
    ...(namespaces === undefined
      ? [
          ...memberRights(oneByOne(kinds)),
          ...rightsToGiveRights(kinds),
          { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
          ...lookedThrough(),
        ]
      : // A probe reads this one namespace, to learn which cluster it is and if its server has gone back.
        [{ apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get", "list"] }]),
    // Lets unjoin remove the objects that join made: the garbage collector deletes all dependents of the ClusterRole.
    { apiGroups: [RBAC], resources: ["clusterroles"], resourceNames: [name], verbs: ["delete"] },
  ];
  return {
    apiVersion: RBAC_API_VERSION,
    kind: "ClusterRole",
    metadata: {
      name,
      labels: { [JOINED_TO_LABEL]: hubId },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    rules,
  };
}

function lookedThrough(): PolicyRule[] {
  return Object.entries(LOOKED_THROUGH).map(([group, resources]) => ({
    apiGroups: [group],
    resources,
    verbs: ["list"],
  }));
}

/** The account owns its Role and RoleBinding: an account that removes itself loses its last rights with its removal. */
export function accessAccount({ namespace, name, hubId }: MemberAccess): KubeObject {
  const metadata = { name, namespace, labels: { [JOINED_TO_LABEL]: hubId } };
  return { apiVersion: "v1", kind: "ServiceAccount", metadata };
}

/**
 * All remaining objects, in the order of creation. One request removes the ClusterRole with the objects that it owns.
 * The objects that the account owns include its right to remove itself and its namespace, so they last until the next
 * request removes the account.
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
  const { kinds = [] } = access;
  const rules = [...memberRightsInNamespace(oneByOne(kinds)), ...rightsToGiveRights(kinds)];
  const granted = (access.namespaces ?? []).flatMap((place): KubeObject[] => {
    const metadata = { ...common, namespace: place, ownerReferences: [byClusterRole] };
    const roleRef = { apiGroup: RBAC, kind: "Role", name };
    return [
      { apiVersion: RBAC_API_VERSION, kind: "Role", metadata, rules },
      { apiVersion: RBAC_API_VERSION, kind: "RoleBinding", metadata, roleRef, subjects },
    ];
  });
  return [
    ...granted,
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
function ownAffairs({ name, namespace, namespaces }: MemberAccess): PolicyRule[] {
  return [
    // Before an account removes itself, it checks that its namespace holds nothing else. An account for the whole
    // cluster may read the namespace anyway.
    ...(namespaces === undefined
      ? []
      : [
          { apiGroups: [""], resources: ["namespaces"], resourceNames: [namespace], verbs: ["get"] },
          ...memberRightsInNamespace().map((rule) => ({ ...rule, verbs: ["list"] })),
          ...lookedThrough(),
        ]),
    { apiGroups: [""], resources: ["serviceaccounts/token"], resourceNames: [name], verbs: ["create"] },
    { apiGroups: [""], resources: ["serviceaccounts"], resourceNames: [name], verbs: ["delete"] },
    // After the ClusterRole is gone, unjoin uses this right to remove the namespace with the account.
    { apiGroups: [""], resources: ["namespaces"], resourceNames: [namespace], verbs: ["delete"] },
  ];
}
