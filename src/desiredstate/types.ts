import type { FederatedStatus, KubeObject, ObjectRef, OverridePolicy, OwnerRef, Placement } from "../apis/index.ts";
import type { Health, LostField } from "../interpreter/index.ts";
import type { ClusterSnapshot, Decision } from "../scheduler/types.ts";

/** Everything that a plan depends on: values of one moment. */
export interface Snapshot {
  object: KubeObject;
  placements: readonly Placement[];
  overrides: readonly OverridePolicy[];
  clusters: readonly ClusterSnapshot[];
  /** The dependencies that exist on the hub, by {@link refKey}. */
  dependencies: ReadonlyMap<string, KubeObject>;
  /** Dependencies of which nobody knows whether they exist, since Meridian may not read them on the hub, by {@link refKey}. */
  unreadable?: ReadonlySet<string>;
  /** UID of the hub's kube-system namespace. */
  hubId: string;
  /** What the object's status says now: where it runs. */
  previous: FederatedStatus | undefined;
  /**
   * Names of clusters on which member objects of it have been seen. The status may be older than that, and above 100 clusters it does
   * not name them all; without this field only the status counts.
   */
  running?: ReadonlySet<string>;
}

/** One object as it should be on one cluster. */
export interface DesiredRow {
  cluster: string;
  ref: ObjectRef;
  /** The hub object that it stands for; also in its owner annotation. */
  owner: OwnerRef;
  role: "rendered" | "dependency";
  /**
   * `Apply`: make it so. `Hold`: neither write nor delete (suspended, or no placement says where it belongs now).
   */
  mode: "Apply" | "Hold";
  /** The whole object with Meridian's label and annotations; shared between clusters where it is equal. Treat as frozen. */
  object: KubeObject;
  /** Hash of `object` without its hash annotation. */
  hash: string;
  /** Where something is left to the member: the object with that, and without Meridian's marks. */
  unretained?: KubeObject;
  conflictResolution: "Abort" | "Adopt";
  deletionPolicy: "Delete" | "Orphan";
}

/** What the plan says of one cluster beside its rows. */
export interface ClusterPlan {
  name: string;
  region?: string;
  /** Replicas after division and overrides; undefined when the kind has none. */
  replicas?: number;
  /** A CamelCase reason why nothing is written there (an override that cannot be applied). */
  problem?: { reason: string; message: string };
  /** Something that is missing but does not stop it (DependencyMissing). */
  warning?: { reason: string; message: string };
  held: boolean;
  /** Why this cluster in particular is held (SecretAccessDenied); without it the reason is the object's. */
  heldFor?: { reason: string; message: string };
}

export interface Plan {
  /** The policy that placed it; undefined when none matches. */
  placement?: { kind: string; namespace?: string; name: string };
  /** The override policies that apply somewhere, also where they could not be applied. */
  overrides: { kind: string; namespace?: string; name: string }[];
  decision: Decision;
  /** Why Scheduled is what it is: ClustersSelected, NoPlacement, NoClusterFits, Suspended… */
  scheduled: { status: "True" | "False"; reason: string; message: string };
  clusters: ClusterPlan[];
  rows: DesiredRow[];
  suspended: boolean;
  deletionPolicy: "Delete" | "Orphan";
  /** Epoch milliseconds at which to plan again though nothing changed. */
  recheckAt?: number;
}

/** src/desiredstate exports: computeDesiredState(snapshot, now): Plan. */
export type ComputeDesiredState = (snapshot: Snapshot, now: number) => Plan;

/** A CamelCase code and a sentence of at most 120 characters. */
export interface Why {
  reason: string;
  message: string;
}

export type Role = "rendered" | "dependency";

/** One object as it is to be on a cluster: with Meridian's label and annotations. Shared between clusters where it is equal. Treat as frozen. */
export interface DesiredObject {
  ref: ObjectRef;
  role: Role;
  object: KubeObject;
  /** Hash of `object` without its hash annotation. */
  hash: string;
  /** Where something is left to the member: the object with that, and without Meridian's marks. */
  unretained?: KubeObject;
}

interface RowBase {
  cluster: string;
  ref: ObjectRef;
  /** The hub object that the row stands for; also in the member object's owner annotation. */
  owner: OwnerRef;
  role: Role;
}
/** Make it so. */
export interface ApplyRow extends RowBase, DesiredObject {
  verb: "Apply";
  conflictResolution: "Abort" | "Adopt";
}
/** Neither write nor delete, and why. */
export interface HoldRow extends RowBase {
  verb: "Hold";
  why: Why;
  /** What would be wanted there, where that is known (a frozen cluster). */
  hash?: string;
  /** True: wanted there (frozen or retained). False: to go, and may not yet. */
  wanted: boolean;
}
/** Remove exactly that life of the member object. */
export interface DeleteRow extends RowBase {
  verb: "Delete";
  uid: string;
  why: Why;
}
/** Take Meridian's marks off that life of it, and leave it. */
export interface ReleaseRow extends RowBase {
  verb: "Release";
  uid: string;
  why: Why;
}
export type Row = ApplyRow | HoldRow | DeleteRow | ReleaseRow;

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
    deleting: boolean;
    health: Health;
  };
  /** The hash of the Apply row that it was compared with and found equal to: hash right and every leaf ours. */
  inSyncWith?: string;
  /** A write is under way: until it has ended, nobody knows what is there. */
  writing: boolean;
  failure?: { reason: string; message: string; final: boolean };
  /** The last time that fields which others had changed were put back; epoch milliseconds. */
  healed?: { at: number; lost: readonly LostField[] };
  /** The revision of the last row that the worker took for it; 0 when it never had one. */
  revision: number;
}
