import { CONVERSION_ANNOTATION, FEDERATION_GROUP, parseApiVersion } from "../../apis/index.ts";

/**
 * Notes of a cluster's own API server and controllers about its own object. The creator of a DaemonSet owns the first
 * of these without having written it, and a person who copies an object out of a cluster writes the others. On a member
 * they would be wrong, or be fought over.
 */
const NOTES_OF_A_CLUSTER: ReadonlySet<string> = new Set([
  "deprecated.daemonset.template.generation",
  "deployment.kubernetes.io/desired-replicas",
  "deployment.kubernetes.io/max-replicas",
  "deployment.kubernetes.io/revision",
  "deployment.kubernetes.io/revision-history",
  "pv.kubernetes.io/bind-completed",
  "pv.kubernetes.io/bound-by-controller",
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/selected-node",
  "volume.kubernetes.io/storage-provisioner",
]);

/**
 * The label or annotation concerns only the hub's object and is not propagated. kubectl's bookkeeping holds the whole
 * object, secrets included; Meridian writes its own marks onto each member object; and each cluster makes its own notes
 * about its objects.
 */
export function staysOnHub(key: string): boolean {
  return (
    key === "kubectl.kubernetes.io/last-applied-configuration" ||
    key === CONVERSION_ANNOTATION ||
    NOTES_OF_A_CLUSTER.has(key) ||
    parseApiVersion(key).group === FEDERATION_GROUP
  );
}
