import { joinCommand, renewCommand } from "./joinCommands.ts";
import { REASONS } from "./reasons.ts";
import type { Reason } from "./reasons.ts";

const JOIN = `run \`${renewCommand("{cluster}")}\``;
const PODS = "`kubectl -n {namespace} describe pods` on {cluster}";
const EXPLAIN = "`meridian explain {object}` has the cluster's words";
const MEND = `mend the object or its override policies: ${EXPLAIN}`;
const DESCRIBE = "`kubectl describe mc {cluster}` says what to change in the MemberCluster";
const GRANT = "grant the manager the right to read the object on the hub: `meridian explain {object}` names the right";
const WAIT = "wait: Meridian goes on by itself";

/**
 * What a person does next, for a group of troubles with the same reason. `{cluster}`, `{object}` and `{namespace}`
 * stand for the first of the group; the person fills in the words in capitals.
 */
const NEXT_STEPS: Readonly<Partial<Record<Reason, string>>> = {
  ImagePullBackOff: `mend the image's name, or the pull Secret and the way to the registry: ${EXPLAIN}`,
  CrashLoopBackOff:
    "read the container's last words with `kubectl -n {namespace} logs --previous POD` on {cluster}, then mend the object",
  Unschedulable: `add nodes to {cluster}, or ask for less: ${EXPLAIN}`,
  QuotaExceeded:
    "raise the ResourceQuota (`kubectl -n {namespace} describe resourcequota` on {cluster} shows it), or ask for fewer or smaller replicas",
  ReplicaFailure: `let the cluster create the pods: ${EXPLAIN}`,
  ProgressDeadlineExceeded: `see why the new pods do not become ready: ${PODS}`,
  JobFailed:
    "read the logs with `kubectl -n {namespace} logs POD` on {cluster}, then delete the Job on the hub and make it anew",
  LastRunFailed: "read the logs of the last run with `kubectl -n {namespace} logs POD` on {cluster}",
  PodFailed: "read the logs with `kubectl -n {namespace} logs POD` on {cluster}",
  NodeLost: "see which node is lost with `kubectl get nodes` on {cluster}, and bring it back or delete it",
  NamespaceTerminating: "wait until the namespace on {cluster} is deleted, or mend what holds the namespace",
  NoPlacement: "apply a Placement that selects the object",
  NoClusterFits: "`meridian explain {object}` says why each cluster was refused",
  ReplicasUnplaced: "raise maxReplicasPerCluster, or let the Placement select more clusters",
  PodsNotReady: `see why the pods are not ready: ${PODS}`,

  AlreadyExists: "rename the object, remove the foreign one, or set `conflictResolution: Adopt` in the Placement",
  NotAdoptable: "rename the object, or remove the foreign one from {cluster}",
  FieldConflict: `stop the other field manager, or leave the field to the member with \`retain\` in the Placement: ${EXPLAIN}`,
  Contested: `stop whoever changes the object on {cluster}, or leave the field to the member with \`retain\` in the Placement: ${EXPLAIN}`,
  AppliedWithoutEffect: `change the admission webhook or policy on {cluster}: ${EXPLAIN}`,
  AdmissionDenied: `meet or change the admission policy of {cluster}: ${EXPLAIN}`,
  ImmutableField: "undo the change, or delete the object on the hub and make it anew",
  Forbidden: `grant the right to the account: ${EXPLAIN}`,
  KindNotServed: "install the CustomResourceDefinition on {cluster}, or let the Placement leave the cluster out",
  NamespaceMissing: "wait: Meridian makes the namespace on {cluster} again",
  PlanningFailed: "read the manager's log (`kubectl -n meridian-system logs POD`), and report the error",
  InternalError: "read the manager's log (`kubectl -n meridian-system logs POD`), and report the error",
  ServerError: "check the API server of {cluster}; the request is tried again",
  DependencyMissing: "apply on the hub the object that is missing: `meridian explain {object}` names it",
  SecretAccessDenied: GRANT,
  ConfigMapAccessDenied: GRANT,
  PersistentVolumeClaimAccessDenied: GRANT,
  ServiceAccountAccessDenied: GRANT,

  ClusterUnreachable:
    "check that the API server of {cluster} runs and that the manager can reach it; contact returns by itself; `meridian unjoin {cluster}` ends the membership",
  NotReady: "check the API server of {cluster}: the server answers that it is not ready",
  CertificateInvalid: JOIN,
  CredentialsRejected: JOIN,
  CredentialsExpired: JOIN,
  SecretNotFound: JOIN,
  InvalidKubeconfig: JOIN,
  AddressRefused: JOIN,
  ClusterUnknown: `join the cluster with \`${joinCommand("{cluster}")}\`, or let the Placement leave the cluster out`,
  InvalidConnection: DESCRIBE,
  PullNotSupported: DESCRIBE,
  ClusterIdentityChanged: DESCRIBE,
  DuplicateCluster: DESCRIBE,
  IdentityNotRecorded: DESCRIBE,
  NotObserved: `let the manager watch the kind on {cluster}: ${EXPLAIN}`,
  HealthNotReadable: "mend the `health` expression of the Placement",
  InvalidHealthRule: "mend the `health` expression of the Placement",
  NoReport: "write in `health` of the Placement when the object is healthy",
  NotReported: "check that a manager runs: `kubectl get pods -n meridian-system`",
  NotPlanned: "check that a manager runs: `kubectl get pods -n meridian-system`",
  SlowAnswers: "check the load of the API server of {cluster} and the network there; Meridian waits for its answers",
  WritesThrottled: "check the load of the API server of {cluster}: the server asks for fewer requests",

  RolledBack: "mend the object and apply it again: `meridian rollout status {object}` says what failed",
  RolloutPaused:
    "`meridian rollout status {object}` says what the rollout waits for; `meridian rollout resume {object}` continues",
  GateTimeout: "`meridian rollout status {object}` says what the gate waits for",
  Terminating: `mend the finalizer's controller on {cluster}, or remove the finalizer: ${EXPLAIN}`,
  LoadBalancerPending:
    "see why the load balancer of {cluster} gives no address: `kubectl -n {namespace} describe service` there",
  VolumePending: "see why the claim has no volume: `kubectl -n {namespace} describe pvc` on {cluster}",
  DeploymentPaused: "resume the Deployment: `kubectl -n {namespace} rollout resume deployment/NAME` on {cluster}",
  JobSuspended: "resume the Job: set `suspend: false` on the hub",
  Suspended: "remove `suspend` from the Placement when the change may go out",
  NamespaceNotGranted: "`meridian explain {object}` names the command that grants the namespace",
  HubWentBack: DESCRIBE,
  OwnersMissing: DESCRIBE,
  DeletionPolicyMissing: DESCRIBE,
  CustomObjectsExist:
    "remove the custom objects, or agree by annotation: `meridian explain {object}` names the annotation",
  FailoverHeld: "see why so many clusters are lost at once: `meridian status`",
  NowhereToGo: "let the Placement select more clusters",
  AwaitingReplacement: WAIT,
  Applying: WAIT,
  RollingOut: WAIT,
  Removing: WAIT,
  Deleting: WAIT,
  Connecting: WAIT,
};

/** Without a known step: where to read on. */
export function nextStep(
  reason: string,
  { cluster, object, namespace }: Partial<Record<"cluster" | "object" | "namespace", string | undefined>>,
): string {
  const known = Object.hasOwn(NEXT_STEPS, reason) ? NEXT_STEPS[reason as Reason] : undefined;
  const fallback = Object.hasOwn(REASONS, reason) ? MEND : `see ${PODS}: ${EXPLAIN}`;
  const text = known ?? (object === undefined ? DESCRIBE : fallback);
  return text
    .replaceAll("{cluster}", cluster ?? "CLUSTER")
    .replaceAll("{object}", object ?? "OBJECT")
    .replaceAll("{namespace}", namespace || "NAMESPACE");
}
