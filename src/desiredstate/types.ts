import type {
  DisruptionBudget,
  End,
  FieldsV1,
  FinishedWork,
  HealthRule,
  KubeObject,
  MemberAddress,
  MemberCondition,
  ObjectRef,
  OwnerRef,
} from "../apis/index.ts";
import type { Health, LostField, PodNeeds, StandingField } from "../interpreter/index.ts";
import type { OverrideEffect, PolicyRef } from "../override/types.ts";
import type { Decision } from "../scheduler/types.ts";
import type { Failover } from "./failover/index.ts";

/** Over the content of what goes along with an object. */
export interface DependencyHashes {
  all: string;
  /** Of what pods read alone; undefined where that is nothing. */
  pods?: string;
}

/** A CamelCase code and a sentence of at most 120 characters. */
export interface Why {
  reason: string;
  message: string;
  /** The same in fewer words, the fullest first: for a sentence that has more to say. The last one fits beside the name of a cluster. */
  shorter?: readonly string[];
}

/** An override that cannot be applied. */
export interface Problem extends Why {
  /** The policy to blame; undefined where the object itself is. */
  policy?: PolicyRef;
  /** The sentence in full, where {@link Why.message} had to cut it. */
  detail?: string;
}

export type DeletionPolicy = "Delete" | "Orphan";

/** `rendered`: what the hub object becomes on a member. `dependency`: what goes along, since its pods read it. */
export type Role = "rendered" | "dependency";

/**
 * One object as it is to be on a cluster: with Meridian's label and annotations. Shared between clusters where it is equal. Treat as
 * frozen.
 */
export interface DesiredObject {
  ref: ObjectRef;
  role: Role;
  object: KubeObject;
  /** Hash of `object` without its hash annotation. */
  hash: string;
  /** Where something is left to the member: the object with that, and without Meridian's marks. */
  unretained?: KubeObject;
  /** Fields of `object` that nobody has written on the hub: left to whoever takes them on the member. No part of the hash. */
  unwritten?: FieldsV1;
  /** Fields that a copy keeps where they were sent before, with the hub's values. No part of the hash. */
  standing?: readonly StandingField[];
  /** Applied after the owner's objects of earlier phases; undefined: at once. */
  phase?: number;
  /** Of a dependency: what overrides of it come to here. */
  overrides?: OverrideEffect;
  /** No part of what is sent, nor of the hash. */
  reporting?: ReportTerms;
  /** What is there stays as it is, and why: what the object is here is not known any more. */
  held?: Why;
  /** Hash of the work that it asks for, where its kind comes to an end: no part of what is sent. */
  run?: string;
  /** The work has come to its end there: the object is not made anew, and what is left of it stays as it is. */
  done?: End;
}

/** What a placement asks for about a member object, beyond what is told of every one. */
export interface ReportTerms {
  /** What healthy means for it. */
  health?: HealthRule;
  /** Its status is wanted as it stands there. */
  withStatus?: true;
}

/** An override policy that selects an object which goes along with another one. */
export interface DependencyOverride {
  policy: PolicyRef;
  ref: ObjectRef;
  /** Those of the target on which a rule of the policy applies. */
  clusters: readonly string[];
}

/** What is to be on one cluster. */
export interface ClusterTarget {
  name: string;
  region?: string;
  /** Replicas after division and overrides; undefined when the kind has none. */
  replicas?: number;
  /** Why nothing is written there: an override that cannot be applied. */
  problem?: Problem;
  /** What the overrides come to that {@link objects} are made with; undefined where none applies, or where what is there stays as it is. */
  overrides?: OverrideEffect;
  /** Something that is missing but does not stop it (DependencyMissing). */
  warning?: Why;
  /** What is there stays as it is: neither written nor deleted. */
  frozen: boolean;
  /** Why this cluster in particular is frozen (SecretAccessDenied); without it the reason is the object's. */
  frozenFor?: Why;
  /** Frozen, and known by its copies alone: no record of the hub says that the object runs there. */
  found?: true;
  /** In the order of application: dependencies first. Empty where nothing can be said (a problem before it ran there). */
  objects: readonly DesiredObject[];
  /**
   * The objects that the hub wants on the cluster, where a rollout leaves it on the last good revision: {@link objects} are of that one. Empty where the
   * cluster is to have nothing.
   */
  wanted?: readonly DesiredObject[];
}

/** What follows from a snapshot for one hub object. */
export interface Target {
  owner: OwnerRef;
  /** The resourceVersion of the owner on the hub. */
  hubVersion?: string;
  /** The policy that placed it; undefined when none matches. */
  placement?: { kind: string; namespace?: string; name: string };
  /** Policies that select the object too, and that another one goes before. */
  passedOver?: { policy: PolicyRef; because: string }[];
  /** The override policies that apply somewhere, also where they could not be applied. */
  overrides: PolicyRef[];
  /** Override policies that select the object and apply nowhere, and why: no rule takes one of its clusters; what is there is left as it is. */
  idleOverrides?: { policy: PolicyRef; because: "NoCluster" | "Unplaced" | "Frozen" }[];
  /** Override policies that select something that goes along with the object. */
  dependencyOverrides?: readonly DependencyOverride[];
  decision: Decision;
  /** Why Scheduled is what it is: ClustersSelected, NoPlacement, NoClusterFits, Suspended… */
  scheduled: { status: "True" | "False" } & Why;
  /** Sorted by name. */
  clusters: ClusterTarget[];
  /**
   * Dependencies that the object refers to and that are not on the hub, or may not be read there, by {@link refKey}: a copy on a member
   * stays, since pods may be running on it.
   */
  missing: ReadonlySet<string>;
  suspended: boolean;
  /** Undefined where nothing goes along. */
  dependencyHashes?: DependencyHashes;
  /** Labels of the object's namespace, for members on which Meridian makes it. */
  namespaceLabels?: Readonly<Record<string, string>>;
  conflictResolution: "Abort" | "Adopt";
  deletionPolicy: DeletionPolicy;
  /** The sum of its statuses on the members is written into its own. */
  aggregatesStatus?: true;
  /** What has come to its end where, by the record on the hub and the moves of this decision. Undefined where nothing has. */
  finished?: FinishedWork;
  /** What failover came to, where the placement asks for failover. */
  failover?: Failover;
  /** What each of its pods asks of a node. Set where replicas are divided by room. */
  podNeeds?: PodNeeds;
  /** Since when pods find no node on a cluster is asked for: replicas move for it. */
  reschedules?: true;
  /** What has to stay available while copies move. */
  disruptionBudget?: DisruptionBudget;
  /** What is left behind may go before it is replaced. */
  breakBeforeMake?: true;
  /** Epoch milliseconds at which to decide again though nothing changed. */
  recheckAt?: number;
}

interface RowBase {
  cluster: string;
  ref: ObjectRef;
  /** The hub object that the row stands for; also in the member object's owner annotation. */
  owner: OwnerRef;
  role: Role;
  /** Applied after the owner's objects of earlier phases, and removed after those of later ones; undefined: at once. */
  phase?: number;
  reporting?: ReportTerms;
  /** As of {@link DesiredObject.run} and {@link DesiredObject.done}; of a row that wants the member object. */
  run?: string;
  done?: End;
}

/** Make it so. */
export interface ApplyRow extends RowBase, DesiredObject {
  verb: "Apply";
  /** The resourceVersion of the owner on the hub; no reason to write by itself. */
  hubVersion?: string;
  conflictResolution: "Abort" | "Adopt";
  /** Labels of its namespace, where Meridian has made that or is going to. */
  namespaceLabels?: Readonly<Record<string, string>>;
  /** The same member object in the name of other hub objects that need it: whichever of them it names keeps it. */
  alternatives?: readonly ApplyRow[];
}

/** Neither write nor delete, and why. */
export interface HoldRow extends RowBase {
  verb: "Hold";
  why: Why;
  /** What is wanted there, where that is known: what a frozen cluster's target says, or for a retained copy what it has. */
  hash?: string;
  /** True: it is wanted there (frozen or retained). False: it is to go, and may not yet. */
  wanted: boolean;
  /** No policy places the object any more, so the copy is only left alone: an object that needs it beside its own decides what it is. */
  unplaced?: true;
  /** It should not be there: the worker makes certain of that, by its name if need be. */
  confirm?: true;
  /** Of a copy whose target is refused: labels of its namespace, which is to become stricter all the same. */
  namespaceLabels?: Readonly<Record<string, string>>;
}

/** Remove exactly that life of the member object. */
export interface DeleteRow extends RowBase {
  verb: "Delete";
  uid: string;
  why: Why;
  /** A definition, whose removal a person has agreed to though objects of it exist there. */
  agreed?: true;
  /** A StatefulSet, whose volume claims stay though it may ask for their deletion along with it. */
  keepsClaims?: true;
}

/** Take Meridian's marks off that life of it, and leave it. */
export interface ReleaseRow extends RowBase {
  verb: "Release";
  uid: string;
  why: Why;
}

/** What a worker is to do about one member object. Where there is no row, it leaves the object alone. */
export type Row = ApplyRow | HoldRow | DeleteRow | ReleaseRow;

/** What is to become of a copy that nobody wants. */
export type RemovalRow = HoldRow | DeleteRow | ReleaseRow;

/** Why a write did not succeed. */
export interface Failure extends Why {
  /** Not worth retrying until something changes; it is repeated all the same, slowly. */
  final: boolean;
  /** All that the member said, where the message had to cut it. Never of a Secret. */
  detail?: string;
  /** The fields that the member refuses, in its words. */
  fields?: readonly string[];
}

/** What a worker saw of one member object, and how its last write went. */
export interface Observation {
  cluster: string;
  ref: ObjectRef;
  /** Undefined: it is not there. */
  present?: {
    uid: string;
    /** Hash annotation: what was applied last. */
    hash?: string;
    /** The hub object that its owner annotation names. */
    owner?: OwnerRef;
    /** creationTimestamp, RFC 3339, by the member's clock. */
    createdAt?: string;
    /** Its `managedFields` show that Meridian applied its marks: without that it may be taken up again, and never removed. */
    proven: boolean;
    /** What the copy itself says should become of it when the hub has forgotten it. Without it: `Delete`. */
    policy?: "Orphan";
    /** The resourceVersion of its owner on the hub when it was written last. */
    hubVersion?: string;
    deleting: boolean;
    /** How it has come to its end for good. */
    ended?: End;
    /** The work that it does ({@link DesiredObject.run}), as far as the worker knows. */
    run?: string;
    /** While it is being deleted: what holds it, if anything does. */
    finalizers?: readonly string[];
    health: Health;
    /** What controllers of the member say of it, where that is shown. */
    conditions?: readonly MemberCondition[];
    /** Where it can be reached. */
    addresses?: readonly MemberAddress[];
    /** The images of its containers, as it stands there. */
    images?: readonly string[];
    /** Its status, where that is asked for and is not too large. */
    status?: Readonly<Record<string, unknown>>;
    /** The status speaks of an older generation of the copy. */
    isStatusOld?: true;
    /** A ConfigMap or Secret whose content cannot be changed. */
    immutable?: true;
    /** Of a Secret. */
    secretType?: string;
    /** Hashes of what this life of a dependency could not become, since it is immutable in part. */
    refused?: readonly string[];
  };
  /** The hash of the Apply row that it was compared with and found equal to: hash right and every leaf ours. */
  inSyncWith?: string;
  /** The work that the row asks for was seen at its end, whether or not anything is left of the object. */
  ended?: EndedRun;
  /** A write is under way: until it has ended, nobody knows what is there. */
  writing: boolean;
  failure?: Failure;
  /** The last time that what others had done to it was put right. */
  healed?: Heal;
  /** Placeholders that are left to the field managers that fill them in. */
  givenUp?: readonly LostField[];
  /**
   * It is not there, and that is certain although the watch, which sees only what has our label, is no proof: this worker removed it and saw
   * it go, or looked for it by its name. Said only while there is a row that does not want it there.
   */
  absent?: true;
  /**
   * Nothing is seen of it, and something may be there all the same: it was seen before, or a write of it was not refused. Said only while there is
   * a row that is to make certain of it.
   */
  mayBeThere?: true;
  /** The revision of the last row that the worker took for it; 0 when it never had one. */
  revision: number;
}

/** A run that was seen at its end on a cluster. */
export interface EndedRun {
  run: string;
  end: End;
  /** Its status then, where that is asked for and is not too large. */
  status?: Readonly<Record<string, unknown>>;
}

/** What has to be known of a cluster before anything is removed there. */
export interface ClusterFacts {
  /** Every object of ours there is known, but for those of the kinds in `unseen`, and the cluster answers. */
  synced: boolean;
  /** What cannot be read there, by `sightOf`, and why. */
  unseen?: ReadonlyMap<string, string>;
  /** Its MemberCluster is being deleted; what is there is let go of, or is taken away. */
  leaving?: "Keep" | "Drain";
  /** Why nothing goes there. */
  held?: Why;
  /** The only namespaces that Meridian may remove anything from there; undefined: everything. */
  namespaces?: readonly string[];
}

/** Something that others had done to a member object was put right. */
export interface Heal {
  /** Epoch milliseconds. */
  at: number;
  /** The fields that were put back; empty where the whole object was. */
  lost: readonly LostField[];
  /** The object was gone. */
  gone: boolean;
  /** Somebody undoes it each time, so that it is done less and less often. */
  contested: boolean;
}

/** What has to be known before anything is removed. */
export interface RemovalFacts {
  /** The hub object whose copies these are; the last life that is known when it is gone. */
  owner: OwnerRef;
  /** Undefined when nobody on the hub knows any more: then each copy says itself what becomes of it. */
  policy: DeletionPolicy | undefined;
  /** Why it is to go: NotSelected, ObjectDeleted, ObjectGone. */
  cause: Why;
  hub: {
    synced: boolean;
    /** Too much vanished from the hub at once. */
    deletionsHeld: boolean;
    /** Every object that was there at the start, and that could want something in this namespace, has been planned. */
    planned: boolean;
  };
  /** Whose the copies are: this manager's to remove; another class's; or not confirmed yet by the hub itself. */
  ownership: "Ours" | "OtherClass" | "Unconfirmed";
  /** Why nothing of the object goes anywhere: its kind is itself being deleted. */
  held?: Why;
  /** The object went by its own TTL: copies whose work has not come to its end stay until it has. */
  awaitsEnd?: true;
  /** What the object is made of goes in phases. */
  inPhases?: true;
  /** Names of definitions that a person agrees to have removed though objects of theirs exist ({@link ALLOW_CRD_REMOVAL_ANNOTATION}). */
  agreed?: string;
  /** Of the clusters where copies are. A cluster that is missing here has no MemberCluster. */
  clusters: ReadonlyMap<string, ClusterFacts>;
  /**
   * `cluster/refKey` of dependencies that an object of another manager, or another object here, needs. Asked only of copies that nothing
   * else keeps.
   */
  neededByOthers: Pick<ReadonlySet<string>, "has">;
  /** `cluster/refKey` of dependencies that have refused a change, and that another manager has a part in. */
  othersCopies: ReadonlySet<string>;
  /** Clusters on which a dependency of the object is being made anew, by the rows that it has. */
  replacing: ReadonlySet<string>;
  /**
   * `cluster/refKey` of copies that are older than the membership of their cluster, and that nothing was asked for since: a person may have
   * let go of them when the cluster left before.
   */
  foundOnJoin: ReadonlySet<string>;
}

/** Which clusters wait for their turn; without it every cluster gets the target. */
export interface RolloutState {
  /** They have the last good revision, and keep what else is there. */
  waiting: ReadonlySet<string>;
  /** They have had the new revision and get the last good one back: what that does not have goes. */
  returning?: ReadonlySet<string>;
  /** What is there stays as it is. */
  kept?: ReadonlySet<string>;
}

export interface StepInput {
  /** Undefined: the object is being deleted or is gone; everything of it is unwanted. */
  target: Target | undefined;
  /** The last target that was carried out everywhere: what a waiting cluster keeps and heals. */
  lastGood?: Target;
  rollout?: RolloutState;
  /** Of this hub object: copies that name it as their owner, and those that its rows ask for. In any order. */
  observations: readonly Observation[];
  removal: RemovalFacts;
}

export interface StepResult {
  /** By cluster; within one, what the target says in its order, and then the rest by {@link refKey}. */
  rows: Row[];
  /** Epoch milliseconds. */
  recheckAt?: number;
}
