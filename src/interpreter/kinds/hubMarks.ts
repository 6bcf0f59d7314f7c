import { CONVERSION_ANNOTATION, FEDERATION_GROUP, parseApiVersion } from "../../apis/index.ts";

/**
 * Notes of a cluster about its own object. Whoever creates a DaemonSet owns the first without having written it, and
 * whoever copies an object out of a cluster writes the others. On a member they would be wrong, or be fought over.
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
 * The label or annotation is not propagated: kubectl's copy holds the whole object, secrets included; Meridian marks
 * each member object itself; and each cluster makes its own notes.
 */
export function staysOnHub(key: string): boolean {
  return (
    key === "kubectl.kubernetes.io/last-applied-configuration" ||
    key === CONVERSION_ANNOTATION ||
    NOTES_OF_A_CLUSTER.has(key) ||
    parseApiVersion(key).group === FEDERATION_GROUP
  );
}
