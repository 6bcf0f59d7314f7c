import { FEDERATION_GROUP, kindKey, PAAS_GROUP, parseApiVersion } from "../../apis/index.ts";

/** Facts about kinds that a bundle needs without a server to ask. */

export interface GroupKind {
  group: string;
  kind: string;
}

const ANY = "*";

const NEVER: Readonly<Record<string, string>> = {
  "/Binding": "it is a question to a server",
  "/ComponentStatus": "it tells of one cluster",
  "/Endpoints": "the controllers of each cluster keep their own",
  "/Event": "it tells of one cluster",
  "/List": "put its items into the list one by one",
  "/Namespace": "Meridian makes the namespaces that objects need; leave it out",
  "/Node": "it stands for a machine of one cluster",
  "apiregistration.k8s.io/APIService": "one that does not answer keeps every namespace of a member from being deleted",
  "apps/ControllerRevision": "the controllers of each cluster keep their own",
  "authentication.k8s.io/*": "it is a question to a server",
  "authorization.k8s.io/*": "it is a question to a server",
  "certificates.k8s.io/CertificateSigningRequest": "it asks the authority of one cluster",
  "coordination.k8s.io/*": "the controllers of each cluster keep their own",
  "discovery.k8s.io/*": "the controllers of each cluster keep their own",
  "events.k8s.io/*": "it tells of one cluster",
  "metrics.k8s.io/*": "it tells of one cluster",
  [`${FEDERATION_GROUP}/*`]: "Meridian's own objects stay on the hub",
  [`${PAAS_GROUP}/*`]: "Meridian's own objects stay on the hub",
};

/** Why a bundle may not hold objects of the kind; undefined if it may. */
export function whyNeverInBundle({ group, kind }: GroupKind): string | undefined {
  const whole = `${group}/${ANY}`;
  const name = kindKey({ group, kind });
  return Object.hasOwn(NEVER, name) ? NEVER[name] : Object.hasOwn(NEVER, whole) ? NEVER[whole] : undefined;
}

const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  "/Namespace",
  "/Node",
  "/PersistentVolume",
  "admissionregistration.k8s.io/*",
  "apiextensions.k8s.io/CustomResourceDefinition",
  "apiregistration.k8s.io/APIService",
  "certificates.k8s.io/*",
  "flowcontrol.apiserver.k8s.io/*",
  "networking.k8s.io/IngressClass",
  "networking.k8s.io/IPAddress",
  "networking.k8s.io/ServiceCIDR",
  "node.k8s.io/RuntimeClass",
  "rbac.authorization.k8s.io/ClusterRole",
  "rbac.authorization.k8s.io/ClusterRoleBinding",
  "resource.k8s.io/DeviceClass",
  "scheduling.k8s.io/PriorityClass",
  "storage.k8s.io/CSIDriver",
  "storage.k8s.io/StorageClass",
  "storage.k8s.io/VolumeAttributesClass",
]);

export function isClusterScopedBuiltIn({ group, kind }: GroupKind): boolean {
  return CLUSTER_SCOPED.has(kindKey({ group, kind })) || CLUSTER_SCOPED.has(`${group}/${ANY}`);
}

const GIVES_RIGHTS: ReadonlySet<string> = new Set([
  "rbac.authorization.k8s.io/Role",
  "rbac.authorization.k8s.io/RoleBinding",
]);

/** Such objects can give somebody more rights on a member than the hub's tenant has. */
export function givesRights({ group, kind }: GroupKind): boolean {
  return GIVES_RIGHTS.has(kindKey({ group, kind }));
}

export function groupKindOf({ apiVersion, kind }: { apiVersion: string; kind: string }): GroupKind {
  return { group: parseApiVersion(apiVersion).group, kind };
}

export function isDefinition({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean {
  return kind === "CustomResourceDefinition" && parseApiVersion(apiVersion).group === "apiextensions.k8s.io";
}

/**
 * Phases of a bundle, each of which waits for the one before. Removal goes in reverse order: an operator runs until its
 * objects are finalized, and its definitions go last.
 */
const PHASE = { definition: 0, ground: 1, workload: 2, gate: 3, custom: 4 } as const;

/** Kinds that workloads depend on. */
const GROUND: ReadonlySet<string> = new Set([
  "/ConfigMap",
  "/LimitRange",
  "/PersistentVolume",
  "/PersistentVolumeClaim",
  "/ResourceQuota",
  "/Secret",
  "/ServiceAccount",
  "networking.k8s.io/IngressClass",
  "networking.k8s.io/NetworkPolicy",
  "node.k8s.io/RuntimeClass",
  "rbac.authorization.k8s.io/*",
  "scheduling.k8s.io/PriorityClass",
  "storage.k8s.io/*",
]);

export function phaseOf(object: { apiVersion: string; kind: string }): number {
  if (isDefinition(object)) return PHASE.definition;
  const { group, kind } = groupKindOf(object);
  if (GROUND.has(kindKey({ group, kind })) || GROUND.has(`${group}/${ANY}`)) return PHASE.ground;
  // Webhook configurations send every write to a workload, which has to run before them.
  if (group === "admissionregistration.k8s.io") return PHASE.gate;
  return isCustomGroup(group) ? PHASE.custom : PHASE.workload;
}

/** Groups that every API server serves by itself. */
const BUILT_IN_GROUPS: ReadonlySet<string> = new Set([
  "",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "apps",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "coordination.k8s.io",
  "discovery.k8s.io",
  "events.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "networking.k8s.io",
  "node.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "resource.k8s.io",
  "scheduling.k8s.io",
  "storage.k8s.io",
]);

/** Groups with values of any form: schemas of definitions, parameters of drivers. */
const WITH_FREE_FORM: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "resource.k8s.io"]);

/** A null or an empty list in such objects may have a meaning. */
export function holdsFreeForm({ group }: GroupKind): boolean {
  return WITH_FREE_FORM.has(group);
}

/** Kinds of the group are served only where somebody has installed their definitions. */
export function isCustomGroup(group: string): boolean {
  return !BUILT_IN_GROUPS.has(group);
}
