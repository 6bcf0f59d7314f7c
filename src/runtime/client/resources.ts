import { FEDERATION_GROUP, FEDERATION_VERSION, type KindDefinition, PAAS_GROUP } from "../../apis/index.ts";
import type { ResourceType } from "../types.ts";

/** Resource types that Meridian itself needs, known without discovery. */

const builtIns = new Map<string, ResourceType>();

function builtIn(group: string, version: string, kind: string, plural: string, namespaced: boolean): ResourceType {
  const type = Object.freeze({ group, version, kind, plural, namespaced });
  builtIns.set(`${apiVersionOf(type)}/${kind}`, type);
  return type;
}

/** Constant of this type if there is one, so that equal types are one object; else the type itself. */
export function knownType(type: ResourceType): ResourceType {
  return builtIns.get(`${apiVersionOf(type)}/${type.kind}`) ?? type;
}

export const DEPLOYMENTS = builtIn("apps", "v1", "Deployment", "deployments", true);
export const SERVICES = builtIn("", "v1", "Service", "services", true);
export const CONFIGMAPS = builtIn("", "v1", "ConfigMap", "configmaps", true);
export const SECRETS = builtIn("", "v1", "Secret", "secrets", true);
export const SERVICEACCOUNTS = builtIn("", "v1", "ServiceAccount", "serviceaccounts", true);
export const PERSISTENTVOLUMECLAIMS = builtIn("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true);
export const NAMESPACES = builtIn("", "v1", "Namespace", "namespaces", false);
export const NODES = builtIn("", "v1", "Node", "nodes", false);
export const PODS = builtIn("", "v1", "Pod", "pods", true);
export const CONTROLLERREVISIONS = builtIn("apps", "v1", "ControllerRevision", "controllerrevisions", true);
export const LEASES = builtIn("coordination.k8s.io", "v1", "Lease", "leases", true);
export const EVENTS = builtIn("events.k8s.io", "v1", "Event", "events", true);
export const CRDS = builtIn(
  "apiextensions.k8s.io",
  "v1",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  false,
);
export const CLUSTERROLES = builtIn("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", false);
export const CLUSTERROLEBINDINGS = builtIn(
  "rbac.authorization.k8s.io",
  "v1",
  "ClusterRoleBinding",
  "clusterrolebindings",
  false,
);
export const PODDISRUPTIONBUDGETS = builtIn("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", true);
export const NETWORKPOLICIES = builtIn("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", true);
export const PRIORITYCLASSES = builtIn("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", false);
export const VALIDATINGADMISSIONPOLICIES = builtIn(
  "admissionregistration.k8s.io",
  "v1",
  "ValidatingAdmissionPolicy",
  "validatingadmissionpolicies",
  false,
);
export const VALIDATINGADMISSIONPOLICYBINDINGS = builtIn(
  "admissionregistration.k8s.io",
  "v1",
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
  false,
);
export const ROLES = builtIn("rbac.authorization.k8s.io", "v1", "Role", "roles", true);
export const ROLEBINDINGS = builtIn("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", true);

export const DEMOAPPLICATIONS = builtIn(PAAS_GROUP, "v1", "DemoApplication", "demoapplications", true);
export const MANIFESTBUNDLES = builtIn(FEDERATION_GROUP, FEDERATION_VERSION, "ManifestBundle", "manifestbundles", true);
export const MEMBERCLUSTERS = builtIn(FEDERATION_GROUP, FEDERATION_VERSION, "MemberCluster", "memberclusters", false);
export const PLACEMENTS = builtIn(FEDERATION_GROUP, FEDERATION_VERSION, "Placement", "placements", true);
export const CLUSTERPLACEMENTS = builtIn(
  FEDERATION_GROUP,
  FEDERATION_VERSION,
  "ClusterPlacement",
  "clusterplacements",
  false,
);
export const OVERRIDEPOLICIES = builtIn(
  FEDERATION_GROUP,
  FEDERATION_VERSION,
  "OverridePolicy",
  "overridepolicies",
  true,
);
export const CLUSTEROVERRIDEPOLICIES = builtIn(
  FEDERATION_GROUP,
  FEDERATION_VERSION,
  "ClusterOverridePolicy",
  "clusteroverridepolicies",
  false,
);
export const RESOURCEBINDINGS = builtIn(
  FEDERATION_GROUP,
  FEDERATION_VERSION,
  "ResourceBinding",
  "resourcebindings",
  true,
);
export const CLUSTERRESOURCEBINDINGS = builtIn(
  FEDERATION_GROUP,
  FEDERATION_VERSION,
  "ClusterResourceBinding",
  "clusterresourcebindings",
  false,
);

/** Resource type of a Meridian kind. Default version: the stored version. */
export function typeOf({ group, kind, plural, namespaced, versions }: KindDefinition, version?: string): ResourceType {
  return knownType({ group, version: version ?? versions[0].name, kind, plural, namespaced });
}

/** `apiVersion` of objects of this type. */
export function apiVersionOf(type: Pick<ResourceType, "group" | "version">): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}
