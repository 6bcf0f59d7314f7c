/**
 * Fields that a field selector may name; no server publishes the list. Every kind allows metadata.name and
 * metadata.namespace.
 */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  "/pods": [
    ".spec.nodeName",
    ".spec.restartPolicy",
    ".spec.schedulerName",
    ".spec.serviceAccountName",
    ".spec.hostNetwork",
    ".status.phase",
    ".status.podIP",
    ".status.podIPs",
    ".status.nominatedNodeName",
  ],
  "/nodes": [".spec.unschedulable"],
  "/namespaces": [".status.phase"],
  "/secrets": [".type"],
  "/services": [".spec.clusterIP", ".spec.type"],
  "apps/replicasets": [".status.replicas"],
  "batch/jobs": [".status.successful"],
  "/events": [
    ".involvedObject.kind",
    ".involvedObject.namespace",
    ".involvedObject.name",
    ".involvedObject.uid",
    ".involvedObject.apiVersion",
    ".involvedObject.resourceVersion",
    ".involvedObject.fieldPath",
    ".reason",
    ".reportingComponent",
    ".source",
    ".type",
  ],
  "events.k8s.io/events": [
    ".regarding.kind",
    ".regarding.namespace",
    ".regarding.name",
    ".regarding.uid",
    ".regarding.apiVersion",
    ".regarding.resourceVersion",
    ".regarding.fieldPath",
    ".reason",
    ".reportingController",
    ".type",
  ],
};

export function selectableFieldsOf(group: string, plural: string): readonly string[] {
  return FIELDS[`${group}/${plural}`] ?? [];
}
