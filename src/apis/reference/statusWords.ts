import { type ClusterStatusEntry } from "../kinds/index.ts";
import { type Reason } from "../reasons/index.ts";

/**
 * Every condition and state that Meridian writes into a status. placements/REFERENCE.md is generated from these lists,
 * so they are written for its readers.
 */

export interface ConditionWords {
  /** Kinds that have the condition, in words. */
  on: "DemoApplication" | "policies" | "MemberCluster";
  type: string;
  /** Ends the sentence "True when…". */
  holds: string;
  whenTrue: readonly Reason[];
  otherwise: readonly Reason[];
  also?: string;
}

/** Reasons while a rollout keeps the wanted state from some clusters. */
const OF_ROLLOUT = ["RollingOut", "RolloutPaused", "RollingBack", "RolledBack"] as const;
const OF_WORST_CLUSTER = "else the reason of the worst cluster";

export const CONDITIONS: readonly ConditionWords[] = [
  {
    on: "DemoApplication",
    type: "Scheduled",
    holds: "clusters were chosen",
    whenTrue: ["ClustersSelected", "DefaultPlacement", "Suspended"],
    otherwise: ["NoPlacement", "NoClusterFits", "Suspended", "NotPlanned"],
  },
  {
    on: "DemoApplication",
    type: "Applied",
    holds: "every chosen cluster has its objects",
    whenTrue: ["AllClustersApplied"],
    otherwise: ["NoClusters", "Deleting", "PlanningFailed", ...OF_ROLLOUT],
    also: OF_WORST_CLUSTER,
  },
  {
    on: "DemoApplication",
    type: "Available",
    holds: "the object is available on every chosen cluster",
    whenTrue: ["AllClustersAvailable"],
    otherwise: ["NoClusters", "Deleting", ...OF_ROLLOUT],
    also: OF_WORST_CLUSTER,
  },
  {
    on: "DemoApplication",
    type: "Progressing",
    holds: "something is under way",
    whenTrue: ["Applying", "RollingOut", "RollingBack", "Removing", "Deleting"],
    otherwise: ["Settled", "Stalled", "Suspended", "RolloutPaused", "RolledBack"],
  },
  {
    on: "DemoApplication",
    type: "Fresh",
    holds: "every entry of a cluster is current",
    whenTrue: ["AllClustersObserved"],
    otherwise: ["ClusterUnreachable", "NoClusters"],
    also: "else the reason of the first cluster out of contact",
  },
  {
    on: "DemoApplication",
    type: "Ready",
    holds:
      "the present version is scheduled, applied and available, and nothing is under way: the condition to wait for",
    whenTrue: ["AllClustersReady"],
    otherwise: ["Deleting", "ReplicasUnplaced"],
    also: "else the reason of the first condition that does not hold",
  },
  {
    on: "DemoApplication",
    type: "Validated",
    holds: "admission would have accepted the object; stands only if admission was not asked",
    whenTrue: ["Valid"],
    otherwise: ["ReplicasOutOfBounds"],
  },
  {
    on: "DemoApplication",
    type: "HandedOver",
    holds: "(never; the condition stands while another release takes the object over)",
    whenTrue: [],
    otherwise: ["WaitingForManager"],
  },
  {
    on: "DemoApplication",
    type: "StatusAggregated",
    holds:
      "the object's own status is the sum of the statuses on the clusters; stands if the placement of an object of another kind says `aggregateStatus`",
    whenTrue: ["StatusSummedUp"],
    otherwise: ["StatusOwnedByOthers", "StatusNotServed", "Forbidden", "StatusRefused"],
  },
  {
    on: "DemoApplication",
    type: "FailingOver",
    holds: "a failover is near, or the object has left a cluster; stands if the placement says `failover`",
    whenTrue: ["ClusterLost", "ObjectUnhealthy", "FailedOver", "AwaitingReturn"],
    otherwise: ["Settled", "FailoverHeld", "NowhereToGo", "UnhealthyEverywhere"],
  },
  {
    on: "policies",
    type: "Ready",
    holds: "the policy is in force",
    whenTrue: ["Applied", "NoObjectMatches", "PartlyEnforced"],
    otherwise: [
      "Suspended",
      "UnknownCluster",
      "NoClusterFits",
      "LostToOther",
      "NoClusterMatches",
      "Superseded",
      "KindNotPlaced",
      "NamespaceOutOfReach",
      "InvalidHealthRule",
      "PrometheusMissing",
      "NoEffect",
      "NotCarriedOut",
      "InvalidPatch",
      "InvalidOverride",
      "ProtectedField",
      "NotApplied",
    ],
  },
  {
    on: "MemberCluster",
    type: "Ready",
    holds: "Meridian is in contact and may write",
    whenTrue: ["Connected"],
    otherwise: [
      "Connecting",
      "ClusterUnreachable",
      "NotReady",
      "CertificateInvalid",
      "CredentialsRejected",
      "CredentialsExpired",
      "Forbidden",
      "SecretNotFound",
      "InvalidKubeconfig",
      "InvalidConnection",
      "AddressRefused",
      "PullNotSupported",
      "ClusterIdentityChanged",
      "DuplicateCluster",
      "IdentityNotRecorded",
    ],
  },
  {
    on: "MemberCluster",
    type: "Slow",
    holds: "answers of the cluster take a second or longer; stands from the first time on",
    whenTrue: ["SlowAnswers"],
    otherwise: ["AnswersInTime"],
  },
  {
    on: "MemberCluster",
    type: "Throttled",
    holds: "writes to the cluster are slowed down or stopped; stands from the first time on",
    whenTrue: ["WritesThrottled"],
    otherwise: ["WritesFlow"],
  },
  {
    on: "MemberCluster",
    type: "DeletionsHeld",
    holds: "copies of objects that the hub lacks stay on the cluster until a person agrees",
    whenTrue: ["HubWentBack", "OwnersMissing"],
    otherwise: [],
  },
  {
    on: "MemberCluster",
    type: "Removed",
    holds:
      "(never; the condition stands while a deletion waits for a `deletionPolicy`, and while that policy is carried out)",
    whenTrue: [],
    otherwise: ["DeletionPolicyMissing", "ClusterLeaving", "DeletionWaits"],
  },
];

interface StateWords {
  means: string;
  reasons: readonly Reason[];
}

export const STATES: Readonly<Record<ClusterStatusEntry["state"], StateWords>> = {
  Pending: { means: "no member object exists yet", reasons: ["Applying", "DependencyMissing", "KindNotServed"] },
  Progressing: {
    means: "the copy is being written, or rolling out",
    reasons: [
      "Applying",
      "RollingOut",
      "PodsNotReady",
      "ImagePullBackOff",
      "Unschedulable",
      "LoadBalancerPending",
      "VolumePending",
      "JobRunning",
      "DeclaredUnavailable",
      "DependencyMissing",
      "KindNotServed",
      "Terminating",
      "Removing",
    ],
  },
  Available: {
    means:
      "the copy is as wanted, and ready; a reason says that a dependency is gone from the hub and the copy serves on, that fields are not sent, that entries with one key were sent once, or that the work is finished",
    reasons: ["DependencyMissing", "VersionLacksFields", "DuplicateEntries", "Finished"],
  },
  Degraded: {
    means: "the copy works in part, or did before",
    reasons: ["ProgressDeadlineExceeded", "ReplicaFailure", "QuotaExceeded", "CrashLoopBackOff"],
  },
  Failed: {
    means: "somebody has to change something first",
    reasons: [
      "AlreadyExists",
      "QuotaExceeded",
      "ImmutableField",
      "AdmissionDenied",
      "Forbidden",
      "InvalidPatch",
      "ProtectedField",
      "ProgressDeadlineExceeded",
      "JobFailed",
      "Finished",
      "DeclaredFailed",
    ],
  },
  Unknown: {
    means: "nobody can say how the copy is",
    reasons: [
      "ClusterUnreachable",
      "CredentialsRejected",
      "CredentialsExpired",
      "CertificateInvalid",
      "ClusterIdentityChanged",
      "SecretNotFound",
      "NoReport",
      "KindNotServed",
      "VersionLacksFields",
      "HealthNotReadable",
      "InvalidHealthRule",
    ],
  },
  Removing: { means: "member objects are being removed", reasons: [] },
  Held: {
    means: "the copy is frozen: neither written nor deleted",
    reasons: ["Suspended", "NoPlacement", "NoClusterFits", "CopyFound", "StillRunning"],
  },
};
