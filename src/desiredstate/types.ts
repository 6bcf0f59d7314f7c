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
import type { Health, LostField, PodNeeds, HubOwnedField } from "../interpreter/index.ts";
import type { OverrideEffect, PolicyRef } from "../override/types.ts";
import type { Decision } from "../scheduler/types.ts";
import type { Failover } from "./failover/index.ts";

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
  policy?: PolicyRef;
}

export type DeletionPolicy = "Delete" | "Orphan";

/** `rendered`: made from the hub object. `dependency`: needed there by the hub object (a ConfigMap, for example). */
export type Role = "rendered" | "dependency";

/** An object as a cluster should have it. Clusters with equal objects share one value: treat as frozen. */
export interface DesiredObject {
  ref: ObjectRef;
  role: Role;
  object: KubeObject;
  hash: string;
  /** The object with the retained fields and without Meridian's marks; only if the policy retains fields. */
  unretained?: KubeObject;
  /** Fields of `object` that nobody wrote on the hub. The member's field managers may own them. Not part of the hash. */
  unwritten?: FieldsV1;
  /** Fields that are no longer sent; a copy that has them keeps them. Not part of the hash. */
  hubOwned?: readonly HubOwnedField[];
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

export interface ReportTerms {
  health?: HealthRule;
  withStatus?: true;
}

/** An override policy that selects a dependency of the object. */
export interface DependencyOverride {
  policy: PolicyRef;
  ref: ObjectRef;
  clusters: readonly string[];
}

export interface ClusterTarget {
  name: string;
  region?: string;
  /** Replicas after division and overrides; undefined when the kind has none. */
  replicas?: number;
  problem?: Problem;
  /** Effect of the overrides on {@link objects}; undefined if none applies or if the cluster is frozen. */
  overrides?: OverrideEffect;
  /** Something is missing, but does not block the write (DependencyMissing). */
  warning?: Why;
  frozen: boolean;
  /** Why this cluster in particular is frozen (SecretAccessDenied). Undefined: the object's reason holds. */
  frozenFor?: Why;
  /** The cluster is frozen and known by its copies only: no record on the hub names the cluster. */
  found?: true;
  /** In order of application. Empty if the desired objects are unknown before the first run on the cluster. */
  objects: readonly DesiredObject[];
  /** Objects of the new revision while a rollout keeps the cluster on the last good one. May be empty. */
  wanted?: readonly DesiredObject[];
}

export interface Target {
  owner: OwnerRef;
  hubVersion?: string;
  placement?: { kind: string; namespace?: string; name: string };
  /** Policies that select the object, but have lower precedence than `placement`. */
  passedOver?: { policy: PolicyRef; because: string }[];
  /** Override policies that apply on at least one cluster, failed ones included. */
  overrides: PolicyRef[];
  /** Override policies that select the object and apply on no cluster, with the reason. */
  idleOverrides?: { policy: PolicyRef; because: "NoCluster" | "Unplaced" | "Frozen" }[];
  /** Override policies that select a dependency of the object. */
  dependencyOverrides?: readonly DependencyOverride[];
  decision: Decision;
  /** The condition Scheduled. Reasons: ClustersSelected, NoPlacement, NoClusterFits, Suspended… */
  scheduled: { status: "True" | "False" } & Why;
  clusters: ClusterTarget[];
  /** Dependencies that are missing or unreadable on the hub, by {@link refKey}. Copies on members stay. */
  missing: ReadonlySet<string>;
  suspended: boolean;
  dependencyHashes?: DependencyHashes;
  /** Labels of the object's namespace, for members on which Meridian creates the namespace. */
  namespaceLabels?: Readonly<Record<string, string>>;
  conflictResolution: "Abort" | "Adopt";
  deletionPolicy: DeletionPolicy;
  /** Write the sum of the member statuses into the object's own status. */
  aggregatesStatus?: true;
  /** Finished work by cluster: the record on the hub, with the moves of this decision. Undefined if nothing has finished. */
  finished?: FinishedWork;
  failover?: Failover;
  /** Requests and scheduling constraints of one pod. Set if replicas are divided by capacity. */
  podNeeds?: PodNeeds;
  /** Report since when pods are unschedulable on a cluster: the placement moves such replicas. */
  reschedules?: true;
  /** The minimum that stays available while copies move. */
  disruptionBudget?: DisruptionBudget;
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
  /** Applied after objects of earlier phases, removed after objects of later phases; undefined: at once. */
  phase?: number;
  reporting?: ReportTerms;
  /** See {@link DesiredObject.run} and {@link DesiredObject.done}. Only in rows that want the member object. */
  run?: string;
  done?: End;
}

export interface ApplyRow extends RowBase, DesiredObject {
  verb: "Apply";
  /** The resourceVersion of the owner on the hub. A change of this value alone causes no write. */
  hubVersion?: string;
  conflictResolution: "Abort" | "Adopt";
  /** Labels of the member object's namespace, if Meridian created the namespace or will create it. */
  namespaceLabels?: Readonly<Record<string, string>>;
  /** Rows for the other owners of a shared dependency; the object's annotation selects one. */
  alternatives?: readonly ApplyRow[];
}

export interface HoldRow extends RowBase {
  verb: "Hold";
  why: Why;
  /** The desired hash if known: from the target of a frozen cluster, or the present hash of a retained copy. */
  hash?: string;
  /** True: the copy is wanted (frozen or retained). False: the copy should be removed, but may not be removed yet. */
  wanted: boolean;
  /** No policy places the object, so another owner that needs it as a dependency decides its content. */
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

export type RemovalRow = HoldRow | DeleteRow | ReleaseRow;

export interface Failure extends Why {
  /** A retry is useless until something changes. The worker still retries, slowly. */
  final: boolean;
  fields?: readonly string[];
}

/** A worker's view of one member object, and the result of the last write. */
export interface Observation {
  cluster: string;
  ref: ObjectRef;
  present?: {
    uid: string;
    /** Hash annotation: the hash applied last. */
    hash?: string;
    owner?: OwnerRef;
    /** creationTimestamp, RFC 3339, by the member's clock. */
    createdAt?: string;
    /** `managedFields` prove that Meridian applied its marks. Without this proof the copy is never removed. */
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
    finalizers?: readonly string[];
    health: Health;
    /** Conditions set by the member's controllers. Of a known kind only while its health is bad or unknown. */
    conditions?: readonly MemberCondition[];
    addresses?: readonly MemberAddress[];
    images?: readonly string[];
    status?: Readonly<Record<string, unknown>>;
    /** The status is about an older generation of the copy. */
    isStatusOld?: true;
    /** A ConfigMap or Secret with `immutable: true`. */
    immutable?: true;
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
  healed?: Heal;
  /** Fields with placeholder values that Meridian left to other field managers. */
  givenUp?: readonly LostField[];
  /** The absence is certain: by a completed deletion or a GET by name. The watch proves nothing. */
  absent?: true;
  /** Nothing is seen of the object, but it may exist. Reported only while a row needs certainty. */
  mayBeThere?: true;
  /** The revision of the last row that the worker used for this object; 0 if the worker never had a row. */
  revision: number;
}

export interface EndedRun {
  run: string;
  end: End;
  status?: Readonly<Record<string, unknown>>;
}

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

export interface RemovalFacts {
  /** The hub object that owns the copies; its last known UID if the object is gone. */
  owner: OwnerRef;
  /** Undefined if the hub no longer knows the policy: each copy's own policy then decides. */
  policy: DeletionPolicy | undefined;
  /** Why the copies should be removed: NotSelected, ObjectDeleted, ObjectGone. */
  cause: Why;
  hub: {
    synced: boolean;
    deletionsHeld: boolean;
    /** All objects that existed at startup and could want something in this namespace have been planned. */
    planned: boolean;
  };
  /** `Ours`: this manager may remove the copies. `Unconfirmed`: the hub has not confirmed the owner. */
  ownership: "Ours" | "OtherClass" | "Unconfirmed";
  /** Set if the object's kind is being deleted: nothing of the object is removed. */
  held?: Why;
  /** The object's own TTL deleted it: copies with unfinished work stay until the work ends. */
  awaitsEnd?: true;
  inPhases?: true;
  /** Names of CRDs that may go although objects exist ({@link ALLOW_CRD_REMOVAL_ANNOTATION}). */
  agreed?: string;
  /** Clusters with copies. A cluster that is missing here has no MemberCluster. */
  clusters: ReadonlyMap<string, ClusterFacts>;
  /** `cluster/refKey` of dependencies that another object needs. Looked up only if nothing else keeps the copy. */
  neededByOthers: Pick<ReadonlySet<string>, "has">;
  /** `cluster/refKey` of dependencies that rejected a change and that another manager shares. */
  othersCopies: ReadonlySet<string>;
  replacing: ReadonlySet<string>;
  /** `cluster/refKey` of copies from before the join that no row has wanted since: perhaps released before. */
  foundOnJoin: ReadonlySet<string>;
}

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
  recheckAt?: number;
}
