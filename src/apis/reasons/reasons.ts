/**
 * Every reason that Meridian itself gives, with one sentence. An entry may also hold a reason of the member, of a
 * controller or of the kubelet (`CreateContainerConfigError`, say). placements/REFERENCE.md is generated from these
 * groups, so titles and sentences are written for its readers.
 */

const SCHEDULED = {
  ClustersSelected: "The Placement found clusters for the object.",
  DefaultPlacement: "No Placement selects the object, so it runs on the hub, which is a member itself.",
  NotPlanned: "No manager has planned the object yet.",
  PlanningFailed:
    "An error of Meridian prevented the plan of the object; copies stay as they are, and planning is tried again.",
  NoPlacement: "No Placement selects the object; existing copies are kept.",
  NoClusterFits:
    "No cluster fits the Placement; existing copies are kept. The message names the most frequent refusal.",
  ReplicasUnplaced:
    "The Placement's `maxReplicasPerCluster` lets the chosen clusters take fewer replicas than the object asks for.",
  Suspended: "The Placement says `suspend`: nothing of the object is written or deleted.",
} as const;

const VERDICTS = {
  Selected: "The cluster was chosen.",
  InAffinity: "The cluster is in the group of `clusterAffinities` that was tried.",
  NotInAffinity: "The cluster is not in the group of `clusterAffinities` that was tried.",
  Excluded: "The group of `clusterAffinities` excludes the cluster by name.",
  LabelKeyMissing: "`matchLabelKeys` names a label that the object does not have.",
  TaintNotTolerated: "The cluster has a taint that the Placement does not tolerate.",
  FinishedThere: "All work of the object is finished on the cluster, so no taint moves the object.",
  TaintsTolerated: "The Placement tolerates the taints of the cluster, or the cluster has none.",
  ClusterStays: "The MemberCluster is not being deleted.",
  ClusterDeleting: "The MemberCluster is being deleted.",
  OnHubAlready: "The cluster is the hub itself, and the object is sent as it is: the hub has the object already.",
  Weighted: "The weight of the cluster for dividing the replicas.",
  NamespaceGranted: "Meridian's account may work in the object's namespace on the cluster.",
  NamespaceNotGranted:
    "The cluster was joined for other namespaces: nothing of the object is placed, read or removed there; the message names the command that grants the namespace.",
  ClusterReady: "The cluster is ready, or nothing is known about that yet.",
  ClusterNotReady:
    "The cluster is not ready: the cluster takes nothing new if the object can go elsewhere, and keeps its copies until failover moves them.",
  ApiServed: "The cluster serves every API that the object needs.",
  ApiNotServed:
    "The cluster does not serve an API that the object needs; the message names the API. Often a CustomResourceDefinition is missing there.",
  ApiUnknown: "The APIs of the cluster are not known yet, and count as served until then.",
  NotEvicted: "Neither failover nor a drain keeps the object away from the cluster.",
  Preferred: "Entries of `clusterPreferences` select the cluster; the score is the sum of their weights.",
  NotPreferred: "No entry of `clusterPreferences` selects the cluster.",
  TopologyKeyMissing:
    "The cluster has no value for a topologyKey of `spreadConstraints`, so the cluster is in no group.",
  SpreadNotMet: "The clusters that fit cannot meet `spreadConstraints`; the message says what is missing.",
  BeyondMaxGroups:
    "Other clusters go before this cluster, and `maxGroups` of a spread constraint allows no more groups.",
  BeyondClusterCount: "Other clusters go before this cluster, and `clusterCount` asks for no more.",
  NoReplicas:
    "The weights or the room give the cluster no replica, or there are too few replicas to reach the cluster.",
  NoRoom: "The nodes of the cluster have no room for the replicas that each cluster gets at least.",
  RoomMeasured: "The nodes of the cluster have room for this number of further replicas.",
  RoomNotMeasured:
    "The room on the nodes of the cluster is being measured; until that is done, the present replicas are kept.",
  RoomUnknown:
    "The room of the cluster is not known; the message says why. The cluster keeps its replicas, and gets more only if no cluster's room is known.",
  UnknownCluster: "The Placement, or a stage of its rollout, names a cluster that has no MemberCluster.",
} as const;

const FAILOVER = {
  ClusterLost: "The cluster does not answer; the message says since when, and when the object leaves it.",
  ObjectUnhealthy:
    "The object is unhealthy on the cluster; the message says since when, and when the object leaves it.",
  FailedOver:
    "The object has left the cluster for another cluster, since the cluster was lost or the object was unhealthy there.",
  FailoverHeld:
    "More clusters than `failover.maxUnhealthyClusters` allows are lost at once, so nothing moves: the hub itself may be cut off.",
  UnhealthyEverywhere:
    "The object is unhealthy on each of its clusters, or still unhealthy after one move, so the object does not move again.",
  NowhereToGo:
    "The object would leave the cluster, and no other cluster that the Placement selects can take over its replicas.",
  AwaitingReturn:
    "The cluster is well again; the object may return when the cluster has been well for `failover.returnAfter`.",
  Rescheduled: "Replicas whose pods found no node have left the cluster for others that have room.",
  ReturnedToCluster: "The object has returned to a cluster that it had left by failover.",
} as const;

const ROLLOUT = {
  GateTimeout:
    "The cluster has the new revision, and did not pass the gate (what a cluster has to pass before the rollout goes on) in time.",
  HealthUnknown: "The health of the new revision on the cluster is not known, so the cluster cannot pass the gate.",
  NotWritten: "The new revision could not be written to the cluster in time.",
  ClusterLeft: "The cluster left the federation, or the Placement, while the rollout was under way.",
  RollingBack: "The cluster is on its way back to the last good revision.",
} as const;

const SUMMARY = {
  AllClustersApplied: "Every chosen cluster has the object as it was asked for.",
  AllClustersAvailable: "The object is available on every chosen cluster.",
  AllClustersReady:
    "Every chosen cluster runs the present version of the object: scheduled, applied, available, and nothing is under way any more.",
  AllClustersObserved: "Meridian is in contact with every cluster of the object.",
  StatusSummedUp: "The object's own status on the hub is the sum of the statuses on the clusters.",
  StatusOwnedByOthers:
    "Somebody else writes the object's own status on the hub, so the sum of the clusters' statuses is not written there; the message says who.",
  StatusNotServed: "The kind has no status subresource on the hub, so no sum can be written there.",
  StatusRefused: "The hub refuses the sum of the clusters' statuses; the message has its words.",
  ClustersDiffer: "The clusters do not agree. Only in the status of an object of another kind with `aggregateStatus`.",
  ReportedByClusters:
    "The clusters report this condition without a reason. Only in the status of an object of another kind with `aggregateStatus`.",
  NoClusters: "The object has no cluster.",
  Settled: "Nothing is under way.",
  Stalled:
    "Nothing is under way, and some clusters differ from what was asked for; the message names the clusters and the reason.",
  Valid: "The object is within the bounds that admission sets.",
  ReplicasOutOfBounds:
    "Admission was not asked, and would have refused the number of replicas; the number is applied nevertheless.",
  Deleting: "The object is being deleted, and its member objects with it.",
  WaitingForManager: "The object names another class of controllers, and no manager of that class has claimed it yet.",
} as const;

const PROGRESS = {
  LeaderUnreachable:
    "The manager that answers a query does not lead, and does not reach the leader. Only in answers of the query API.",
  Gone: "The object has no copy on the cluster any more. Only in the history of queries.",
  Applying: "Member objects are being written.",
  RollingOut: "The cluster is bringing the change to its pods.",
  RolledBack:
    "A rollout in stages has failed, and every cluster has the last good revision; a change of the object begins another one.",
  RolloutPaused: "A rollout in stages has stopped; the message says who or what lets the rollout go on.",
  RevisionTooLarge: "The object is too large to be stored as a revision, so no rollout in stages is possible.",
  RevisionMissing:
    "The earlier revision that the cluster should have is gone from the hub, or the object's status does not prove it; the cluster keeps its present copy.",
  RevisionChanged:
    "Somebody has changed the earlier revision that the cluster should have, so the revision is not used; the cluster keeps its present copy.",
  RolloutWaiting: "The cluster's turn in the rollout has not come yet; until then the cluster keeps its present copy.",
  Removing: "Member objects that are no longer wanted are being deleted.",
  Confirming:
    "Before Meridian forgets the cluster, it asks the member by name whether copies of the object are left there.",
  RolloutPending: "The member's controller has not seen the change yet.",
  PodsNotReady: "Some pods are not ready or available yet.",
  LoadBalancerPending: "The load balancer has no address yet.",
  DeploymentPaused: "The Deployment is paused, and not all of its pods are of the last change.",
  JobRunning: "The Job is running.",
  JobSuspended: "The Job is suspended.",
  StillRunning:
    "The TTL removed the object on the hub; the copy that still runs on the member is removed when it has finished. Without `ttlSecondsAfterFinished` the copy is removed at once.",
  Finished:
    "The work is finished: Meridian neither repeats nor moves the work until the spec asks for other work, also when no copy is left on the member.",
  DoneBefore:
    "A rollout was taken back, and the earlier work is already finished on the cluster; the copy that does other work is removed.",
  Terminating: "The member object is being deleted.",
  PodRunning: "The pod runs, and has not finished yet.",
  VolumePending: "The claim has no volume yet, or the volume is not available yet.",
  VolumeResizing: "The volume is being made larger.",
  DeclaredUnavailable: "The `available` expression of the Placement's `health` does not hold yet.",
  HealthNotReadable:
    "An expression of the Placement's `health` could not be evaluated. If the object lacks a field, ask with `has()` first.",
  InvalidHealthRule:
    "An expression of the Placement's `health` cannot be read, or is neither true nor false; the message says where.",
  NoReport:
    "The member's controller has not reported the health of the object. If the kind's status never does, write `health` in the Placement.",
  NotReported: "Nothing has been reported yet.",
} as const;

const UNHEALTHY = {
  ProgressDeadlineExceeded: "The Deployment made no progress within its deadline.",
  ReplicaFailure: "The cluster cannot create pods; the message has its words.",
  QuotaExceeded: "A quota of the member leaves no room.",
  JobFailed: "The Job has failed.",
  DeclaredFailed: "The `failed` expression of the Placement's `health` holds.",
  LastRunFailed: "The last run of the CronJob is over and did not succeed.",
  PodFailed: "The pod has failed, or has ended although it should run on.",
  NodeLost: "The node of the pod does not answer.",
  VolumeLost: "The volume of the claim is gone, or could not be reclaimed.",
  VolumeReleased: "The claim to the volume is gone, and the volume has not been reclaimed.",
  NamespaceTerminating: "The namespace is being deleted on the member.",
  Unhealthy: "The member's controller reports trouble without a reason code.",
} as const;

const PODS = {
  ImagePullBackOff: "The member cannot pull the image of a container.",
  CrashLoopBackOff: "A container of the pods ends again and again; the message says how.",
  Unschedulable: "No node of the member takes the pods; the message has the words of its scheduler.",
} as const;

const REFUSED = {
  AlreadyExists:
    "The member has an object of that name that is not Meridian's; `conflictResolution: Adopt` takes the object over.",
  NotAdoptable:
    "The member has an object of that name that Meridian never takes over; the message says who owns the object.",
  FieldConflict: "Another field manager owns a field that Meridian has to write; the message names both.",
  Conflict: "The member object changed meanwhile; the write is tried again.",
  ImmutableField: "The change touches a field that cannot be changed while the member object exists.",
  Invalid: "The member's API server calls the object invalid.",
  UnknownField: "The member's version of the kind does not know a field.",
  BadRequest: "The member's API server does not understand the request.",
  IndexedJob:
    "The Placement divides the completions of a Job whose pods have an index each; every cluster would run the first indexes.",
  TooLarge: "The object with its overrides is larger or deeper than the member or Meridian accepts.",
  KindNotServed:
    "The member does not serve the kind, or not in that version; the write is tried again when the CustomResourceDefinition is there. In a policy's status: the hub does not serve the kind.",
  VersionLacksFields:
    "Fields were written in a later version than the placement names, and are not sent. The message names the version to write in the placement.",
  WrongScope: "The kind has another scope on the member than on the hub: cluster-scoped or namespaced.",
  AppliedWithoutEffect:
    "The member accepts the apply and stores other values: an admission webhook or policy there changes them. The apply is tried again.",
  AdmissionDenied: "An admission webhook or policy of the member refuses the object.",
  Forbidden: "The credentials lack a right on the member; the message names it.",
  Contested: "Somebody on the member undoes each write of Meridian; Meridian writes again, less and less often.",
  NamespaceMissing: "The namespace is gone on the member; the write is tried again.",
  ServerError: "The member's API server failed; the request is tried again.",
  InternalError: "An error of Meridian itself; the manager's log says more.",
} as const;

const POLICY = {
  InvalidPatch:
    "A patch of an override does not fit the object, or sets a value that the member refuses; the message names the policy.",
  InvalidOverride: "A rule of an override cannot be applied to the object.",
  ProtectedField: "An override would change the object's name, its owner, or Meridian's own marks.",
  InvalidManifest:
    "A manifest of the bundle cannot be sent, or the bundle cannot be unpacked; the message names the manifest and the reason.",
  PodSecurity:
    "The pods ask for more than the Pod Security level of the object's namespace on the hub allows; the message names the field and who set the field.",
  NotAllowed:
    "The object needs something that no administrator of the hub has allowed in its namespace: a service account, a node, a token, or rights that differ from the Role on the hub.",
  ProtectedNamespace: "Meridian never writes into that namespace of a member.",
  FieldOwnersUnknown:
    "The `metadata.managedFields` of the object do not show the fields that a person or a client set, so nothing is sent; create the object anew.",
  StaysOnHub: "The object is part of Meridian itself and is never sent to a member.",
  Applied: "The policy is in force.",
  NotApplied: "The policy has an error; `lastError` has the whole text.",
  NoObjectMatches: "No object matches the policy's resourceSelectors.",
  PartlyEnforced: "The policy asks for more than the object or the clusters allow; the message says what is left out.",
  NotCarriedOut:
    "This version accepts some fields of the policy and does not carry them out yet; the message names them.",
  NamespaceOutOfReach:
    "A policy of one namespace names another namespace in a resourceSelector, and selects nothing there; the message names both.",
  NoEffect:
    "A field of the policy has no effect on the objects that the policy selects; the message names the field and the reason.",
  PrometheusMissing:
    "The gate of the rollout has a query, and the manager was started without `--prometheus-url`, so every rollout waits.",
  KindNotPlaced:
    "A resourceSelector names a kind whose objects are never placed, or not by a policy of a namespace; the message names the kind.",
  KindNotGranted:
    "The manager may not read a kind that a resourceSelector names; the message names the command that grants the right.",
  LostToOther:
    "Every object that the policy selects is placed by another policy; the message names the policy and why it goes first.",
  NoClusterMatches: "The policy selects objects, and none of its rules matches a cluster on which they run.",
  Superseded: "A later policy sets every field again that this policy sets; the message names the later policy.",
} as const;

const DEPENDENCIES = {
  DependencyReplaced:
    "A ConfigMap or Secret was replaced on the hub, and its copy cannot be changed: the copy is deleted and made anew first.",
  DuplicateEntries:
    "A list has several entries with one key; the hub accepts that, and server-side apply does not. The message says what is sent instead, or what to do.",
  DependencyMissing: "The object refers to an object that is not on the hub; the message names that object.",
  DependencyUnresolved:
    "A path in `dependencies.fields` of the policy does not fit the object; the message names the path and what to write.",
  SecretAccessDenied:
    "The manager may not read a Secret that the object refers to; the message says how to grant the right.",
  ConfigMapAccessDenied:
    "The manager may not read a ConfigMap that the object refers to; the message says how to grant the right.",
  PersistentVolumeClaimAccessDenied:
    "The manager may not read a PersistentVolumeClaim that the object refers to; the message says how to grant the right.",
  ServiceAccountAccessDenied:
    "The manager may not read a ServiceAccount that the object refers to; the message says how to grant the right.",
} as const;

const CONTACT = {
  Connected: "Meridian is in contact with the cluster.",
  Connecting: "The first contact with the cluster has not been made yet.",
  ClusterUnreachable: "The cluster's API server does not answer.",
  NotReady: "The cluster's API server answers that it is not ready.",
  CertificateInvalid: "The certificate of the cluster's API server is not trusted.",
  CredentialsRejected:
    "The cluster refuses the credentials; `meridian join NAME --renew --member-kubeconfig FILE` makes new ones.",
  CredentialsExpired:
    "The credentials have expired; `meridian join NAME --renew --member-kubeconfig FILE` makes new ones.",
  SecretNotFound: "The Secret with the cluster's kubeconfig does not exist.",
  InvalidKubeconfig: "The kubeconfig cannot be used; the message says why.",
  InvalidConnection: "`spec.connection` does not say how to reach the cluster.",
  AddressRefused: "The kubeconfig names an address that Meridian never calls, such as a link-local one.",
  PullNotSupported: "`pull` needs an agent on the member, which this version does not have.",
  ClusterIdentityChanged: "Another cluster answers under this name; nothing is written until a person accepts its UID.",
  DuplicateCluster: "Another MemberCluster stands for the same cluster.",
  IdentityNotRecorded:
    "The cluster's UID could not be stored in the MemberCluster, so nothing is written to the cluster yet.",
  ClusterUnknown: "There is no MemberCluster of that name.",
  NotObserved: "Meridian cannot watch the object on the cluster, or has not seen its last change yet.",
} as const;

const ANSWERS = {
  SlowAnswers: "The cluster's API server answers slowly; the message has the figure.",
  AnswersInTime: "The cluster's API server was slow, and answers in time again; the message says how slow it was.",
  WritesThrottled: "Writes to the cluster are slowed down or stopped for the moment; the message says why.",
  WritesFlow: "Writes to the cluster were slowed down or stopped, and flow again; the message says why they were.",
} as const;

const REMOVAL = {
  NotSelected: "The policies no longer choose the cluster.",
  ObjectDeleted: "The object is being deleted on the hub.",
  ObjectGone: "The object is no longer on the hub.",
  ClusterLeaving: "The cluster leaves the federation; its `deletionPolicy` decides about the copies there.",
} as const;

const HELD = {
  HubNotSynced: "Nothing is removed before everything on the hub has been read.",
  PlanningIncomplete: "Nothing is removed before every object that may need it has been planned.",
  DeletionsHeld: "Too much seemed to vanish at once; nothing is removed until a second read agrees.",
  ClusterNotSynced: "Nothing is removed before everything that is watched on the cluster has been read.",
  FoundOnJoin:
    "The member object is older than the join of the cluster, and no hub object has taken it up since, so it stays.",
  CopyFound:
    "Copies of the object run on the cluster, and the hub has no record of them, as after a loss of the hub. They stay as they are until the Placement decides, and are preferred then.",
  OtherOwner: "Another hub object, or another class of controllers, owns the member object.",
  OwnerUnconfirmed: "The hub has not confirmed yet which class of controllers owns the object.",
  OwnershipUnproven:
    "The member object has Meridian's marks, but its `managedFields` do not show that Meridian applied them, so it stays.",
  NeededByOthers: "Another object on the cluster still needs the member object.",
  HoldsData:
    "The object no longer needs a volume claim, volume or volume snapshot on the cluster; it stays with its data until somebody deletes it there.",
  HubWentBack:
    "The hub was restored from a backup: a copy shows a later state of the hub. Copies of later objects stay until a person agrees to their removal.",
  OwnersMissing:
    "The hub lacks most of the objects that run on members, or some objects went with an earlier CRD. Their copies stay until the objects are back or a person agrees to the removal.",
  DeletionsAccepted: "A person has agreed to the removal of copies whose objects the hub lacks.",
  KindBeingDeleted:
    "The CustomResourceDefinition of the kind is being deleted, or was being deleted when the object was; copies stay until a person agrees by annotation.",
  CustomObjectsExist:
    "Objects of the CustomResourceDefinition exist on the member and would be deleted with it; the definition stays until they are gone or a person agrees by annotation.",
  AwaitingReplacement:
    "The copy is the last one that serves, and stays until the object is available on its new clusters; the message names the clusters.",
} as const;

const LEAVING = {
  DeletionPolicyMissing:
    "The MemberCluster is being deleted, and `deletionPolicy` does not say what happens to the copies there; the message has the choices.",
} as const;

const NAMESPACES = {
  NamespaceUnused: "Nothing needs the namespace any more, and Meridian made it, so it is deleted on the member.",
  NamespaceOccupied: "The namespace holds objects that are not Meridian's, so the namespace stays on the member.",
  NamespaceKept:
    "Meridian made the namespace and cannot see whether it is empty, so the namespace stays on the member.",
} as const;

const EVENTS = {
  ReconcileStarted:
    "A manager begins to plan a generation of the object; recorded with `--log-level debug` or `trace` only.",
  FinalizerAdded: "The finalizer was added to the object: a deletion waits for the copies on members.",
  RolloutPlanned: "A rollout in stages is planned; its plan is frozen when it begins.",
  RolloutProgressing: "A rollout in stages goes on.",
  RolloutSucceeded: "A rollout in stages is over, and its revision is the last good one.",
  RolloutSuperseded: "A rollout in stages was ended by a newer change of the object.",
  RolloutStage: "A stage of a rollout has come to another state; the message says which.",
  RolloutCluster: "A cluster has come to another state in a rollout in stages; the message says which.",
  RolloutStarted: "A change is on its way to the clusters that have the object.",
  RolloutCompleted: "The last change of the object is available on every cluster.",
  Recovered:
    "Trouble of an object, a deletion or a MemberCluster is over; the message says what the trouble was, where, and how long it lasted.",
  DeletionWaits:
    "The deletion of the object, or the draining of the MemberCluster, waits; the message says for what, since when, and what ends the wait.",
  Recreated: "Somebody had deleted a member object or removed its label; Meridian made the object anew.",
  Scheduled: "The object was placed on clusters; the message names them.",
  GivenUp:
    "Meridian put back a placeholder (an empty text, a webhook's caBundle), and another field manager replaced it again: that value stays. A new value on the hub is sent again.",
  DriftHealed:
    "Somebody else changed a field that Meridian set, and Meridian put the field back; the message names the fields and the field manager.",
  OwnerGone: "A member object was deleted or released, since its hub object is gone; the message names both.",
  HandoverWaits:
    "The class that the object names does not claim the object yet; the message says what the class waits for.",
  TakenOver: "The class that the object names has claimed the object.",
  TokenRenewed: "The token for the cluster was renewed.",
  TokenNotRenewed: "The token for the cluster could not be renewed; the renewal is tried again.",
} as const;

/** Reasons by subject, in the order in which the reference lists them. */
export const REASON_GROUPS: readonly { title: string; reasons: Readonly<Record<string, string>> }[] = [
  { title: "Choosing clusters", reasons: SCHEDULED },
  { title: "The verdict on one cluster", reasons: VERDICTS },
  { title: "Failover", reasons: FAILOVER },
  { title: "Rollout in stages", reasons: ROLLOUT },
  { title: "All clusters together", reasons: SUMMARY },
  { title: "A change under way", reasons: PROGRESS },
  { title: "Not healthy", reasons: UNHEALTHY },
  { title: "Pods that do not run", reasons: PODS },
  { title: "Refused by a member", reasons: REFUSED },
  { title: "Policies", reasons: POLICY },
  { title: "Dependencies of an object", reasons: DEPENDENCIES },
  { title: "Contact with a cluster", reasons: CONTACT },
  { title: "How fast a cluster answers", reasons: ANSWERS },
  { title: "Why something is removed", reasons: REMOVAL },
  { title: "Why something stays for now", reasons: HELD },
  { title: "A MemberCluster that is deleted", reasons: LEAVING },
  { title: "Namespaces of members", reasons: NAMESPACES },
  { title: "Only in Events", reasons: EVENTS },
];

/** Every reason with its sentence. */
export const REASONS = {
  ...SCHEDULED,
  ...VERDICTS,
  ...FAILOVER,
  ...ROLLOUT,
  ...SUMMARY,
  ...PROGRESS,
  ...UNHEALTHY,
  ...PODS,
  ...REFUSED,
  ...POLICY,
  ...DEPENDENCIES,
  ...CONTACT,
  ...ANSWERS,
  ...REMOVAL,
  ...HELD,
  ...LEAVING,
  ...NAMESPACES,
  ...EVENTS,
} as const;

export type Reason = keyof typeof REASONS;

/** Returns whether the reason is about pods and comes from a member's kubelet or scheduler. */
export function isPodReason(reason: string | undefined): boolean {
  return reason !== undefined && (Object.hasOwn(PODS, reason) || !Object.hasOwn(REASONS, reason));
}

/** Returns whether the reason explains why a cluster is out of contact. */
export function isContactReason(reason: string | undefined): boolean {
  return reason !== undefined && Object.hasOwn(CONTACT, reason);
}

/** Description of a field that holds a reason, with some examples. */
export function reasonDescription(...examples: readonly Reason[]): string {
  return `A CamelCase code for programs: ${examples.join(", ")} and so on. Meridian's placements/REFERENCE.md says what each of them means.`;
}
