/**
 * Every reason that Meridian itself gives in a condition, in the entry of a cluster, in the status of a policy, in an Event or when it
 * refuses a request, each with its one sentence for people. Beside these, an entry may hold the reason that a controller of the member
 * reported for the member object, or its kubelet for a pod (`CreateContainerConfigError`, say).
 *
 * The list in placements/REFERENCE.md is generated from these groups, so their titles and sentences are written for its readers.
 */

const SCHEDULED = {
  ClustersSelected: "The Placement found clusters for the object.",
  DefaultPlacement: "No Placement selects the object, so it runs on the hub, which is a member itself.",
  NotPlanned: "No manager has planned the object yet.",
  PlanningFailed:
    "An error of Meridian kept it from being planned; where it runs, it stays, and planning is tried again.",
  NoPlacement: "No Placement selects the object; where it runs already, it is kept.",
  NoClusterFits:
    "No cluster fits the Placement; where the object runs already, it is kept. The message names the most frequent refusal.",
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
  FinishedThere: "All of the object has come to its end on the cluster, so that no taint moves it.",
  TaintsTolerated: "The Placement tolerates the taints of the cluster, or there are none.",
  ClusterStays: "The MemberCluster is not being deleted.",
  ClusterDeleting: "The MemberCluster is being deleted.",
  OnHubAlready: "The cluster is the hub itself, and the object is sent as it is: it stands there already.",
  Weighted: "The weight of the cluster for dividing the replicas.",
  NamespaceGranted: "Meridian's account may work in the object's namespace on the cluster.",
  NamespaceNotGranted:
    "The cluster was joined for other namespaces, so nothing of the object is placed there, read or removed; the message names the command that grants it.",
  ClusterReady: "The cluster is ready, or whether it is has not been said yet.",
  ClusterNotReady:
    "The cluster is not ready: it takes nothing new where the object can go elsewhere, and keeps what runs there until failover says otherwise.",
  ApiServed: "The cluster serves every API of what is sent to it.",
  ApiNotServed:
    "The cluster does not serve an API of what is sent: a CustomResourceDefinition is missing there, say; the message names the API.",
  ApiUnknown: "Which APIs the cluster serves is not known yet, so that this is no reason against it.",
  NotEvicted: "Neither failover nor a drain keeps the object away from the cluster.",
  Preferred: "`clusterPreferences` take the cluster; the score is the sum of their weights.",
  NotPreferred: "No entry of `clusterPreferences` takes the cluster.",
  TopologyKeyMissing: "The cluster has no value for a topologyKey of `spreadConstraints`, so that it is in no group.",
  SpreadNotMet: "The clusters that fit cannot meet `spreadConstraints`; the message says what is missing.",
  BeyondMaxGroups: "Other clusters go before it, and `maxGroups` of a spread constraint allows no more groups.",
  BeyondClusterCount: "Other clusters go before it, and `clusterCount` asks for no more.",
  NoReplicas: "The weights or the room of the cluster give it no replica, or there are too few replicas to reach it.",
  NoRoom: "The nodes of the cluster have no room for what each cluster gets at least.",
  RoomMeasured: "How many more replicas find room on the nodes of the cluster.",
  RoomNotMeasured:
    "The room on the nodes of the cluster is being measured; replicas are divided as soon as that is done, and until then what runs is kept.",
  RoomUnknown:
    "How much room the cluster has is not known, and the message says why: it keeps the replicas that it has, and gets more only where no cluster's room is known.",
  UnknownCluster: "The Placement names a cluster that has no MemberCluster, in a stage of its rollout too.",
} as const;

const FAILOVER = {
  ClusterLost: "The cluster does not answer; the message says since when, and when the object leaves it.",
  ObjectUnhealthy:
    "The object is unhealthy on the cluster; the message says since when, and when the object leaves it.",
  FailedOver: "The object has left the cluster, which was lost or on which it was unhealthy, for another one.",
  FailoverHeld:
    "More clusters than `failover.maxUnhealthyClusters` allows are lost at once, so nothing moves: the hub itself may be cut off.",
  UnhealthyEverywhere:
    "The object is unhealthy on each of its clusters, or still is after it has moved once, so it moves no more for that.",
  NowhereToGo: "The object would leave a cluster, and no other one that the Placement selects takes what is there.",
  AwaitingReturn: "The cluster is well again, and the object may return when it has been for `failover.returnAfter`.",
  Rescheduled: "Replicas whose pods found no node have left the cluster for others that have room.",
  ReturnedToCluster: "The object has returned to a cluster that it had left by failover.",
} as const;

const ROLLOUT = {
  GateTimeout: "The cluster has the new revision, and did not pass the gate in time.",
  HealthUnknown: "Nobody says how healthy the new revision is on the cluster, so that it cannot pass the gate.",
  NotWritten: "The new revision could not be written to the cluster in time.",
  ClusterLeft: "The cluster left the federation, or the Placement, while the rollout was under way.",
  RollingBack: "The cluster is on its way back to the last good revision.",
} as const;

const SUMMARY = {
  AllClustersApplied: "Every chosen cluster has what was asked for.",
  AllClustersAvailable: "The object is available on every chosen cluster.",
  AllClustersReady:
    "Every chosen cluster runs the object as it is now: scheduled, applied, available, and nothing is under way any more.",
  AllClustersObserved: "Meridian is in contact with every cluster of the object.",
  StatusSummedUp: "The object's own status on the hub is the sum of those on the clusters.",
  StatusOwnedByOthers:
    "Somebody else writes the object's own status on the hub, so that the sum of the clusters' is not written there; the message says who.",
  StatusNotServed: "The kind has no status subresource on the hub, so that no sum can be written there.",
  StatusRefused: "The hub refuses the sum of the clusters' statuses; the message has its words.",
  ClustersDiffer: "The clusters do not agree; in the status of a propagated object whose sum is written back.",
  ReportedByClusters:
    "The clusters say so without a reason; in the status of a propagated object whose sum is written back.",
  NoClusters: "There is no cluster to report on.",
  Settled: "Nothing is under way.",
  Stalled: "Nothing is under way, and not everything is as was asked for; the message names the clusters and why.",
  Valid: "The object is within the bounds that admission sets.",
  ReplicasOutOfBounds:
    "Admission was not asked, and would have refused the number of replicas; it is carried out nevertheless.",
  Deleting: "The object is being deleted, and its member objects with it.",
  WaitingForManager: "The object names another class of controllers, and no manager of that class has claimed it yet.",
} as const;

const PROGRESS = {
  Applying: "Member objects are being written.",
  RollingOut: "The cluster is bringing the change to its pods.",
  RolledBack:
    "A rollout in stages has failed, and every cluster has the last good revision; a change of the object begins another one.",
  RolloutPaused:
    "A rollout in stages has stopped until somebody or something lets it go on; the message says who or what.",
  RevisionTooLarge:
    "The object is too large for a revision of it to be kept, so that it cannot be rolled out in stages.",
  RevisionMissing:
    "The revision that the cluster is to have until its turn, or again, is gone from the hub, or nothing in the object's status proves it; the cluster keeps what it has.",
  RevisionChanged:
    "Somebody has changed the revision that the cluster is to have until its turn, or again, so that nothing of it is used; the cluster keeps what it has.",
  RolloutWaiting: "The cluster's turn in the rollout has not come yet; until then it keeps what it has.",
  Removing: "Member objects that are no longer wanted are being deleted.",
  Confirming:
    "The member is asked by name whether anything of the object is left there, before the cluster is forgotten.",
  RolloutPending: "The member's controller has not seen the change yet.",
  PodsNotReady: "Pods are running and not all of them are ready or available.",
  LoadBalancerPending: "The load balancer has no address yet.",
  DeploymentPaused: "The Deployment is paused, and not all of its pods are of the last change.",
  JobRunning: "The Job is running.",
  JobSuspended: "The Job is suspended.",
  StillRunning:
    "The hub's own copy has gone by its TTL; what still runs on the member is removed when it has finished. Without `ttlSecondsAfterFinished` on the object it goes at once.",
  Finished:
    "The work has come to its end: it is neither run again nor moved until its spec asks for other work, also when nothing is left of the object on the member.",
  DoneBefore:
    "The work that is asked for again, after a rollout was taken back, has come to its end on the cluster; the copy that does other work goes.",
  Terminating: "The member object is being deleted.",
  PodRunning: "The pod is to come to an end by itself, and has not yet.",
  VolumePending: "The claim has no volume yet, or the volume is not available yet.",
  VolumeResizing: "The volume is being made larger.",
  DeclaredUnavailable: "The `available` expression of the Placement's `health` does not hold yet.",
  HealthNotReadable:
    "An expression of the Placement's `health` could not be evaluated: the object lacks a field, say; `has()` asks for one.",
  InvalidHealthRule:
    "An expression of the Placement's `health` cannot be read, or is neither true nor false; the message says where.",
  NoReport:
    "The member's controller has not reported whether the object is healthy; where the status of a kind never says it, `health` of the Placement can.",
  NotReported: "Nothing has been reported yet.",
} as const;

const UNHEALTHY = {
  ProgressDeadlineExceeded: "The Deployment has not got further within its deadline.",
  ReplicaFailure: "The cluster cannot create pods; the message has its words.",
  QuotaExceeded: "A quota of the member leaves no room.",
  JobFailed: "The Job has failed.",
  DeclaredFailed: "The `failed` expression of the Placement's `health` holds.",
  LastRunFailed: "The last run of the CronJob is over and did not succeed.",
  PodFailed: "The pod has failed, or has ended and was to run on.",
  NodeLost: "The node of the pod does not answer.",
  VolumeLost: "The volume of the claim is gone, or could not be reclaimed.",
  VolumeReleased: "The claim to the volume is gone, and the volume has not been reclaimed.",
  NamespaceTerminating: "The namespace is being deleted on the member.",
  Unhealthy: "The member's controller reports trouble without a code for it.",
} as const;

const PODS = {
  ImagePullBackOff: "The member cannot pull the image of a container.",
  CrashLoopBackOff: "A container of the pods ends again and again; the message says how.",
  Unschedulable: "No node of the member takes the pods; the message has the words of its scheduler.",
} as const;

const REFUSED = {
  AlreadyExists:
    "An object of that name is there, and it is not Meridian's; `conflictResolution: Adopt` takes it over.",
  NotAdoptable: "An object of that name is there, and it is never taken over; the message says whose it is.",
  FieldConflict: "Another field manager owns a field that is to be written; the message names both.",
  Conflict: "The member object changed meanwhile; it is tried again.",
  ImmutableField: "The change touches a field that cannot be changed while the member object exists.",
  Invalid: "The member's API server calls the object invalid.",
  UnknownField: "The member's version of the kind does not know a field.",
  BadRequest: "The member's API server does not understand the request.",
  IndexedJob:
    "The Placement divides the completions of a Job whose pods have an index each: every cluster would run the first indexes.",
  TooLarge: "The object, or what overrides make of it, is larger or deeper than the member or Meridian accepts.",
  KindNotServed:
    "The member does not serve the kind, or not in that version; once its CustomResourceDefinition is there, it is tried again. Of a policy: the hub does not.",
  VersionLacksFields:
    "The placement names a version of the kind that lacks fields which were written in a later one: they are not sent. The message names the version to write in the placement.",
  WrongScope: "The kind has another scope on the member: it is cluster-scoped there, or it is namespaced.",
  AppliedWithoutEffect:
    "The member accepts the apply and keeps something else: an admission webhook or policy there changes what is applied. It is tried again.",
  AdmissionDenied: "An admission webhook or policy of the member refuses the object.",
  Forbidden: "The credentials lack a right on the member; the message names it.",
  Contested: "Somebody on the member undoes what is written, each time; it is put right less and less often.",
  NamespaceMissing: "The namespace went away on the member; it is tried again.",
  ServerError: "The member's API server failed; it is tried again.",
  InternalError: "An error of Meridian itself; its log says more.",
} as const;

const POLICY = {
  InvalidPatch:
    "A patch of an override does not fit the object, or gives it a value that the member refuses; the message names the policy.",
  InvalidOverride: "A rule of an override cannot be applied to the object.",
  ProtectedField: "An override would change what the object is called, whose it is, or Meridian's own marks.",
  InvalidManifest:
    "A manifest of the bundle cannot be sent, or the bundle cannot be unpacked; the message says which one and why.",
  PodSecurity:
    "The pods would be more than the Pod Security level of the object's namespace on the hub allows; the message names who asks for it, and the field.",
  NotAllowed:
    "The object needs something that no administrator of the hub has allowed in its namespace: a service account, a node, a token, or other rights than the Role on the hub gives.",
  ProtectedNamespace: "Nothing is written into that namespace of any member.",
  FieldOwnersUnknown:
    "The `metadata.managedFields` of the object do not show what a person or a client set in it, so nothing of it is sent; create it anew.",
  StaysOnHub: "The object is part of Meridian itself and is never sent to a member.",
  Applied: "The policy is in force.",
  NotApplied: "The policy has an error; `lastError` has it in full.",
  NoObjectMatches: "No object matches the policy's resourceSelectors.",
  PartlyEnforced:
    "The policy asks for more than the object or the clusters have room for; the message says what is left out.",
  NotCarriedOut: "The policy uses fields that this version takes and does not carry out yet; the message names them.",
  NamespaceOutOfReach:
    "A resourceSelector of a policy of a namespace names another namespace, in which it selects nothing; the message names both.",
  NoEffect: "A field of the policy has no effect on anything that the policy selects; the message says which, and why.",
  PrometheusMissing:
    "The rollout's gate asks a query, and the manager was started without `--prometheus-url`, so every rollout waits.",
  KindNotPlaced:
    "A resourceSelector names a kind whose objects are never placed, or not by a policy of a namespace; the message names the kind.",
  KindNotGranted:
    "The manager may not read a kind on the hub that a resourceSelector names; the message names what grants it.",
  LostToOther:
    "Every object that the policy selects is placed by another policy; the message names the policy and why it goes first.",
  NoClusterMatches: "The policy selects objects, and none of its rules takes a cluster on which they run.",
  Superseded: "Whatever the policy sets is set again by a later policy; the message names the later policy.",
} as const;

const DEPENDENCIES = {
  DependencyReplaced:
    "A ConfigMap or Secret was replaced on the hub, and its copy cannot be changed: it is deleted and made anew first.",
  DuplicateEntries:
    "A list has several entries of one key, which the hub takes and server-side apply cannot carry: the message says what is sent in their place, or why they cannot be sent and what to do.",
  DependencyMissing: "Something that the object refers to is not on the hub; the message names it.",
  DependencyUnresolved:
    "What `dependencies.fields` of the policy declare does not fit the object; the message says which path, and what to write.",
  SecretAccessDenied: "The manager may not read a Secret that the object refers to; the message says how to allow it.",
  ConfigMapAccessDenied:
    "The manager may not read a ConfigMap that the object refers to; the message says how to allow it.",
  PersistentVolumeClaimAccessDenied:
    "The manager may not read a PersistentVolumeClaim that the object refers to; the message says how to allow it.",
  ServiceAccountAccessDenied:
    "The manager may not read a ServiceAccount that the object refers to; the message says how to allow it.",
} as const;

const CONTACT = {
  Connected: "Meridian is in contact with the cluster.",
  Connecting: "The first contact with the cluster has not been made yet.",
  ClusterUnreachable: "The cluster's API server does not answer.",
  NotReady: "The cluster's API server answers that it is not ready.",
  CertificateInvalid: "The certificate of the cluster's API server is not trusted.",
  CredentialsRejected: "The cluster refuses the credentials; `meridian join NAME --renew` makes new ones.",
  CredentialsExpired: "The credentials have expired; `meridian join NAME --renew` makes new ones.",
  SecretNotFound: "The Secret with the cluster's kubeconfig does not exist.",
  InvalidKubeconfig: "The kubeconfig cannot be used; the message says why.",
  InvalidConnection: "`spec.connection` names no way to reach the cluster.",
  AddressRefused: "The kubeconfig names an address that Meridian never calls, such as a link-local one.",
  PullNotSupported: "`pull` needs an agent on the member, which this version does not have.",
  ClusterIdentityChanged: "Another cluster answers under this name; nothing is written until a person accepts its UID.",
  DuplicateCluster: "Another MemberCluster stands for the same cluster.",
  IdentityNotRecorded: "The cluster's UID could not be written down, so nothing is written there yet.",
  ClusterUnknown: "There is no MemberCluster of that name.",
  NotObserved: "Meridian cannot watch the object there, or has not seen its last change yet.",
} as const;

const ANSWERS = {
  SlowAnswers: "The cluster's API server answers, and slowly; the message has the figure.",
  AnswersInTime: "The cluster's API server was slow, and answers in time again; the message says how slow it was.",
  WritesThrottled: "Writes to the cluster are slowed down or stopped for the moment; the message says why.",
  WritesFlow: "Writes to the cluster were slowed down or stopped, and flow again; the message says why they were.",
} as const;

const REMOVAL = {
  NotSelected: "The policies no longer choose the cluster.",
  ObjectDeleted: "The object is being deleted on the hub.",
  ObjectGone: "The object is no longer on the hub.",
  ClusterLeaving: "The cluster is leaving the federation, with what runs there as its `deletionPolicy` says.",
} as const;

const HELD = {
  HubNotSynced: "Nothing is removed before everything on the hub has been read.",
  PlanningIncomplete: "Nothing is removed before every object that may need it has been planned.",
  DeletionsHeld: "Too much seemed to vanish at once; nothing is removed until a second read agrees.",
  ClusterNotSynced: "Nothing is removed before everything that is watched on the cluster has been read.",
  FoundOnJoin:
    "The member object was there before the cluster was joined, and no hub object has taken it up since, so it stays.",
  CopyFound:
    "Copies of the object run there and no record on the hub says so, as after a loss of the hub; they stay as they are until its Placement decides, and are preferred then.",
  OtherOwner: "Another hub object, or another class of controllers, owns the member object.",
  OwnerUnconfirmed: "The hub has not confirmed yet which class of controllers owns the object.",
  OwnershipUnproven:
    "The member object has Meridian's marks, but its `managedFields` do not show that Meridian applied them, so it stays.",
  NeededByOthers: "Another object on the cluster still needs it.",
  HoldsData:
    "A volume claim, volume or volume snapshot that the object does not need there any more stays with its data, until somebody deletes it on the cluster.",
  HubWentBack:
    "A copy knows a later state of the hub than the hub itself, which was restored from a backup; nothing made since is removed until a person agrees.",
  OwnersMissing:
    "The hub lacks most of the objects that run on members, or some went with an earlier CRD; nothing of theirs is removed until they are back or a person agrees.",
  DeletionsAccepted: "A person has agreed that the copies of objects that the hub lacks are removed.",
  KindBeingDeleted:
    "The CustomResourceDefinition of the kind is being deleted, or was when the object was; nothing is removed until a person agrees by annotation.",
  CustomObjectsExist:
    "Objects of the CustomResourceDefinition exist on the member, and would go with it; it stays until they are gone or a person agrees by annotation.",
  AwaitingReplacement:
    "It is the last copy that serves, and stays until the object is available on a cluster where it is to be; the message names these.",
} as const;

const LEAVING = {
  DeletionPolicyMissing:
    "The MemberCluster is being deleted, and nobody has said what is to become of what runs there; the message has the choices.",
} as const;

const NAMESPACES = {
  NamespaceUnused: "Nothing needs the namespace any more, and Meridian made it, so it is deleted on the member.",
  NamespaceOccupied: "Something that is not Meridian's is in the namespace, so it stays on the member.",
  NamespaceKept: "Meridian made the namespace and cannot say whether it is empty, so it stays on the member.",
} as const;

const EVENTS = {
  ReconcileStarted:
    "A manager begins to plan a generation of the object; recorded with `--log-level debug` or `trace` only.",
  FinalizerAdded: "The finalizer was put on the object: its deletion waits for what it has on members.",
  RolloutPlanned: "A rollout in stages is planned; its plan is frozen when it begins.",
  RolloutProgressing: "A rollout in stages goes on.",
  RolloutSucceeded: "A rollout in stages is over, and its revision is the last good one.",
  RolloutSuperseded: "A rollout in stages was ended by a newer change of the object.",
  RolloutStage: "A stage of a rollout has come to another state; the message says which.",
  RolloutCluster: "A cluster has come to another state in a rollout in stages; the message says which.",
  RolloutStarted: "A change is on its way to the clusters that have the object.",
  RolloutCompleted: "The object is available on every cluster as it was asked for last.",
  Recovered:
    "What was wrong with an object, a deletion or a MemberCluster is over; the message says what it was, where, and how long it lasted.",
  DeletionWaits:
    "The deletion of the object, or the draining of the MemberCluster, waits; the message says what for, since when, and what frees it.",
  Recreated: "A member object that somebody had deleted, or had taken the label off, was made anew.",
  Scheduled: "The object was placed on clusters; the message names them.",
  GivenUp:
    "A placeholder (an empty text, a webhook's caBundle) was put back, and another field manager of the member replaced it again: its value stays. Another value on the hub is sent again.",
  DriftHealed:
    "What somebody had changed on a member was put back; the message names the fields and the field manager.",
  OwnerGone: "A member object was deleted or let go of, since its hub object is gone; the message names both.",
  HandoverWaits: "The class that the object names does not claim it yet; the message says what for.",
  TakenOver: "The class that the object names has claimed it.",
  TokenRenewed: "The token for the cluster was renewed.",
  TokenNotRenewed: "The token for the cluster could not be renewed; it is tried again.",
} as const;

/** Reasons by subject, in the order in which the reference lists them. */
export const REASON_GROUPS: readonly { title: string; reasons: Readonly<Record<string, string>> }[] = [
  { title: "Choosing clusters", reasons: SCHEDULED },
  { title: "One cluster's part in that", reasons: VERDICTS },
  { title: "Failover", reasons: FAILOVER },
  { title: "Rollout in stages", reasons: ROLLOUT },
  { title: "All clusters together", reasons: SUMMARY },
  { title: "On the way", reasons: PROGRESS },
  { title: "Not healthy", reasons: UNHEALTHY },
  { title: "Pods that do not run", reasons: PODS },
  { title: "Refused by a member", reasons: REFUSED },
  { title: "Policies", reasons: POLICY },
  { title: "What an object needs beside it", reasons: DEPENDENCIES },
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

/** Whether a reason is what a member's kubelet or scheduler says of pods. */
export function isPodReason(reason: string | undefined): boolean {
  return reason !== undefined && (Object.hasOwn(PODS, reason) || !Object.hasOwn(REASONS, reason));
}

/** Whether a reason says why nothing is heard from a cluster. */
export function isContactReason(reason: string | undefined): boolean {
  return reason !== undefined && Object.hasOwn(CONTACT, reason);
}

/** Description of a field that holds a reason, with some that one may meet there. */
export function reasonDescription(...examples: readonly Reason[]): string {
  return `A CamelCase code for programs: ${examples.join(", ")} and so on. Meridian's placements/REFERENCE.md says what each of them means.`;
}
