import { type Reason, REASONS } from "./reasons.ts";

/**
 * The order of every list of reasons, in `meridian status` and in messages. The titles are written for the readers of
 * placements/REFERENCE.md.
 */

export interface Impact {
  title: string;
  reasons: readonly Reason[];
}

/** Worst first. Within one entry, the reason that holds on more clusters goes first. */
export const IMPACTS: readonly Impact[] = [
  {
    title: "Fewer copies serve than were asked for, or none; somebody has to change something",
    reasons: [
      "ImagePullBackOff",
      "CrashLoopBackOff",
      "Unschedulable",
      "QuotaExceeded",
      "ReplicaFailure",
      "ProgressDeadlineExceeded",
      "JobFailed",
      "DeclaredFailed",
      "LastRunFailed",
      "PodFailed",
      "NodeLost",
      "VolumeLost",
      "VolumeReleased",
      "NamespaceTerminating",
      "Unhealthy",
      "UnhealthyEverywhere",
      "ObjectUnhealthy",
      "NoPlacement",
      "NoClusterFits",
      "ReplicasUnplaced",
    ],
  },
  {
    title: "The change does not reach the cluster; the earlier version runs on",
    reasons: [
      "AlreadyExists",
      "NotAdoptable",
      "FieldConflict",
      "Conflict",
      "ImmutableField",
      "Invalid",
      "UnknownField",
      "BadRequest",
      "IndexedJob",
      "TooLarge",
      "KindNotServed",
      "WrongScope",
      "AppliedWithoutEffect",
      "AdmissionDenied",
      "Forbidden",
      "Contested",
      "NamespaceMissing",
      "ServerError",
      "InternalError",
      "PlanningFailed",
      "InvalidPatch",
      "InvalidOverride",
      "ProtectedField",
      "InvalidManifest",
      "PodSecurity",
      "NotAllowed",
      "ProtectedNamespace",
      "FieldOwnersUnknown",
      "StaysOnHub",
      "ReplicasOutOfBounds",
      "VersionLacksFields",
      "DuplicateEntries",
      "DependencyReplaced",
      "DependencyMissing",
      "DependencyUnresolved",
      "SecretAccessDenied",
      "ConfigMapAccessDenied",
      "PersistentVolumeClaimAccessDenied",
      "ServiceAccountAccessDenied",
      "GateTimeout",
      "NotWritten",
      "RevisionTooLarge",
      "RevisionMissing",
      "RevisionChanged",
    ],
  },
  {
    title: "The state of the copy is not known; it may serve, and contact may return by itself",
    reasons: [
      "ClusterUnreachable",
      "NotReady",
      "CertificateInvalid",
      "CredentialsRejected",
      "CredentialsExpired",
      "SecretNotFound",
      "InvalidKubeconfig",
      "InvalidConnection",
      "AddressRefused",
      "PullNotSupported",
      "ClusterIdentityChanged",
      "DuplicateCluster",
      "IdentityNotRecorded",
      "ClusterUnknown",
      "ClusterLost",
      "NotObserved",
      "HealthUnknown",
      "HealthNotReadable",
      "InvalidHealthRule",
      "NoReport",
      "NotReported",
      "NotPlanned",
    ],
  },
  {
    title: "Copies that serve go on serving; a change or a removal waits for somebody or something",
    reasons: [
      "SlowAnswers",
      "WritesThrottled",
      "PodsNotReady",
      "LoadBalancerPending",
      "DeploymentPaused",
      "JobSuspended",
      "VolumePending",
      "DeclaredUnavailable",
      "RolledBack",
      "RolloutPaused",
      "FailoverHeld",
      "NowhereToGo",
      "StillRunning",
      "DoneBefore",
      "Terminating",
      "DeletionWaits",
      "DeletionPolicyMissing",
      "Suspended",
      "NamespaceNotGranted",
      "WaitingForManager",
      "HubNotSynced",
      "PlanningIncomplete",
      "DeletionsHeld",
      "ClusterNotSynced",
      "FoundOnJoin",
      "CopyFound",
      "OtherOwner",
      "OwnerUnconfirmed",
      "OwnershipUnproven",
      "NeededByOthers",
      "HoldsData",
      "HubWentBack",
      "OwnersMissing",
      "KindBeingDeleted",
      "CustomObjectsExist",
      "AwaitingReplacement",
      "ClusterDeleting",
      "ClusterLeaving",
    ],
  },
  {
    title: "A change is under way, and ends by itself",
    reasons: [
      "Applying",
      "RollingOut",
      "RollingBack",
      "RolloutPending",
      "RolloutWaiting",
      "Removing",
      "Confirming",
      "Deleting",
      "Connecting",
      "JobRunning",
      "PodRunning",
      "VolumeResizing",
      "Stalled",
      "Settled",
    ],
  },
];

const RANKS: ReadonlyMap<string, number> = new Map(
  IMPACTS.flatMap(({ reasons }, rank) => reasons.map((reason): [string, number] => [reason, rank])),
);
const UNDER_WAY = IMPACTS.length - 1;
const UNSEEN = 2;

/**
 * Index in {@link IMPACTS}. A code of a member's kubelet or controllers, about pods that do not run, counts as the
 * worst.
 */
export function impactOf(reason: string): number {
  return RANKS.get(reason) ?? (Object.hasOwn(REASONS, reason) ? UNDER_WAY : 0);
}

/** The reason passes by itself, so nobody has to be told. */
export function isUnderWay(reason: string): boolean {
  return impactOf(reason) === UNDER_WAY;
}

/** Copies do not serve, or a change does not reach the cluster. */
export function isHarmful(reason: string): boolean {
  return impactOf(reason) < UNSEEN;
}

/** Something is wrong, or not known. False: what serves goes on serving, and a change or a removal waits. */
export function isTrouble(reason: string): boolean {
  return impactOf(reason) <= UNSEEN;
}

/** `clusters`: on which it holds; undefined for a reason that is not about clusters. */
export interface CountedReason {
  reason: string;
  clusters?: number;
}

/** Worst for users first. */
export function byImpact(a: CountedReason, b: CountedReason): number {
  return (
    impactOf(a.reason) - impactOf(b.reason) ||
    (b.clusters ?? 0) - (a.clusters ?? 0) ||
    (a.reason < b.reason ? -1 : a.reason > b.reason ? 1 : 0)
  );
}

/** Each reason once, with the number of clusters that have it, the worst for users first. */
export function countReasons(reasons: Iterable<string>): (CountedReason & { clusters: number })[] {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, clusters]) => ({ reason, clusters })).toSorted(byImpact);
}

/** `ImagePullBackOff 10, QuotaExceeded 1`. */
export function countedReasonsText(reasons: readonly CountedReason[]): string {
  return reasons.map(({ reason, clusters }) => (clusters === undefined ? reason : `${reason} ${clusters}`)).join(", ");
}
