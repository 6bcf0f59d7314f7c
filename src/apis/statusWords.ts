import type { ClusterStatusEntry } from "./demoapplication.ts";
import type { Reason } from "./reasons.ts";

/**
 * Every condition and every state that Meridian writes into a status, with what it says and the reasons that one meets there. Written for
 * the readers of placements/REFERENCE.md, whose tables are generated from these lists.
 */

export interface ConditionWords {
  /** Kinds that have the condition, in words. */
  on: "DemoApplication" | "policies" | "MemberCluster";
  type: string;
  /** Ends the sentence "True when…". */
  holds: string;
  whenTrue: readonly Reason[];
  otherwise: readonly Reason[];
  /** Reasons that are not listed one by one, in words. */
  also?: string;
}

/** While a rollout keeps what is wanted now from clusters. */
const OF_ROLLOUT = ["RollingOut", "RolloutPaused", "RollingBack", "RolledBack"] as const;
const OF_WORST_CLUSTER = "else that of the worst cluster";

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
    holds: "it is available on every chosen cluster",
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
    also: "else that of the first cluster out of contact",
  },
  {
    on: "DemoApplication",
    type: "Ready",
    holds: "it is scheduled, applied and available as it is now, and nothing is under way: the one to wait for",
    whenTrue: ["AllClustersReady"],
    otherwise: ["Deleting", "ReplicasUnplaced"],
    also: "else that of the first condition that does not hold",
  },
  {
    on: "DemoApplication",
    type: "Validated",
    holds: "admission would have let it through; stands where admission was not asked",
    whenTrue: ["Valid"],
    otherwise: ["ReplicasOutOfBounds"],
  },
  {
    on: "DemoApplication",
    type: "HandedOver",
    holds: "(never; the condition stands while another release is to take the object over)",
    whenTrue: [],
    otherwise: ["WaitingForManager"],
  },
  {
    on: "DemoApplication",
    type: "StatusAggregated",
    holds:
      "the object's own status is the sum of those on the clusters; stands where the placement of a propagated object says `aggregateStatus`",
    whenTrue: ["StatusSummedUp"],
    otherwise: ["StatusOwnedByOthers", "StatusNotServed", "Forbidden", "StatusRefused"],
  },
  {
    on: "DemoApplication",
    type: "FailingOver",
    holds: "a clock of failover runs, or the object has left a cluster; stands where the placement says `failover`",
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
    holds: "its answers take a second or longer; stands from the first time on",
    whenTrue: ["SlowAnswers"],
    otherwise: ["AnswersInTime"],
  },
  {
    on: "MemberCluster",
    type: "Throttled",
    holds: "writes to it are slowed down or stopped; stands from the first time on",
    whenTrue: ["WritesThrottled"],
    otherwise: ["WritesFlow"],
  },
  {
    on: "MemberCluster",
    type: "DeletionsHeld",
    holds: "copies stay there of objects that the hub lacks, until a person agrees",
    whenTrue: ["HubWentBack", "OwnersMissing"],
    otherwise: [],
  },
  {
    on: "MemberCluster",
    type: "Removed",
    holds:
      "(never; the condition stands while a deletion waits for a word on what runs there, and while that is carried out)",
    whenTrue: [],
    otherwise: ["DeletionPolicyMissing", "ClusterLeaving", "DeletionWaits"],
  },
];

interface StateWords {
  means: string;
  reasons: readonly Reason[];
}

/** States of an entry of `status.clusters`. */
export const STATES: Readonly<Record<ClusterStatusEntry["state"], StateWords>> = {
  Pending: { means: "no member object exists yet", reasons: ["Applying", "DependencyMissing", "KindNotServed"] },
  Progressing: {
    means: "being written, or rolling out",
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
      "it is as wanted, and ready; with a reason, what it needs has gone from the hub, and the copy there serves on; fields of it are not sent, or entries of one key were sent once; or its work has come to its end",
    reasons: ["DependencyMissing", "VersionLacksFields", "DuplicateEntries", "Finished"],
  },
  Degraded: {
    means: "it is or was partly there",
    reasons: ["ProgressDeadlineExceeded", "ReplicaFailure", "QuotaExceeded", "CrashLoopBackOff"],
  },
  Failed: {
    means: "something must be changed first",
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
    means: "nobody can say",
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
    means: "frozen: neither written nor deleted",
    reasons: ["Suspended", "NoPlacement", "NoClusterFits", "CopyFound", "StillRunning"],
  },
};
