import type {
  FederatedStatus,
  KubeObject,
  MemberCluster,
  ObjectRef,
  ObjectSetting,
  OverridePolicy,
  Placement,
} from "../../apis/index.ts";
import type { ReplicaPaths } from "../../interpreter/index.ts";
import type { RoomReading } from "../../scheduler/index.ts";
import type { ClusterSnapshot } from "../../scheduler/types.ts";
import type { Contacts } from "../failover/index.ts";
import type { NamespaceTerms } from "../podSecurity/index.ts";
import type { Observation, Row, Target, Why } from "../types.ts";

/**
 * Everything that is known of one hub and its members at one moment. The manager answers from its caches and tables, `meridian plan` from what it
 * has read. Hub objects are named by `refKey` (`owner`). An answer that nobody knows is undefined.
 */
export interface HubState extends StoredState, SeenState, RemovalState {}

/** What stands on the hub. */
export interface StoredState {
  /** UID of the hub's kube-system namespace. */
  readonly hubId: string;
  object(owner: string): KubeObject | undefined;
  /** What Meridian said of the object last: on the object itself, or in its binding. */
  statusOf(object: KubeObject): FederatedStatus | undefined;
  settingOf(object: KubeObject): ObjectSetting;
  /** Where objects of this kind keep their replicas, by the scale subresource of the CRD on the hub. */
  scaleOf(object: KubeObject): ReplicaPaths | undefined;
  /** What the object's namespace allows. */
  termsFor(object: KubeObject): NamespaceTerms | undefined;
  /** The placements among which the one of the object is chosen. */
  placementsFor(object: KubeObject): readonly Placement[];
  allOverrides(): readonly OverridePolicy[];
  /** By name; the same array for the same clusters. */
  clusterSnapshots(): readonly ClusterSnapshot[];
  memberCluster(name: string): MemberCluster | undefined;
  memberClusters(): Iterable<MemberCluster>;
}

/** What was seen of members, and what was decided before. */
export interface SeenState {
  /** Whether members were asked for the copies of the object. Where they were not, only its status says where it runs. */
  isObserved(owner: string): boolean;
  /** The copies that name the object as their owner. */
  naming(owner: string): Iterable<Observation>;
  copy(cluster: string, key: string): Observation | undefined;
  copiesOn(cluster: string): Iterable<Observation>;
  contactOf(cluster: string): ContactFacts;
  /** What was found of clusters directly; undefined: the conditions of MemberClusters are believed. */
  readonly contacts: Contacts | undefined;
  /** How much room clusters have; undefined: nobody has measured. */
  readonly rooms: { get(cluster: string): RoomReading | undefined } | undefined;
  /** When it is the object's turn to leave a lost cluster, epoch milliseconds. */
  turnOf(placement: Placement, perMinute: number, owner: string): number | undefined;
  /** What was planned for the object last; `ours`: by the manager that asks, for an object that it owns. */
  planOf(owner: string): { uid: string | undefined; ours: boolean; target: Target | undefined } | undefined;
  /** The member objects of which the object has a row, with the rows of all objects. */
  cellsOf(owner: string): Iterable<{ cluster: string; key: string; rows: ReadonlyMap<string, Row> }>;
  /** The row that the object has for the member object. */
  rowOf(owner: string, cluster: string, key: string): Row | undefined;
}

/** What removals rest on besides. */
export interface RemovalState {
  /** Everything on the hub is known. */
  readonly synced: boolean;
  /** Too much vanished from the hub at once. */
  readonly deletionsHeld: boolean;
  /** Every object that could want something where that object is has been planned. */
  isKnownAround(owner: string): boolean;
  /** Why nothing is drained from the cluster: the kind MemberCluster is or was being deleted with it. */
  heldWithKind(cluster: MemberCluster): Why | undefined;
  /** Why copies of objects that the hub lacks stay on the cluster. */
  heldAsMissing(cluster: string): Why | undefined;
  /** Objects that ask for the member object, or refer to it and run on the cluster. */
  askersOf(cluster: string, ref: ObjectRef): Iterable<string>;
  /** Whether an object that another controller class owns needs such a member object, on whatever cluster. `owner`: whose copy it is. */
  isNeededByOtherClass(ref: ObjectRef, owner: string): boolean;
}

/** How much is known of what is on a cluster. */
export interface ContactFacts {
  synced: boolean;
  /** All but the kinds in `unseen`. */
  partlySynced?: boolean;
  unseen: ReadonlyMap<string, string>;
}
