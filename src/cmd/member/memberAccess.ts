import { FEDERATION_GROUP, JOINED_TO_LABEL, type KubeObject, type OwnerReference } from "../../apis/index.ts";
import { memberRights, memberRightsInNamespace } from "../../hub/index.ts";
import type { PolicyRule } from "../workload/index.ts";
import { type GrantedKind, nameOfKind, oneByOne, rightsToGiveRights } from "./grantedKinds.ts";

/** The objects that join makes on a member, and unjoin removes. Pure. */

export { JOINED_TO_LABEL };

export interface MemberAccess {
  namespace: string;
  /** Name of the account, and of its roles and bindings. */
  name: string;
  hubId: string;
  /** The only namespaces in which the account may work; undefined: the whole cluster. */
  namespaces?: readonly string[] | undefined;
  /** Besides the kinds of every account. */
  kinds?: readonly GrantedKind[];
  /** Besides the namespaces of Kubernetes and of Meridian itself. */
  protectedNamespaces?: readonly string[];
  /**
   * Kinds that the account may write in single namespaces of Kubernetes: `kube-system/roles.rbac.authorization.k8s.io`.
   */
  allowProtected?: readonly string[];
  /** What the account may read for users of the hub's query API: {@link POD_LOGS}, or nothing. */
  reads?: readonly string[];
}

/** Subresource with the logs of pods. */
export const POD_LOGS = "pods/log";

/** Annotations of the ClusterRole: what earlier joins were asked for, as lists with commas. */
const REMEMBERED = {
  kinds: `${FEDERATION_GROUP}/kinds`,
  protectedNamespaces: `${FEDERATION_GROUP}/protected-namespaces`,
  allowProtected: `${FEDERATION_GROUP}/allow-protected`,
  reads: `${FEDERATION_GROUP}/reads`,
};

const RBAC = "rbac.authorization.k8s.io";
const RBAC_API_VERSION = `${RBAC}/v1`;

/**
 * Namespaced kinds of Kubernetes, to be listed before a namespace that Meridian made is removed: it has to be empty.
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
  granted: Pick<MemberAccess, "namespaces" | "kinds" | "protectedNamespaces" | "allowProtected" | "reads"> = {},
): MemberAccess {
  return { ...granted, namespace, name: nameOfAccount(hubId), hubId };
}

export function nameOfAccount(hubId: string): string {
  return `meridian-${hubId.slice(0, 8)}`;
}

export function accessNamespace({ namespace, hubId }: MemberAccess): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels: { [JOINED_TO_LABEL]: hubId } } };
}

export function rememberedBy(clusterRole: KubeObject | undefined): Record<keyof typeof REMEMBERED, string[]> {
  const listed = (annotation: string): string[] =>
    (clusterRole?.metadata.annotations?.[annotation] ?? "").split(",").filter((one) => one !== "");
  return {
    kinds: listed(REMEMBERED.kinds),
    protectedNamespaces: listed(REMEMBERED.protectedNamespaces),
    allowProtected: listed(REMEMBERED.allowProtected),
    reads: listed(REMEMBERED.reads).filter((one) => one === POD_LOGS),
  };
}

/** The garbage collector deletes the binding, and the Roles in granted namespaces, after the ClusterRole. */
export function accessClusterRole(access: MemberAccess): KubeObject {
  const { name, hubId, namespaces, kinds = [], protectedNamespaces = [], allowProtected = [], reads = [] } = access;
  const toRemember = [
    [REMEMBERED.kinds, kinds.map(nameOfKind)],
    [REMEMBERED.protectedNamespaces, protectedNamespaces],
    [REMEMBERED.allowProtected, allowProtected],
    [REMEMBERED.reads, reads],
  ] as const;
  const annotations = toRemember.flatMap(([key, list]) => (list.length === 0 ? [] : [[key, list.join(",")]]));
  const rules: PolicyRule[] = [
    ...(namespaces === undefined
      ? [
          ...memberRights(oneByOne(kinds)),
          ...rightsToGiveRights(kinds),
          { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
          ...lookedThrough(),
          ...rightsToRead(reads),
        ]
      : // A probe reads this one namespace, to learn which cluster it is and if its server has gone back.
        [{ apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get", "list"] }]),
    // With the ClusterRole the garbage collector removes everything else that it owns.
    { apiGroups: [RBAC], resources: ["clusterroles"], resourceNames: [name], verbs: ["delete"] },
  ];
  return {
    apiVersion: RBAC_API_VERSION,
    kind: "ClusterRole",
    metadata: {
      name,
      labels: { [JOINED_TO_LABEL]: hubId },
      ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) as Record<string, string> }),
    },
    rules,
  };
}

function rightsToRead(reads: readonly string[]): PolicyRule[] {
  return reads.length === 0 ? [] : [{ apiGroups: [""], resources: [...reads], verbs: ["get"] }];
}

/** To find the pods of an object and their Events. An account for the whole cluster may list these anyway. */
function rightsToReadInNamespace(reads: readonly string[]): PolicyRule[] {
  if (reads.length === 0) return [];
  return [
    ...rightsToRead(reads),
    { apiGroups: ["apps"], resources: ["replicasets"], verbs: ["list"] },
    { apiGroups: ["batch"], resources: ["jobs"], verbs: ["list"] },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["list"] },
  ];
}

function lookedThrough(): PolicyRule[] {
  return Object.entries(LOOKED_THROUGH).map(([group, resources]) => ({
    apiGroups: [group],
    resources,
    verbs: ["list"],
  }));
}

export function accessAccount({ namespace, name, hubId }: MemberAccess): KubeObject {
  const metadata = { name, namespace, labels: { [JOINED_TO_LABEL]: hubId } };
  return { apiVersion: "v1", kind: "ServiceAccount", metadata };
}

/**
 * All remaining objects, in the order of creation. The ClusterRole owns some. The account owns its rights to remove
 * itself and its namespace, so that they last until the account goes.
 */
export function accessDependents(access: MemberAccess, owners: { clusterRole: string; account: string }): KubeObject[] {
  const { namespace, name, hubId } = access;
  const byClusterRole = { apiVersion: RBAC_API_VERSION, kind: "ClusterRole", name, uid: owners.clusterRole };
  const byAccount = { apiVersion: "v1", kind: "ServiceAccount", name, uid: owners.account };
  const common = { name, labels: { [JOINED_TO_LABEL]: hubId } };
  const subjects = [{ kind: "ServiceAccount", namespace, name }];
  const rightsIn = (place: string, owner: OwnerReference, rules: PolicyRule[]): KubeObject[] => {
    const metadata = { ...common, namespace: place, ownerReferences: [owner] };
    const roleRef = { apiGroup: RBAC, kind: "Role", name };
    return [
      { apiVersion: RBAC_API_VERSION, kind: "Role", metadata, rules },
      { apiVersion: RBAC_API_VERSION, kind: "RoleBinding", metadata, roleRef, subjects },
    ];
  };
  const { namespaces = [], kinds = [], reads = [] } = access;
  const granted = [
    ...memberRightsInNamespace(oneByOne(kinds)),
    ...rightsToGiveRights(kinds),
    ...rightsToReadInNamespace(reads),
  ];
  return [
    ...namespaces.flatMap((place) => rightsIn(place, byClusterRole, granted)),
    ...rightsIn(namespace, byAccount, ownAffairs(access)),
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
    // An account looks whether its namespace is empty before it removes itself. One for the whole cluster may look
    // anyway.
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
