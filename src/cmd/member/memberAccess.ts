import { FEDERATION_GROUP, JOINED_TO_LABEL, type KubeObject, type OwnerReference } from "../../apis/index.ts";
import { memberRights, memberRightsInNamespace } from "../../hub/index.ts";
import { type GrantedKind, nameOfKind, oneByOne, rightsToGiveRights } from "./grantedKinds.ts";

/** The rights of a hub on a member: the objects that join makes on the member and unjoin removes. Pure: only values come in and go out. */

export { JOINED_TO_LABEL };

export interface MemberAccess {
  namespace: string;
  /** Name of the service account and of its roles and bindings. */
  name: string;
  hubId: string;
  /** The only namespaces in which the account may work; undefined: the whole cluster. */
  namespaces?: readonly string[] | undefined;
  /** Kinds on which the account has rights beside those that every account has. */
  kinds?: readonly GrantedKind[];
  /** Namespaces into which the account never writes, beside those of Kubernetes and of Meridian itself. */
  protectedNamespaces?: readonly string[];
  /** What the account may write into namespaces of Kubernetes all the same, one kind in one namespace each, as `kube-system/roles.rbac.authorization.k8s.io`. */
  allowProtected?: readonly string[];
}

/** On the ClusterRole: the kinds that were granted by name, as `a,b`. A later join adds to them, and reads `*` anew. */
const KINDS_ANNOTATION = `${FEDERATION_GROUP}/kinds`;
/** On the ClusterRole: the namespaces that join was told to protect, as `a,b`. They stay so until a later join names others. */
const PROTECTED_NAMESPACES_ANNOTATION = `${FEDERATION_GROUP}/protected-namespaces`;

/** On the ClusterRole: what join was told to allow in namespaces of Kubernetes, as `kube-system/a,kube-system/b`. It stays so until a later join names others. */
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
export function memberAccess(
  hubId: string,
  namespace: string,
  granted: Pick<MemberAccess, "namespaces" | "kinds" | "protectedNamespaces" | "allowProtected"> = {},
): MemberAccess {
  return { ...granted, namespace, name: nameOfAccount(hubId), hubId };
}

/** The name of the account of that hub on its members, and of its roles and bindings. */
export function nameOfAccount(hubId: string): string {
  return `meridian-${hubId.slice(0, 8)}`;
}

export function accessNamespace({ namespace, hubId }: MemberAccess): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels: { [JOINED_TO_LABEL]: hubId } } };
}

/** What the ClusterRole of before says of what people asked for. */
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

/** Owner of its binding, and of the Roles in the namespaces that are granted: the garbage collector deletes these after this one. */
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
      : // Which cluster it is, and whether its server has gone back: what a probe asks, of this one namespace.
        [{ apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get", "list"] }]),
    // So that unjoin can remove the objects that join made: the garbage collector takes everything else along.
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
    // Before an account removes itself, it makes sure that nothing else is in its namespace; one for the whole cluster may read that anyway.
    ...(namespaces === undefined
      ? []
      : [
          { apiGroups: [""], resources: ["namespaces"], resourceNames: [namespace], verbs: ["get"] },
          ...memberRightsInNamespace().map((rule) => ({ ...rule, verbs: ["list"] })),
          ...lookedThrough(),
        ]),
    { apiGroups: [""], resources: ["serviceaccounts/token"], resourceNames: [name], verbs: ["create"] },
    { apiGroups: [""], resources: ["serviceaccounts"], resourceNames: [name], verbs: ["delete"] },
    // When the ClusterRole has gone, this is the right by which unjoin removes the namespace, and the account with it.
    { apiGroups: [""], resources: ["namespaces"], resourceNames: [namespace], verbs: ["delete"] },
  ];
}
