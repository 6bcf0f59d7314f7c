/**
 * Labels, annotations and finalizers that Meridian reads or writes on other people's objects. They are part of the
 * contract.
 */

export const PAAS_GROUP = "paas.cmft.com";
export const FEDERATION_GROUP = "federation.paas.cmft.com";
export const FEDERATION_VERSION = "v1alpha1";
export const FEDERATION_API_VERSION = `${FEDERATION_GROUP}/${FEDERATION_VERSION}`;

/** The field manager of every server-side apply. */
export const FIELD_MANAGER = "meridian";

/** On an object of the hub: the class of controllers that is to own the object (see ownership.ts). Without the label, the default class. */
export const CONTROLLER_CLASS_LABEL = `${FEDERATION_GROUP}/controller-class`;

/**
 * Keeps a deleted hub object until its member objects are gone. The finalizer of the default class; other classes
 * append their name.
 */
export const OBJECT_FINALIZER = `${FEDERATION_GROUP}/member-objects`;
/** Keeps a deleted MemberCluster until its objects are drained or orphaned. The finalizer of the default class, as above. */
export const CLUSTER_FINALIZER = `${FEDERATION_GROUP}/member-cluster`;

/**
 * On every member object: UID of the kube-system namespace of the hub that wrote it. Watches on members select by this
 * label.
 */
export const MANAGED_BY_LABEL = `${FEDERATION_GROUP}/managed-by`;
/**
 * On objects that `join` creates on a member for Meridian itself, and on its Secret on the hub: UID of the hub's
 * kube-system namespace.
 */
export const JOINED_TO_LABEL = `${FEDERATION_GROUP}/joined-to`;
/** On every member object: reference to its hub object, as JSON ({@link OwnerRef}). */
export const OWNER_ANNOTATION = `${FEDERATION_GROUP}/owner`;
/**
 * On every member object: its own {@link refKey}. Somebody who copies the object copies the annotation too. The copy
 * has another name or namespace, so its annotation shows that the copy is not Meridian's.
 */
export const OBJECT_ANNOTATION = `${FEDERATION_GROUP}/object`;
/**
 * On a member object whose policy says `Orphan`: the deletion policy, for the case that the hub no longer knows the
 * object. Absent where the policy says `Delete`. On a hub object that is being deleted: `Orphan` if the deletion asked
 * for it (`kubectl delete --cascade=orphan`).
 */
export const DELETION_POLICY_ANNOTATION = `${FEDERATION_GROUP}/deletion-policy`;
/** On every member object: hash of the desired object that was applied. */
export const HASH_ANNOTATION = `${FEDERATION_GROUP}/desired-hash`;
/**
 * On a new hub object, written together with the finalizer: the clusters for the object and the deletion policy of its
 * copies, as JSON ({@link FirstRecord}). Valid until the object has a status, which records both from then on.
 */
export const FIRST_RECORD_ANNOTATION = `${FEDERATION_GROUP}/clusters`;
/**
 * On a member namespace that Meridian created: the Pod Security labels of the hub's namespace, as JSON. A change of
 * these labels on the member stays until the labels change on the hub.
 */
export const POD_SECURITY_ANNOTATION = `${FEDERATION_GROUP}/pod-security`;
/** On pod templates: hash of the ConfigMaps and Secrets that the pods read, so that a change of them rolls the pods. */
export const DEPENDENCIES_HASH_ANNOTATION = `${FEDERATION_GROUP}/dependencies-hash`;
/** On a ControllerRevision of the hub: UID of the object whose revision it holds. */
export const REVISION_OF_LABEL = `${FEDERATION_GROUP}/revision-of`;
/**
 * On a ControllerRevision of the hub, for people: number and hash of the revision. Meridian does not read them, since
 * tenants may write them.
 */
export const REVISION_ANNOTATION = `${FEDERATION_GROUP}/revision`;
export const REVISION_HASH_ANNOTATION = `${FEDERATION_GROUP}/revision-hash`;
/** On a hub object or its binding: a person's command for the rollout, as JSON ({@link RolloutCommand}). */
export const ROLLOUT_COMMAND_ANNOTATION = `${FEDERATION_GROUP}/rollout-command`;
/**
 * On a hub object or its binding: who approved which stage of the rollout, as JSON ({@link RolloutApprovals}).
 * Approvals are apart from the commands, because the API server asks the webhook about each change of approvals and
 * refuses the change when nobody answers. A pause names no approver, so it need not wait for the webhook.
 */
export const ROLLOUT_APPROVALS_ANNOTATION = `${FEDERATION_GROUP}/rollout-approvals`;
/** On a MemberCluster: the UID of the kube-system namespace that a person accepts after it has changed. */
export const ACCEPT_CLUSTER_UID_ANNOTATION = `${FEDERATION_GROUP}/accept-cluster-uid`;
/**
 * Value `true`: a person agrees to a deletion. On a CustomResourceDefinition that is being deleted: its objects and
 * their copies go. On a live CustomResourceDefinition: the copies of objects go that were deleted with an earlier
 * definition. On an object that is being deleted: this object goes.
 */
export const ALLOW_DELETION_ANNOTATION = `${FEDERATION_GROUP}/allow-deletion`;
/**
 * On a MemberCluster: a person agrees to the deletions that are held. The value is the `lastTransitionTime` of the
 * condition, so that a later hold needs a new agreement.
 */
export const ACCEPT_DELETIONS_ANNOTATION = `${FEDERATION_GROUP}/accept-deletions`;
/** Type of the condition of a MemberCluster on which deletions of copies without a hub object are held. */
export const DELETIONS_HELD_CONDITION = "DeletionsHeld";
/** Type of the condition of a MemberCluster whose answers take long. */
export const SLOW_CONDITION = "Slow";
/** Type of the condition of a MemberCluster to which writes are slowed down or stopped. */
export const THROTTLED_CONDITION = "Throttled";
/**
 * On member objects: resourceVersion of the hub object at the last write of the member object. Not part of the hash,
 * and never a reason to write.
 */
export const HUB_VERSION_ANNOTATION = `${FEDERATION_GROUP}/hub-version`;
/**
 * On a MemberCluster, with the value `true`: a person agrees that member objects which were on the cluster before it was joined, and which
 * no object of the hub wants there, are removed like any other.
 */
export const REMOVE_FOUND_ANNOTATION = `${FEDERATION_GROUP}/remove-found`;
/** On an Event about a recovery: time when the trouble began, RFC 3339. */
export const SINCE_ANNOTATION = `${FEDERATION_GROUP}/since`;
/**
 * On a hub object: W3C `traceparent` of the last change. Set by the client that changes the object, or by the admission
 * webhook.
 */
export const TRACEPARENT_ANNOTATION = `${FEDERATION_GROUP}/traceparent`;
/** On a v1beta1 object: the fields that this version cannot hold. */
export const CONVERSION_ANNOTATION = `${PAAS_GROUP}/v1-fields`;

/** Key of the NoSchedule taint of a MemberCluster that takes nothing new (`meridian cordon`). */
export const CORDON_TAINT = `${FEDERATION_GROUP}/unschedulable`;
/** Key of the NoExecute taint of a MemberCluster whose objects are to leave (`meridian drain`). */
export const DRAIN_TAINT = `${FEDERATION_GROUP}/drain`;

export const REGION_LABEL = "topology.kubernetes.io/region";
export const ZONE_LABEL = "topology.kubernetes.io/zone";

/** Default namespace of Meridian and of the Secrets for its members. */
export const DEFAULT_SYSTEM_NAMESPACE = "meridian-system";
/**
 * On a Namespace of the hub, which only cluster administrators can change: service accounts that pods of its
 * applications may name on members, in addition to what its Pod Security level allows. Names separated by commas, or
 * `*` for any.
 */
export const ALLOWED_SERVICE_ACCOUNTS_ANNOTATION = `${FEDERATION_GROUP}/allowed-service-accounts`;
/** Like {@link ALLOWED_SERVICE_ACCOUNTS_ANNOTATION}, for `spec.nodeName`. */
export const ALLOWED_NODE_NAMES_ANNOTATION = `${FEDERATION_GROUP}/allowed-node-names`;
/** Like {@link ALLOWED_SERVICE_ACCOUNTS_ANNOTATION}, for ports of the node: `8080,9000-9010`. */
export const ALLOWED_HOST_PORTS_ANNOTATION = `${FEDERATION_GROUP}/allowed-host-ports`;
/**
 * On a Namespace of the hub: kinds that bundles of the namespace may hold beyond a tenant's kinds, as
 * `ClusterRole,Role` or `*`. These are cluster-scoped kinds and kinds that give rights.
 */
export const ALLOWED_BUNDLE_KINDS_ANNOTATION = `${FEDERATION_GROUP}/allowed-bundle-kinds`;
/**
 * On a Namespace of the hub: other member namespaces that bundles of the namespace may write into, as
 * `monitoring,logging` or `*`. A namespace of Kubernetes is opened for one kind at a time, as
 * `kube-system/RoleBinding`; `*` does not include these namespaces.
 */
export const ALLOWED_BUNDLE_NAMESPACES_ANNOTATION = `${FEDERATION_GROUP}/allowed-bundle-namespaces`;
/**
 * On a manifest of a bundle without a namespace, value `Cluster`: its kind is cluster-scoped. Needed where neither
 * Kubernetes nor a definition in the bundle says so. Not sent to members.
 */
export const SCOPE_ANNOTATION = `${FEDERATION_GROUP}/scope`;
/**
 * On a hub object: names of CustomResourceDefinitions, as `a.example.com,b.example.com` or `*`. A person agrees that
 * they are removed from members although objects of their kinds exist there; these objects are removed too.
 */
export const ALLOW_CRD_REMOVAL_ANNOTATION = `${FEDERATION_GROUP}/allow-crd-removal`;
