/**
 * Labels, annotations and finalizers that Meridian reads or writes on other people's objects. They are part of the
 * contract.
 */

export const PAAS_GROUP = "paas.cmft.com";
export const FEDERATION_GROUP = "federation.paas.cmft.com";
export const FEDERATION_VERSION = "v1alpha1";
export const FEDERATION_API_VERSION = `${FEDERATION_GROUP}/${FEDERATION_VERSION}`;

/** The API that answers questions about the fleet. */
export const QUERY_GROUP = "query.federation.paas.cmft.com";
export const QUERY_VERSION = "v1alpha1";
export const QUERY_PATH = `/apis/${QUERY_GROUP}/${QUERY_VERSION}`;

/** The field manager of every server-side apply. */
export const FIELD_MANAGER = "meridian";
/** The field manager of the planner's decisions in the status of hub objects: a status report cannot drop them. */
export const PLANNER_FIELD_MANAGER = "meridian-planner";

/** On a hub object: the class of controllers that is to own it (see ownership.ts). */
export const CONTROLLER_CLASS_LABEL = `${FEDERATION_GROUP}/controller-class`;

/** Keeps a deleted hub object until its member objects are gone. Classes but the default one append their name. */
export const OBJECT_FINALIZER = `${FEDERATION_GROUP}/member-objects`;
/** Keeps a deleted MemberCluster until its objects are drained or orphaned. As above. */
export const CLUSTER_FINALIZER = `${FEDERATION_GROUP}/member-cluster`;

/** On every member object: UID of the kube-system namespace of its hub. Watches select by this label. */
export const MANAGED_BY_LABEL = `${FEDERATION_GROUP}/managed-by`;
/** On what `join` creates on a member and on the hub: UID of the hub's kube-system namespace. */
export const JOINED_TO_LABEL = `${FEDERATION_GROUP}/joined-to`;
/** On every member object: its {@link OwnerRef}, as JSON. */
export const OWNER_ANNOTATION = `${FEDERATION_GROUP}/owner`;
/** On every member object: its own {@link refKey}. In a copy that somebody made it names another object. */
export const OBJECT_ANNOTATION = `${FEDERATION_GROUP}/object`;
/**
 * On a member object: `Orphan` if it is to outlive its owner, for when the hub no longer knows the object. On a hub
 * object that is being deleted: `Orphan` if the deletion asked for it (`kubectl delete --cascade=orphan`).
 */
export const DELETION_POLICY_ANNOTATION = `${FEDERATION_GROUP}/deletion-policy`;
/** On every member object: hash of the desired object that was applied. */
export const HASH_ANNOTATION = `${FEDERATION_GROUP}/desired-hash`;
/** On a new hub object, written with the finalizer: {@link FirstRecord} as JSON, until there is a status. */
export const FIRST_RECORD_ANNOTATION = `${FEDERATION_GROUP}/clusters`;
/** On a member namespace that Meridian created: the Pod Security labels of the hub's namespace, as JSON. */
export const POD_SECURITY_ANNOTATION = `${FEDERATION_GROUP}/pod-security`;
/** On pod templates: hash of the ConfigMaps and Secrets that the pods read; a change rolls the pods. */
export const DEPENDENCIES_HASH_ANNOTATION = `${FEDERATION_GROUP}/dependencies-hash`;
/** On a ControllerRevision of the hub: UID of the object whose revision it holds. */
export const REVISION_OF_LABEL = `${FEDERATION_GROUP}/revision-of`;
/** On a ControllerRevision of the hub, for people: tenants may write them, so Meridian does not read them. */
export const REVISION_ANNOTATION = `${FEDERATION_GROUP}/revision`;
export const REVISION_HASH_ANNOTATION = `${FEDERATION_GROUP}/revision-hash`;
/** On a hub object or its binding: a person's command for the rollout, as JSON ({@link RolloutCommand}). */
export const ROLLOUT_COMMAND_ANNOTATION = `${FEDERATION_GROUP}/rollout-command`;
/**
 * On a hub object or its binding: who approved which stage, as JSON ({@link RolloutApprovals}). Apart from the
 * commands: the API server asks the webhook about approvals, and a pause must not wait for an answer.
 */
export const ROLLOUT_APPROVALS_ANNOTATION = `${FEDERATION_GROUP}/rollout-approvals`;
/** On a MemberCluster: the UID of the kube-system namespace that a person accepts after it has changed. */
export const ACCEPT_CLUSTER_UID_ANNOTATION = `${FEDERATION_GROUP}/accept-cluster-uid`;
/**
 * `true`: a person agrees to a deletion. On a CRD that is being deleted: its objects and their copies go. On a live
 * CRD: copies of objects go that were deleted with an earlier one. On an object that is being deleted: this object
 * goes.
 */
export const ALLOW_DELETION_ANNOTATION = `${FEDERATION_GROUP}/allow-deletion`;
/**
 * On a MemberCluster: a person agrees to the held deletions. The value is the condition's `lastTransitionTime`, so that
 * a later hold needs a new agreement.
 */
export const ACCEPT_DELETIONS_ANNOTATION = `${FEDERATION_GROUP}/accept-deletions`;
/** Condition of a MemberCluster: deletions of copies without a hub object are held. */
export const DELETIONS_HELD_CONDITION = "DeletionsHeld";
export const SLOW_CONDITION = "Slow";
/** Condition of a MemberCluster: writes are slowed down or stopped. */
export const THROTTLED_CONDITION = "Throttled";
/** On member objects: resourceVersion of the hub object at the last write. Not hashed, and never a reason to write. */
export const HUB_VERSION_ANNOTATION = `${FEDERATION_GROUP}/hub-version`;
/**
 * On a MemberCluster, `true`: what was there before the cluster joined, and nobody wants there, is removed like the
 * rest.
 */
export const REMOVE_FOUND_ANNOTATION = `${FEDERATION_GROUP}/remove-found`;
/** On an Event about a recovery: when the trouble began. */
export const SINCE_ANNOTATION = `${FEDERATION_GROUP}/since`;
/** On a hub object: W3C `traceparent` of the last change, by the client or the admission webhook. */
export const TRACEPARENT_ANNOTATION = `${FEDERATION_GROUP}/traceparent`;
/** On a v1beta1 object: the fields that this version cannot hold. */
export const CONVERSION_ANNOTATION = `${PAAS_GROUP}/v1-fields`;

/** NoSchedule taint of a MemberCluster that takes nothing new (`meridian cordon`). */
export const CORDON_TAINT = `${FEDERATION_GROUP}/unschedulable`;
/** NoExecute taint of a MemberCluster whose objects are to leave (`meridian drain`). */
export const DRAIN_TAINT = `${FEDERATION_GROUP}/drain`;

export const REGION_LABEL = "topology.kubernetes.io/region";
export const ZONE_LABEL = "topology.kubernetes.io/zone";

/** Namespace of Meridian and of the Secrets for its members. */
export const DEFAULT_SYSTEM_NAMESPACE = "meridian-system";
/**
 * On a Namespace of the hub, which only administrators can change: service accounts that its pods may name on members,
 * beyond its Pod Security level. Names separated by commas, or `*`.
 */
export const ALLOWED_SERVICE_ACCOUNTS_ANNOTATION = `${FEDERATION_GROUP}/allowed-service-accounts`;
/** Like {@link ALLOWED_SERVICE_ACCOUNTS_ANNOTATION}, for `spec.nodeName`. */
export const ALLOWED_NODE_NAMES_ANNOTATION = `${FEDERATION_GROUP}/allowed-node-names`;
/** Like {@link ALLOWED_SERVICE_ACCOUNTS_ANNOTATION}, for ports of the node: `8080,9000-9010`. */
export const ALLOWED_HOST_PORTS_ANNOTATION = `${FEDERATION_GROUP}/allowed-host-ports`;
/**
 * On a Namespace of the hub: cluster-scoped kinds, and kinds that give rights, that its bundles may hold, as
 * `ClusterRole,Role` or `*`.
 */
export const ALLOWED_BUNDLE_KINDS_ANNOTATION = `${FEDERATION_GROUP}/allowed-bundle-kinds`;
/**
 * On a Namespace of the hub: other namespaces that its bundles may write into, as `monitoring,logging` or `*`. One of
 * Kubernetes is opened for one kind, as `kube-system/RoleBinding`, and never by `*`.
 */
export const ALLOWED_BUNDLE_NAMESPACES_ANNOTATION = `${FEDERATION_GROUP}/allowed-bundle-namespaces`;
/**
 * On a manifest of a bundle, `Cluster`: its kind is cluster-scoped, where nothing else says so. Not sent to members.
 */
export const SCOPE_ANNOTATION = `${FEDERATION_GROUP}/scope`;
/**
 * On a hub object: CRDs, as `a.example.com,b.example.com` or `*`, that a person lets be removed from members together
 * with the objects of their kinds.
 */
export const ALLOW_CRD_REMOVAL_ANNOTATION = `${FEDERATION_GROUP}/allow-crd-removal`;
