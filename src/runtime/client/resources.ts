import {
  FEDERATION_GROUP,
  FEDERATION_VERSION,
  type KindDefinition,
  type KubeObject,
  PAAS_GROUP,
} from "../../apis/index.ts";
import type { ResourceType } from "../types.ts";

/** Resource types that Meridian itself needs, known without discovery. */

const builtIns = new Map<string, ResourceType>();

function builtIn(group: string, version: string, kind: string, plural: string, namespaced: boolean): ResourceType {
  const type = Object.freeze({ group, version, kind, plural, namespaced });
  builtIns.set(`${apiVersionOf(type)}/${kind}`, type);
  return type;
}

/** The constant of this type, if any, so that equal types are one object. */
export function knownType(type: ResourceType): ResourceType {
  return builtIns.get(`${apiVersionOf(type)}/${type.kind}`) ?? type;
}

/** The type of an object of a kind that Meridian itself needs. */
export function builtInTypeOf({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): ResourceType {
  const type = builtIns.get(`${apiVersion}/${kind}`);
  if (type === undefined) throw new Error(`${apiVersion} ${kind} is no kind that Meridian knows`);
  return type;
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
  ...(["apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", false] as const),
);
export const PODDISRUPTIONBUDGETS = builtIn("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", true);
export const NETWORKPOLICIES = builtIn("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", true);
export const PRIORITYCLASSES = builtIn("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", false);

const admission = (kind: string, plural: string) => builtIn("admissionregistration.k8s.io", "v1", kind, plural, false);
export const VALIDATINGADMISSIONPOLICIES = admission("ValidatingAdmissionPolicy", "validatingadmissionpolicies");
export const VALIDATINGADMISSIONPOLICYBINDINGS = admission(
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
);

const right = (kind: string, plural: string, namespaced: boolean) =>
  builtIn("rbac.authorization.k8s.io", "v1", kind, plural, namespaced);
export const ROLES = right("Role", "roles", true);
export const ROLEBINDINGS = right("RoleBinding", "rolebindings", true);
export const CLUSTERROLES = right("ClusterRole", "clusterroles", false);
export const CLUSTERROLEBINDINGS = right("ClusterRoleBinding", "clusterrolebindings", false);

const federation = (kind: string, plural: string, namespaced: boolean) =>
  builtIn(FEDERATION_GROUP, FEDERATION_VERSION, kind, plural, namespaced);
export const DEMOAPPLICATIONS = builtIn(PAAS_GROUP, "v1", "DemoApplication", "demoapplications", true);
export const MANIFESTBUNDLES = federation("ManifestBundle", "manifestbundles", true);
export const MEMBERCLUSTERS = federation("MemberCluster", "memberclusters", false);
export const PLACEMENTS = federation("Placement", "placements", true);
export const CLUSTERPLACEMENTS = federation("ClusterPlacement", "clusterplacements", false);
export const OVERRIDEPOLICIES = federation("OverridePolicy", "overridepolicies", true);
export const CLUSTEROVERRIDEPOLICIES = federation("ClusterOverridePolicy", "clusteroverridepolicies", false);
export const RESOURCEBINDINGS = federation("ResourceBinding", "resourcebindings", true);
export const CLUSTERRESOURCEBINDINGS = federation("ClusterResourceBinding", "clusterresourcebindings", false);

/** Default version: the stored one. */
export function typeOf({ group, kind, plural, namespaced, versions }: KindDefinition, version?: string): ResourceType {
  return knownType({ group, version: version ?? versions[0].name, kind, plural, namespaced });
}

/** `apiVersion` of objects of this type. */
export function apiVersionOf(type: Pick<ResourceType, "group" | "version">): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}
