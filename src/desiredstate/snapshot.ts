import type {
  FederatedStatus,
  KubeObject,
  ObjectRef,
  ObjectSetting,
  OverridePolicy,
  Placement,
} from "../apis/index.ts";
import type { Dependency, ReplicaPaths } from "../interpreter/index.ts";
import type { CapacityReading } from "../scheduler/index.ts";
import type { ClusterSnapshot, Subject } from "../scheduler/types.ts";
import type { Contacts } from "./failover/index.ts";
import { type NamespaceTerms } from "./podSecurity/index.ts";
import type { DependencyHashes, Why } from "./types.ts";

export interface Snapshot {
  object: KubeObject;
  /** Facts beside the object itself that policies select by. */
  setting?: ObjectSetting;
  placements: readonly Placement[];
  overrides: readonly OverridePolicy[];
  /** In any order. Sorting by name in advance saves time. */
  clusters: readonly ClusterSnapshot[];
  choice?: PlacementChoice;
  /** The object's dependencies and their dependencies, if already known. */
  needs?: Needs;
  /** The dependencies that exist on the hub, by {@link refKey}. */
  dependencies: ReadonlyMap<string, KubeObject>;
  /** Dependencies that Meridian may not read on the hub, by {@link refKey}: their existence is unknown. */
  unreadable?: ReadonlySet<string>;
  /** Paths of the replica fields of this kind, from the CRD's scale subresource on the hub. */
  scale?: ReplicaPaths;
  /** Only for a revision: dependency hashes recorded with the revision. */
  recordedHashes?: DependencyHashes;
  /** Only for a revision: current cluster-scoped policies. Permissions that these withdrew do not reach a member. */
  presentOverrides?: readonly OverridePolicy[];
  hubId: string;
  /** Permissions of the object's namespace on the hub. Undefined: the permissions of a namespace without annotations. */
  terms?: NamespaceTerms;
  /** The object's present status, which names the clusters that run the object. */
  previous: FederatedStatus | undefined;
  /** Recorded clusters on which member objects were seen. The status may be older. Undefined: only the status counts. */
  running?: ReadonlySet<string>;
  /** Copies that members hold although the hub has no record of them ({@link FoundCopy}). */
  found?: readonly FoundCopy[];
  /** Measured capacity of the clusters; undefined if nobody measures. Read only if replicas are divided by capacity. */
  capacities?: { get(cluster: string): CapacityReading | undefined };
  /** Replicas last given to each cluster, if known better. Called only if replicas are divided by capacity. */
  held?: () => NonNullable<Subject["held"]>;
  /** This process's own contact with clusters. Undefined: the conditions of MemberClusters count, however old they are. */
  contacts?: Contacts;
  /** The object's turn to leave a lost cluster, in epoch milliseconds, if few objects may leave per minute. */
  turnAt?: number;
}

/** A copy that names the object as its owner, but is in no record of the hub: only the member tells of it. */
export interface FoundCopy {
  cluster: string;
  ref: ObjectRef;
  /** Replicas in the spec of the copy; undefined for kinds without replicas. */
  replicas?: number;
  /** The copy is older than its cluster's membership: adopted where the object is placed, and kept nowhere else. */
  beforeJoin?: true;
}

/** The policy that places an object, and the selecting policies with lower precedence. */
export interface PlacementChoice {
  placement: Placement | undefined;
  passedOver: { placement: Placement; because: string }[];
}

/** Dependencies of an object on a member. */
export interface Needs {
  dependencies: readonly Dependency[];
  /** Set if the policy's declaration does not fit the object. An object with unknown dependencies is sent nowhere. */
  problem?: Why;
}
