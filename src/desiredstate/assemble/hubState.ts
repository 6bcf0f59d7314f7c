import {
  type FederatedStatus,
  type KubeObject,
  type MemberCluster,
  type Message,
  type ObjectRef,
  type ObjectSetting,
  type OverridePolicy,
  type Placement,
} from "../../apis/index.ts";
import type { ReplicaPaths } from "../../interpreter/index.ts";
import type { CapacityReading } from "../../scheduler/index.ts";
import type { ClusterSnapshot } from "../../scheduler/types.ts";
import type { Contacts } from "../failover/index.ts";
import type { NamespaceTerms } from "../podSecurity/index.ts";
import type { Observation, Row, Target, Why } from "../types.ts";

/**
 * Everything known about one hub and its members at one moment. The manager answers from its caches and tables,
 * `meridian plan` from the data that it has read. Hub objects are named by `refKey` (`owner`). Undefined means unknown.
 */
export interface HubState {
  /** UID of the hub's kube-system namespace. */
  readonly hubId: string;
  object(owner: string): KubeObject | undefined;
  /** The status that Meridian wrote last, on the object itself or in its binding. */
  statusOf(object: KubeObject): FederatedStatus | undefined;
  settingOf(object: KubeObject): ObjectSetting;
  /** Paths of the replica fields of the object's kind, from the CRD's scale subresource on the hub. */
  scaleOf(object: KubeObject): ReplicaPaths | undefined;
  termsFor(object: KubeObject): NamespaceTerms | undefined;
  placementsFor(object: KubeObject): readonly Placement[];
  allOverrides(): readonly OverridePolicy[];
  /** Sorted by name; the same array while the clusters are unchanged. */
  clusterSnapshots(): readonly ClusterSnapshot[];
  memberCluster(name: string): MemberCluster | undefined;
  memberClusters(): Iterable<MemberCluster>;

  // Observations of members, and earlier decisions.
  /** True if members were asked for copies of the object. Otherwise only the object's status says where it runs. */
  isObserved(owner: string): boolean;
  naming(owner: string): Iterable<Observation>;
  copy(cluster: string, key: string): Observation | undefined;
  copiesOn(cluster: string): Iterable<Observation>;
  contactOf(cluster: string): ContactFacts;
  /** This process's own contact with clusters; undefined: the conditions of MemberClusters count. */
  readonly contacts: Contacts | undefined;
  readonly capacities: { get(cluster: string): CapacityReading | undefined } | undefined;
  turnOf(placement: Placement, perMinute: number, owner: string): number | undefined;
  /** The last plan of the object. `ours`: made by this manager, for an object that it owns. */
  planOf(owner: string): { uid: string | undefined; ours: boolean; target: Target | undefined } | undefined;
  /** Member objects for which the object has a row, with the rows of all owners. */
  cellsOf(owner: string): Iterable<{ cluster: string; key: string; rows: ReadonlyMap<string, Row> }>;
  rowOf(owner: string, cluster: string, key: string): Row | undefined;

  // Further facts that removals depend on.
  readonly synced: boolean;
  readonly deletionsHeld: boolean;
  /** True if all objects have been planned that could want something in the namespace of `owner`. */
  isKnownAround(owner: string): boolean;
  /** Why nothing is drained from the cluster: the kind MemberCluster itself is or was being deleted. */
  heldWithKind(cluster: MemberCluster): Why | undefined;
  /** Why copies stay on the cluster although the hub lacks their objects. */
  heldAsMissing(cluster: string): Why | undefined;
  askersOf(cluster: string, ref: ObjectRef): Iterable<string>;
  /** True if an object of another controller class needs such a member object on any cluster. */
  isNeededByOtherClass(ref: ObjectRef, owner: string): boolean;
}

export interface ContactFacts {
  synced: boolean;
  /** Synced except for the kinds in `unreadable`. */
  partlySynced?: boolean;
  unreadable: ReadonlyMap<string, Message>;
}
