import type {
  DisruptionBudget,
  End,
  FieldsV1,
  FinishedWork,
  HealthRule,
  KubeObject,
  MemberAddress,
  MemberCondition,
  Message,
  ObjectRef,
  OwnerRef,
} from "../apis/index.ts";
import type { Health, LostField, PodNeeds, StandingField } from "../interpreter/index.ts";
import type { OverrideEffect, PolicyRef } from "../override/types.ts";
import type { Decision } from "../scheduler/types.ts";
import type { Failover } from "./failover/index.ts";

/** Content hashes of the object's dependencies. */
export interface DependencyHashes {
  all: string;
  /** Hash of only those dependencies whose content pods read; undefined if there are none. */
  pods?: string;
}

/** A CamelCase code and the message for people. */
export interface Why {
  reason: string;
  message: Message;
}

/** Why a cluster gets nothing written: an override that fails, or an object that cannot be sent. */
export interface Problem extends Why {
  /** The policy to blame; undefined if the object itself is the cause. */
  policy?: PolicyRef;
}

export type DeletionPolicy = "Delete" | "Orphan";

/**
 * `rendered`: made from the hub object. `dependency`: an object that the hub object needs on the member (for example a
 * ConfigMap that its pods read).
 */
export type Role = "rendered" | "dependency";

/**
 * An object as a cluster should have it, with Meridian's label and annotations. Clusters with equal objects share one
 * value. Treat as frozen.
 */
export interface DesiredObject {
  ref: ObjectRef;
  role: Role;
  object: KubeObject;
  /** Hash of `object` without its hash annotation. */
  hash: string;
  /** The object with the retained fields and without Meridian's marks; only if the policy retains fields. */
  unretained?: KubeObject;
  /** Fields of `object` that nobody wrote on the hub. The member's field managers may own them. Not part of the hash. */
  unwritten?: FieldsV1;
  /**
   * Fields that are no longer sent: a copy that already has them keeps them, with the hub's values. Not part of the
   * hash.
   */
  standing?: readonly StandingField[];
  /** Applied after the owner's objects of earlier phases; undefined: applied at once. */
  phase?: number;
  /** For a dependency: effect of the override policies that select the dependency. */
  overrides?: OverrideEffect;
  /** Neither sent to the member nor part of the hash. */
  reporting?: ReportTerms;
  /** Set if the desired content is no longer known: why the copy stays unchanged. */
  held?: Why;
  /** Hash of the work that the object asks for, for kinds whose work ends (a Job, for example). Not sent to the member. */
  run?: string;
  /** The work has finished on this cluster: the object is not created again, and a remaining copy stays unchanged. */
  done?: End;
}

/** Extra reporting that a placement asks for, beyond the report of every member object. */
export interface ReportTerms {
  /** The rule that decides whether the object is healthy. */
  health?: HealthRule;
  /** Report the full status of the member object. */
  withStatus?: true;
}

/** An override policy that selects a dependency of the object. */
export interface DependencyOverride {
  policy: PolicyRef;
  ref: ObjectRef;
  /** Clusters of the target on which a rule of the policy applies. */
  clusters: readonly string[];
}

/** Desired state of one cluster. */
export interface ClusterTarget {
  name: string;
  region?: string;
  /** Replicas after division and overrides; undefined when the kind has none. */
  replicas?: number;
  /** Why nothing is written on this cluster. */
  problem?: Problem;
  /** Effect of the overrides on {@link objects}; undefined if none applies or if the cluster is frozen. */
  overrides?: OverrideEffect;
  /** Something is missing, but does not block the write (DependencyMissing). */
  warning?: Why;
  /** Copies on this cluster stay as they are: neither written nor deleted. */
  frozen: boolean;
  /** Why this cluster in particular is frozen (SecretAccessDenied). Undefined: the object's reason holds. */
  frozenFor?: Why;
  /** The cluster is frozen and known by its copies only: no record on the hub names the cluster. */
  found?: true;
  /**
   * In order of application: dependencies first. Empty if the desired objects are unknown (a problem before the
   * object's first run on the cluster).
   */
  objects: readonly DesiredObject[];
  /**
   * The objects of the new revision, while a rollout keeps the cluster on the last good revision ({@link objects}).
   * Empty if the new revision has nothing for the cluster.
   */
  wanted?: readonly DesiredObject[];
}

/** Desired state of one hub object, computed from a snapshot. */
export interface Target {
  owner: OwnerRef;
  /** The resourceVersion of the owner on the hub. */
  hubVersion?: string;
  /** The policy that places the object; undefined if no policy matches. */
  placement?: { kind: string; namespace?: string; name: string };
  /** Policies that select the object, but have lower precedence than `placement`. */
  passedOver?: { policy: PolicyRef; because: string }[];
  /** Override policies that apply on at least one cluster, failed ones included. */
  overrides: PolicyRef[];
  /**
   * Override policies that select the object and apply on no cluster. NoCluster: no rule takes a cluster of the object.
   * Unplaced: the object is on no cluster. Frozen: the clusters in question keep their copies.
   */
  idleOverrides?: { policy: PolicyRef; because: "NoCluster" | "Unplaced" | "Frozen" }[];
  /** Override policies that select a dependency of the object. */
  dependencyOverrides?: readonly DependencyOverride[];
  decision: Decision;
  /** The condition Scheduled. Reasons: ClustersSelected, NoPlacement, NoClusterFits, Suspended… */
  scheduled: { status: "True" | "False" } & Why;
  /** Sorted by name. */
  clusters: ClusterTarget[];
  /**
   * Dependencies that do not exist on the hub or may not be read there, by {@link refKey}. Copies on members stay,
   * since pods may use them.
   */
  missing: ReadonlySet<string>;
  suspended: boolean;
  /** Undefined if the object has no dependencies. */
  dependencyHashes?: DependencyHashes;
  /** Labels of the object's namespace, for members on which Meridian creates the namespace. */
  namespaceLabels?: Readonly<Record<string, string>>;
  conflictResolution: "Abort" | "Adopt";
  deletionPolicy: DeletionPolicy;
  /** Write the sum of the member statuses into the object's own status. */
  aggregatesStatus?: true;
  /** Finished work by cluster: the record on the hub, with the moves of this decision. Undefined if nothing has finished. */
  finished?: FinishedWork;
  /** Result of failover, if the placement asks for failover. */
  failover?: Failover;
  /** Requests and scheduling constraints of one pod. Set if replicas are divided by capacity. */
  podNeeds?: PodNeeds;
  /** Report since when pods are unschedulable on a cluster: the placement moves such replicas. */
  reschedules?: true;
  /** The minimum that stays available while copies move. */
  disruptionBudget?: DisruptionBudget;
  /** Old copies may be deleted before their replacements are available. */
  breakBeforeMake?: true;
  /** Epoch milliseconds at which to plan again, even if nothing changes. */
  recheckAt?: number;
}

interface RowBase {
  cluster: string;
  ref: ObjectRef;
  /** The hub object behind the row; also named in the member object's owner annotation. */
  owner: OwnerRef;
  role: Role;
  /**
   * Applied after the owner's objects of earlier phases, and removed after the objects of later phases; undefined: at
   * once.
   */
  phase?: number;
  reporting?: ReportTerms;
  /** See {@link DesiredObject.run} and {@link DesiredObject.done}. Only in rows that want the member object. */
  run?: string;
  done?: End;
}

/** Write the object as desired. */
export interface ApplyRow extends RowBase, DesiredObject {
  verb: "Apply";
  /** The resourceVersion of the owner on the hub. A change of this value alone causes no write. */
  hubVersion?: string;
  conflictResolution: "Abort" | "Adopt";
  /** Labels of the member object's namespace, if Meridian created the namespace or will create it. */
  namespaceLabels?: Readonly<Record<string, string>>;
  /**
   * Equivalent rows for the other owners of a shared dependency; the worker applies the row whose owner the object's
   * annotation names.
   */
  alternatives?: readonly ApplyRow[];
}

/** Neither write nor delete the member object. */
export interface HoldRow extends RowBase {
  verb: "Hold";
  why: Why;
  /** The desired hash if known: from the target of a frozen cluster, or the present hash of a retained copy. */
  hash?: string;
  /** True: the copy is wanted (frozen or retained). False: the copy should be removed, but may not be removed yet. */
  wanted: boolean;
  /**
   * No policy places the object any more, so the copy is only left alone. Another owner that needs the same object as a
   * dependency decides its content.
   */
  unplaced?: true;
  /** The object should be absent. The worker makes sure, with a GET by name if necessary. */
  confirm?: true;
  /** Labels of the copy's namespace. Set for a refused target, because the namespace must become stricter even then. */
  namespaceLabels?: Readonly<Record<string, string>>;
}

/** Delete the member object with exactly this UID. */
export interface DeleteRow extends RowBase {
  verb: "Delete";
  uid: string;
  why: Why;
  /** Only for a CRD: a person agreed to the removal although objects of the CRD exist. */
  agreed?: true;
  /** Only for a StatefulSet: keep the volume claims, even if the StatefulSet asks for their deletion. */
  keepsClaims?: true;
}

/** Remove Meridian's marks from the member object with this UID, and keep the object. */
export interface ReleaseRow extends RowBase {
  verb: "Release";
  uid: string;
  why: Why;
}

/** One instruction to a worker about one member object. A worker leaves objects without a row alone. */
export type Row = ApplyRow | HoldRow | DeleteRow | ReleaseRow;

/** The decision about a copy that nobody wants. */
export type RemovalRow = HoldRow | DeleteRow | ReleaseRow;

/** Why a write did not succeed. */
export interface Failure extends Why {
  /** A retry is useless until something changes. The worker still retries, slowly. */
  final: boolean;
  /** The fields that the member rejects, in the member's words. */
  fields?: readonly string[];
}

/** A worker's view of one member object, and the result of the last write. */
export interface Observation {
  cluster: string;
  ref: ObjectRef;
  /** Undefined: the object does not exist. */
  present?: {
    uid: string;
    /** Hash annotation: the hash applied last. */
    hash?: string;
    /** The hub object named in the owner annotation. */
    owner?: OwnerRef;
    /** creationTimestamp, RFC 3339, by the member's clock. */
    createdAt?: string;
    /**
     * `managedFields` prove that Meridian applied its marks. Without this proof the copy may be adopted again, but is
     * never removed.
     */
    proven: boolean;
    /** The copy's own deletion policy, used after the hub has forgotten the object. Undefined: `Delete`. */
    policy?: "Orphan";
    /** The owner's resourceVersion on the hub at the last write. */
    hubVersion?: string;
    deleting: boolean;
    /** How the work of the copy finished for good. */
    ended?: End;
    /** Hash of the copy's work ({@link DesiredObject.run}), as far as the worker knows. */
    run?: string;
    /** Finalizers that hold the copy while it is being deleted. */
    finalizers?: readonly string[];
    health: Health;
    /**
     * Conditions set by the member's controllers. For a kind that Meridian knows, reported only while the health is bad
     * or unknown.
     */
    conditions?: readonly MemberCondition[];
    /** Addresses at which the copy can be reached. */
    addresses?: readonly MemberAddress[];
    /** Images of the copy's containers. */
    images?: readonly string[];
    /** Full status of the copy, if requested and not too large. */
    status?: Readonly<Record<string, unknown>>;
    /** The status is about an older generation of the copy. */
    isStatusOld?: true;
    /** A ConfigMap or Secret with `immutable: true`. */
    immutable?: true;
    /** Type of a Secret. */
    secretType?: string;
    /** Desired hashes that the copy with this UID rejected, because a dependency is immutable in part. */
    refused?: readonly string[];
  };
  /** Hash of the Apply row that the copy matches: the hash annotation is right and Meridian owns every leaf. */
  inSyncWith?: string;
  /** The finished run that the row asks for, whether or not the object still exists. */
  ended?: EndedRun;
  /** A write is in progress. Until the write ends, the state of the copy is unknown. */
  writing: boolean;
  failure?: Failure;
  /** Last drift correction. */
  healed?: Heal;
  /** Fields with placeholder values that Meridian left to other field managers. */
  givenUp?: readonly LostField[];
  /**
   * The absence is certain: this worker saw its own deletion complete, or looked for the object by name. The watch is
   * no proof, because the watch sees only objects with our label. Reported only while a row wants the object gone.
   */
  absent?: true;
  /**
   * Nothing is seen of the object, but it may exist: it was seen before, or a write may have succeeded. Reported only
   * while a row needs certainty about the absence.
   */
  mayBeThere?: true;
  /** The revision of the last row that the worker used for this object; 0 if the worker never had a row. */
  revision: number;
}

/** A run that finished on a cluster. */
export interface EndedRun {
  run: string;
  end: End;
  /** The status at the end, if requested and not too large. */
  status?: Readonly<Record<string, unknown>>;
}

/** Facts about a cluster that a removal there depends on. */
export interface ClusterFacts {
  /** The cluster answers, and all objects of ours are known, except for the kinds in `unreadable`. */
  synced: boolean;
  /** Kinds that cannot be read on the cluster, by `readabilityKey`, with the reason. */
  unreadable?: ReadonlyMap<string, Message>;
  /** The MemberCluster is being deleted. `Keep`: the copies are released. `Drain`: the copies are deleted. */
  leaving?: "Keep" | "Drain";
  /** Why nothing is removed from the cluster. */
  held?: Why;
  /** The only namespaces in which Meridian may remove objects; undefined: all. */
  namespaces?: readonly string[];
}

/** A drift correction of a member object. */
export interface Heal {
  /** Epoch milliseconds. */
  at: number;
  /** The restored fields; empty if the whole object was restored. */
  lost: readonly LostField[];
  /** Somebody had deleted the object. */
  gone: boolean;
  /** Another field manager reverts the correction each time, so Meridian corrects less and less often. */
  contested: boolean;
}

/** Facts that a removal depends on. */
export interface RemovalFacts {
  /** The hub object that owns the copies; its last known UID if the object is gone. */
  owner: OwnerRef;
  /** Undefined if the hub no longer knows the policy: each copy's own policy then decides. */
  policy: DeletionPolicy | undefined;
  /** Why the copies should be removed: NotSelected, ObjectDeleted, ObjectGone. */
  cause: Why;
  hub: {
    synced: boolean;
    /** Too many objects disappeared from the hub at once. */
    deletionsHeld: boolean;
    /** All objects that existed at startup and could want something in this namespace have been planned. */
    planned: boolean;
  };
  /**
   * `Ours`: this manager may remove the copies. `OtherClass`: they belong to another controller class. `Unconfirmed`:
   * the hub has not confirmed the owner yet.
   */
  ownership: "Ours" | "OtherClass" | "Unconfirmed";
  /** Set if the object's kind is being deleted: nothing of the object is removed. */
  held?: Why;
  /** The object's own TTL deleted it: copies with unfinished work stay until the work ends. */
  awaitsEnd?: true;
  /** The objects are removed in phases. */
  inPhases?: true;
  /**
   * Names of CRDs that may be removed although objects of them exist, as a person agreed ({@link
   * ALLOW_CRD_REMOVAL_ANNOTATION}).
   */
  agreed?: string;
  /** Clusters with copies. A cluster that is missing here has no MemberCluster. */
  clusters: ReadonlyMap<string, ClusterFacts>;
  /**
   * `cluster/refKey` of dependencies that an object of another manager or another object of this manager needs. Looked
   * up only for copies that nothing else keeps.
   */
  neededByOthers: Pick<ReadonlySet<string>, "has">;
  /** `cluster/refKey` of dependencies that rejected a change and that another manager shares. */
  othersCopies: ReadonlySet<string>;
  /** Clusters on which the rows replace a dependency of the object. */
  replacing: ReadonlySet<string>;
  /**
   * `cluster/refKey` of copies that are older than their cluster's membership and that no row has wanted since. A
   * person may have released them when the cluster left before.
   */
  foundOnJoin: ReadonlySet<string>;
}

/** Progress of a rollout by cluster; without a rollout every cluster gets the target. */
export interface RolloutState {
  /** Clusters that keep the last good revision until their turn. */
  waiting: ReadonlySet<string>;
  /** Clusters that are rolled back to the last good revision: objects of the new revision alone are removed. */
  returning?: ReadonlySet<string>;
  /** Clusters whose copies stay as they are. */
  kept?: ReadonlySet<string>;
}

export interface StepInput {
  /** Undefined: the object is deleted or being deleted, and all copies are unwanted. */
  target: Target | undefined;
  /** The last target carried out on all clusters: a waiting cluster keeps this target, and drift is corrected to it. */
  lastGood?: Target;
  rollout?: RolloutState;
  /** Observations of copies that name this hub object as owner, and of objects that its rows ask for. In any order. */
  observations: readonly Observation[];
  removal: RemovalFacts;
}

export interface StepResult {
  /** By cluster; within a cluster first the target's objects in their order, then the other rows by {@link refKey}. */
  rows: Row[];
  /** Epoch milliseconds. */
  recheckAt?: number;
}
