import type {
  FederatedStatus,
  KubeObject,
  ObjectRef,
  ObjectSetting,
  OverridePolicy,
  Placement,
} from "../apis/index.ts";
import type { Dependency, ReplicaPaths } from "../interpreter/index.ts";
import type { RoomReading } from "../scheduler/index.ts";
import type { ClusterSnapshot, Subject } from "../scheduler/types.ts";
import type { Contacts } from "./failover/index.ts";
import { type NamespaceTerms } from "./podSecurity/index.ts";
import type { DependencyHashes, Why } from "./types.ts";

/** Everything that a target depends on: values of one moment. */
export interface Snapshot {
  object: KubeObject;
  /** What policies select the object by, beside what it is itself. */
  setting?: ObjectSetting;
  placements: readonly Placement[];
  overrides: readonly OverridePolicy[];
  /** In any order; sorting is saved where they come sorted by name. */
  clusters: readonly ClusterSnapshot[];
  /** Which placement is chosen, where that is known already. */
  choice?: PlacementChoice;
  /** What the object needs beside it, and what that needs in its turn, where that is known already. */
  needs?: Needs;
  /** The dependencies that exist on the hub, by {@link refKey}. */
  dependencies: ReadonlyMap<string, KubeObject>;
  /** Dependencies of which nobody knows whether they exist, since Meridian may not read them on the hub, by {@link refKey}. */
  unreadable?: ReadonlySet<string>;
  /** Where objects of this kind keep their replicas, by the scale subresource of the CRD on the hub. */
  scale?: ReplicaPaths;
  /** Of a revision: hashes of what went along with it then. */
  recordedHashes?: DependencyHashes;
  /**
   * Of a revision: the cluster-scoped override policies of now. What those of then give beyond the namespace's terms goes to a member only
   * where these give it too: an administrator may have taken it back since.
   */
  presentOverrides?: readonly OverridePolicy[];
  /** UID of the hub's kube-system namespace. */
  hubId: string;
  /** What the object's namespace on the hub allows; without it, what a namespace does that says nothing. */
  terms?: NamespaceTerms;
  /** What the object's status says now: where it runs. */
  previous: FederatedStatus | undefined;
  /**
   * Names of clusters of the record on which member objects of it have been seen. The status may be older than that; without this field only
   * the status counts.
   */
  running?: ReadonlySet<string>;
  /** Copies that members hold of the object while the hub has no record of where it runs ({@link FoundCopy}). */
  found?: readonly FoundCopy[];
  /** How much room clusters have, as far as that was measured; without it nobody measures. Read only where replicas are divided by room. */
  rooms?: { get(cluster: string): RoomReading | undefined };
  /** The replicas that clusters were given last, where that is known better than from the status. Asked only where they are divided by room. */
  held?: () => NonNullable<Subject["held"]>;
  /** What this process has found of clusters itself; without it the conditions of MemberClusters are believed, however old they are. */
  contacts?: Contacts;
  /** When it is the object's turn to leave a lost cluster, epoch milliseconds, where the placement bounds how many do in a minute. */
  turnAt?: number;
}

/**
 * A copy that names the object as its owner, and of which no record of the hub tells: the object was applied again after the hub had lost it, or somebody
 * removed its status. That the copy is there is the member's word alone.
 */
export interface FoundCopy {
  cluster: string;
  ref: ObjectRef;
  /** That the copy asks for; undefined for kinds without replicas. */
  replicas?: number;
  /** The copy is older than the membership of its cluster: a person may have let go of it. It is taken up where the object is placed, and kept nowhere. */
  beforeJoin?: true;
}

/** The policy that places an object, and those that it goes before. */
export interface PlacementChoice {
  /** Undefined when no policy selects the object. */
  placement: Placement | undefined;
  passedOver: { placement: Placement; because: string }[];
}

/** What an object needs beside it on a member. */
export interface Needs {
  /** Each object once. */
  dependencies: readonly Dependency[];
  /** Set where the policy's declaration does not fit the object: what cannot be found out goes nowhere. */
  problem?: Why;
}
