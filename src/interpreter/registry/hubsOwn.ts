import {
  FEDERATION_GROUP,
  isRecord,
  JOINED_TO_LABEL,
  kindKey,
  type KubeObject,
  MANAGED_BY_LABEL,
  OWNER_ANNOTATION,
  PAAS_GROUP,
  parseApiVersion,
} from "../../apis/index.ts";
import { whyByNameOnly } from "../kinds/index.ts";
import { isWrittenByHub } from "../fields/index.ts";

/** Objects that every cluster makes for itself, by kind (`group/Kind`). */
const OF_EVERY_CLUSTER: Readonly<Record<string, readonly string[]>> = {
  "/ConfigMap": ["kube-root-ca.crt"],
  "/Service": ["kubernetes"],
  "/ServiceAccount": ["default"],
  "networking.k8s.io/ServiceCIDR": ["kubernetes"],
};

/** Types of Secrets that concern one cluster only, with the reason. */
const SECRETS_OF_A_CLUSTER: Readonly<Record<string, string>> = {
  "kubernetes.io/service-account-token": "it is a token of the hub",
  "bootstrap.kubernetes.io/token": "it is a token of the hub",
  "helm.sh/release.v1": "Helm keeps its own account of the hub in it",
};

const LEADER_ANNOTATION = "control-plane.alpha.kubernetes.io/leader";
const PROVISIONED_ANNOTATION = "pv.kubernetes.io/provisioned-by";
const BOOTSTRAPPING_LABEL = "kubernetes.io/bootstrapping";
const FLOW_CONTROL_ANNOTATION = "apf.kubernetes.io/autoupdate-spec";

/**
 * Why an object belongs to the hub itself, so that only a selector with its name selects it. `isProtected`: nothing is
 * sent to its namespace.
 */
export function whyHubsOwn(object: KubeObject, isProtected: boolean): string | undefined {
  const { group } = parseApiVersion(object.apiVersion);
  const { name, namespace = "", labels = {}, annotations = {}, ownerReferences = [] } = object.metadata;
  const byName = whyByNameOnly({ group, kind: object.kind });
  if (byName !== undefined) return byName;
  if (isProtected) return `namespace ${namespace} is the hub's own`;
  const controller = ownerReferences.find((owner) => owner.controller === true);
  if (controller !== undefined) return `${controller.kind} ${controller.name} controls it`;
  if (isMeridians(object)) return "it is Meridian's own";
  if (labels[BOOTSTRAPPING_LABEL] !== undefined) return "the hub's API server made it";
  if (annotations[FLOW_CONTROL_ANNOTATION] !== undefined) return "the hub's API server made it";
  if (name.startsWith("system:") || name.startsWith("system-")) return "its name is one of Kubernetes' own";
  if (OF_EVERY_CLUSTER[kindKey({ group, kind: object.kind })]?.includes(name) === true)
    return "every cluster makes its own";
  if (isWrittenByHub(object)) return "a controller of the hub made it";
  if (annotations[LEADER_ANNOTATION] !== undefined) return "a controller of the hub elects its leader by it";
  if (annotations[PROVISIONED_ANNOTATION] !== undefined) return "the hub's storage was made for it";
  return whyClustersSecret(object, group);
}

function whyClustersSecret({ kind, type }: KubeObject, group: string): string | undefined {
  if (group !== "" || kind !== "Secret" || typeof type !== "string") return undefined;
  return Object.hasOwn(SECRETS_OF_A_CLUSTER, type) ? SECRETS_OF_A_CLUSTER[type] : undefined;
}

/** A member object, or a part of Meridian's installation. */
function isMeridians(object: KubeObject): boolean {
  const { labels = {}, annotations = {} } = object.metadata;
  return (
    labels[MANAGED_BY_LABEL] !== undefined ||
    labels[JOINED_TO_LABEL] !== undefined ||
    annotations[OWNER_ANNOTATION] !== undefined ||
    labels["app.kubernetes.io/part-of"] === "meridian" ||
    labels["app.kubernetes.io/name"] === "meridian" ||
    isMeridiansKind(object)
  );
}

/** The object defines one of Meridian's own kinds. It stays on the hub, whoever selects it. */
export function isMeridiansKind({ apiVersion, kind, spec }: KubeObject): boolean {
  if (kind !== "CustomResourceDefinition" || parseApiVersion(apiVersion).group !== "apiextensions.k8s.io") return false;
  const group = isRecord(spec) ? spec["group"] : undefined;
  return group === FEDERATION_GROUP || group === PAAS_GROUP;
}
