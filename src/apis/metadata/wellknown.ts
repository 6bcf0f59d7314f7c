/** Labels, annotations and finalizers that Meridian writes into other people's objects or reads there: part of the contract. */

export const PAAS_GROUP = "paas.cmft.com";
export const FEDERATION_GROUP = "federation.paas.cmft.com";
export const FEDERATION_VERSION = "v1alpha1";
export const FEDERATION_API_VERSION = `${FEDERATION_GROUP}/${FEDERATION_VERSION}`;

/** The field manager of every server-side apply. */
export const FIELD_MANAGER = "meridian";

/** On an object of the hub: the class of controllers that is to own the object (see ownership.ts). Without the label, the default class. */
export const CONTROLLER_CLASS_LABEL = `${FEDERATION_GROUP}/controller-class`;

/** Keeps a hub object until its member objects are seen gone. The finalizer of the default class; other classes append their name. */
export const OBJECT_FINALIZER = `${FEDERATION_GROUP}/member-objects`;
/** Keeps a MemberCluster until its objects are drained or orphaned. As above, the finalizer of the default class. */
export const CLUSTER_FINALIZER = `${FEDERATION_GROUP}/member-cluster`;

/** On every member object: the hub that wrote it (UID of that hub's kube-system namespace). Members are watched by it. */
export const MANAGED_BY_LABEL = `${FEDERATION_GROUP}/managed-by`;
/** On what `join` makes on a member for Meridian itself, and on its Secret on the hub: UID of the hub's kube-system namespace. */
export const JOINED_TO_LABEL = `${FEDERATION_GROUP}/joined-to`;
/** On every member object: JSON of the hub object that the member object stands for ({@link OwnerRef}). */
export const OWNER_ANNOTATION = `${FEDERATION_GROUP}/owner`;
/**
 * On every member object: the member object itself, as its {@link refKey}. Who copies an object copies this along, and so the copy, which
 * has another name or stands in another namespace, says itself that it is not Meridian's.
 */
export const OBJECT_ANNOTATION = `${FEDERATION_GROUP}/object`;
/**
 * On a member object whose policy says `Orphan`: what becomes of it when the hub knows nothing of it any more. Absent where the policy says
 * `Delete`. On an object of the hub that is being deleted: `Orphan` when whoever deleted it said so (`kubectl delete --cascade=orphan`).
 */
export const DELETION_POLICY_ANNOTATION = `${FEDERATION_GROUP}/deletion-policy`;
/** On every member object: hash of the desired object that was applied. */
export const HASH_ANNOTATION = `${FEDERATION_GROUP}/desired-hash`;
/**
 * On a new object of the hub, written with the finalizer: where the object goes, and what becomes of its copies, as JSON ({@link FirstRecord}).
 * Valid until the object has a status, which says all of that from then on.
 */
export const FIRST_RECORD_ANNOTATION = `${FEDERATION_GROUP}/clusters`;
/**
 * On a namespace of a member that Meridian made: the Pod Security labels that it got from its namespace on the hub, as JSON. Whoever changes the
 * labels on the member keeps the change until the hub's change.
 */
export const POD_SECURITY_ANNOTATION = `${FEDERATION_GROUP}/pod-security`;
/** On pod templates: hash of the ConfigMaps and Secrets that the pods read, so that a change of them rolls the pods. */
export const DEPENDENCIES_HASH_ANNOTATION = `${FEDERATION_GROUP}/dependencies-hash`;
/** On a ControllerRevision of the hub: UID of the object that it is a revision of. */
export const REVISION_OF_LABEL = `${FEDERATION_GROUP}/revision-of`;
/** On a ControllerRevision of the hub, for people: its number, and the hash of what follows from it. Read by nobody: tenants may write it. */
export const REVISION_ANNOTATION = `${FEDERATION_GROUP}/revision`;
export const REVISION_HASH_ANNOTATION = `${FEDERATION_GROUP}/revision-hash`;
/** On an object of the hub, or on its binding: what a person asks of its rollout, as JSON ({@link RolloutCommand}). */
export const ROLLOUT_COMMAND_ANNOTATION = `${FEDERATION_GROUP}/rollout-command`;
/**
 * On an object of the hub, or on its binding: who approved which stage of its rollout, as JSON ({@link RolloutApprovals}). Apart from the commands,
 * because the API server asks about each change of it and refuses when nobody answers; a pause says no name and need not wait.
 */
export const ROLLOUT_APPROVALS_ANNOTATION = `${FEDERATION_GROUP}/rollout-approvals`;
/** On a MemberCluster: the UID of the kube-system namespace that a person accepts after it has changed. */
export const ACCEPT_CLUSTER_UID_ANNOTATION = `${FEDERATION_GROUP}/accept-cluster-uid`;
/**
 * On a CustomResourceDefinition that is being deleted, `true`: a person agrees that its objects, and with them their copies, go. On a present
 * CustomResourceDefinition: that those go that were deleted with an earlier one. On an object that is being deleted: that this object goes.
 */
export const ALLOW_DELETION_ANNOTATION = `${FEDERATION_GROUP}/allow-deletion`;
/** On a MemberCluster: since when deletions are held there (`lastTransitionTime` of the condition), as a person accepts what is held. */
export const ACCEPT_DELETIONS_ANNOTATION = `${FEDERATION_GROUP}/accept-deletions`;
/** Type of the condition of a MemberCluster on which copies of objects stay that the hub does not have. */
export const DELETIONS_HELD_CONDITION = "DeletionsHeld";
/** Type of the condition of a MemberCluster whose answers take long. */
export const SLOW_CONDITION = "Slow";
/** Type of the condition of a MemberCluster to which writes are slowed down or stopped. */
export const THROTTLED_CONDITION = "Throttled";
/**
 * On member objects: the resourceVersion of the hub object when the member object was written last. Outside of the hash, and never a reason
 * to write.
 */
export const HUB_VERSION_ANNOTATION = `${FEDERATION_GROUP}/hub-version`;
/**
 * On a MemberCluster, with the value `true`: a person agrees that member objects which were on the cluster before it was joined, and which
 * no object of the hub wants there, are removed like any other.
 */
export const REMOVE_FOUND_ANNOTATION = `${FEDERATION_GROUP}/remove-found`;
/** On an Event that a trouble is over: when the trouble began, RFC 3339. */
export const SINCE_ANNOTATION = `${FEDERATION_GROUP}/since`;
/** On an object of the hub: the W3C `traceparent` of what changed the object last. Set by who changes it, or by the webhook that is asked. */
export const TRACEPARENT_ANNOTATION = `${FEDERATION_GROUP}/traceparent`;
/** On a v1beta1 object: the fields that this version cannot hold. */
export const CONVERSION_ANNOTATION = `${PAAS_GROUP}/v1-fields`;

/** Key of the NoSchedule taint of a MemberCluster that takes nothing new (`meridian cordon`). */
export const CORDON_TAINT = `${FEDERATION_GROUP}/unschedulable`;
/** Key of the NoExecute taint of a MemberCluster whose objects are to leave (`meridian drain`). */
export const DRAIN_TAINT = `${FEDERATION_GROUP}/drain`;

export const REGION_LABEL = "topology.kubernetes.io/region";
export const ZONE_LABEL = "topology.kubernetes.io/zone";

/** Where Meridian keeps the Secrets of its members by default. */
export const DEFAULT_SYSTEM_NAMESPACE = "meridian-system";
/**
 * On a Namespace of the hub, which only cluster administrators can change: what pods of its applications may name on members beside what
 * its Pod Security level allows. Names with commas in between, or `*` for any.
 */
export const ALLOWED_SERVICE_ACCOUNTS_ANNOTATION = `${FEDERATION_GROUP}/allowed-service-accounts`;
/** As above, for `spec.nodeName`. */
export const ALLOWED_NODE_NAMES_ANNOTATION = `${FEDERATION_GROUP}/allowed-node-names`;
/** As above, for ports of the node: `8080,9000-9010`. */
export const ALLOWED_HOST_PORTS_ANNOTATION = `${FEDERATION_GROUP}/allowed-host-ports`;
/**
 * On a Namespace of the hub, as above: kinds that bundles of the namespace may hold beyond those of a tenant, as `ClusterRole,Role` or `*`:
 * cluster-scoped ones, and those that give rights.
 */
export const ALLOWED_BUNDLE_KINDS_ANNOTATION = `${FEDERATION_GROUP}/allowed-bundle-kinds`;
/**
 * As above: other namespaces of members that bundles of the namespace may write into, as `monitoring,logging` or `*`. A namespace of Kubernetes is
 * opened for one kind at a time, as `kube-system/RoleBinding`; `*` does not mean it.
 */
export const ALLOWED_BUNDLE_NAMESPACES_ANNOTATION = `${FEDERATION_GROUP}/allowed-bundle-namespaces`;
/**
 * On a manifest of a bundle without a namespace, `Cluster`: its kind is cluster-scoped, where neither Kubernetes nor a definition in the
 * bundle says so. Not sent to members.
 */
export const SCOPE_ANNOTATION = `${FEDERATION_GROUP}/scope`;
/**
 * On an object of the hub: names of CustomResourceDefinitions, as `a.example.com,b.example.com` or `*`, that a person agrees to have removed
 * from members on which objects of theirs exist, and all of these objects with them.
 */
export const ALLOW_CRD_REMOVAL_ANNOTATION = `${FEDERATION_GROUP}/allow-crd-removal`;
