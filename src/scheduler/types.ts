import type { PlacementSpec, Taint } from "../apis/index.ts";

/** A taint, and since when it is there (epoch milliseconds) where that was seen; else `timeAdded` says it. */
export interface ClusterTaint extends Taint {
  since?: number;
}

/** What a decision may know of a cluster. */
export interface ClusterSnapshot {
  name: string;
  labels: Record<string, string>;
  provider?: string;
  /** From the labels `topology.kubernetes.io/region` and `zone`. */
  region?: string;
  zone?: string;
  taints: ClusterTaint[];
  /** Being deleted: takes nothing new and keeps nothing. */
  deleting: boolean;
  /** Being deleted, and nobody has said yet what becomes of what runs there: takes nothing new and keeps what it has. */
  undecided?: true;
  local: boolean;
  /** The only namespaces that it takes objects of; undefined: every object. */
  namespaces?: readonly string[];
  /** Its Ready condition, and since when (epoch milliseconds) it says so; undefined: nothing has been said of it yet. */
  ready?: { status: "True" | "False" | "Unknown"; since: number };
  /** `group/version` of every API that it serves; undefined: not known. */
  apis?: ReadonlySet<string>;
}

/** The object that is to be placed. */
export interface Subject {
  /** Names the object among all others, so that not every object gives its odd replicas to the same clusters. Absent: the order of names decides. */
  key?: string;
  labels: Record<string, string>;
  /** Undefined for cluster-scoped objects. */
  namespace?: string;
  /** Undefined for kinds without replicas. */
  replicas?: number;
  /** Clusters that run it now, with their replicas as far as they are known; they stay through NoSchedule taints. */
  current: ReadonlyMap<string, number | undefined>;
  /**
   * Clusters of `current` of which no record of the hub says that they run the object: copies there say so themselves. They are preferred among equals,
   * and admit the object only where a new object could go.
   */
  found?: ReadonlySet<string>;
  /** Clusters of `current` on which all of the object has come to its end: nothing drives it away from there. */
  finished?: ReadonlySet<string>;
  /** What goes to a cluster is the object itself, and no other that Meridian makes of it. */
  sentAsItIs?: boolean;
  /** `group/version` of what goes to a cluster; undefined: not known, and not asked for. */
  apis?: readonly string[];
  /**
   * Clusters that the object has to leave and may not go to, and why: failover, a drain. A filter refuses them with these words. Absent or
   * empty: there are none, and nothing is asked.
   */
  evicted?: ReadonlyMap<string, Eviction>;
  /**
   * By cluster, how many more replicas find room there. No entry: that is being measured, and the object waits for it. Absent: nobody measures it.
   * Read only where the placement divides by room.
   */
  room?: { get(cluster: string): ClusterRoom | undefined };
  /** Replicas that clusters were given last, where that is known better than from `current`. Read only where the placement divides by room. */
  held?: { get(cluster: string): number | undefined };
  /** Clusters that replicas have to leave since they find no node there, with the most that may stay. */
  leaving?: ReadonlyMap<string, number>;
  /** The affinity group that the object is in; undefined: the first that takes a cluster which runs it. */
  currentGroup?: string;
  /** Before this moment (epoch milliseconds) the object does not return to a group that comes before its own. */
  returnNotBefore?: number;
}

/** How many more replicas find room on a cluster, or why nobody knows. */
export type ClusterRoom = { fits: number } | { reason: string; message: string; remedy?: string };

/** Why an object has to leave a cluster. */
export interface Eviction {
  /** CamelCase code. */
  reason: string;
  message: string;
  /** What would have to change so that the object may go there. */
  remedy?: string;
}

/** What one question about one cluster was answered with. */
export interface Answer {
  fits: boolean;
  /** CamelCase code. */
  reason: string;
  message: string;
  /** Of a refusal: what would have to change so that the cluster fits. */
  remedy?: string;
}

/** One step of a decision about one cluster. Shared between clusters that were answered alike: treat as frozen. */
export interface Step extends Answer {
  stage: "filter" | "score" | "select" | "divide";
  /** Of the filter, or of whatever else was asked. */
  name: string;
  /** Set by the stage `score`. */
  score?: number;
}

/** Why a cluster was chosen or not; one for every cluster. */
export interface Verdict {
  cluster: string;
  fits: boolean;
  /**
   * CamelCase code: Selected, NotInAffinity, LabelKeyMissing, Excluded, UnknownCluster (a policy names a cluster that is
   * not there), TaintNotTolerated, ClusterDeleting, NamespaceNotGranted, ClusterNotReady, ApiNotServed, TopologyKeyMissing, SpreadNotMet,
   * BeyondMaxGroups, BeyondClusterCount, NoRoom, NoReplicas, RoomNotMeasured. Of several refusals that of the first step.
   */
  reason: string;
  message: string;
  /** Of a refusal: what would have to change so that the cluster fits. */
  remedy?: string;
  /**
   * Every step in the order in which they were taken: all filters, also after the first refusal, and of clusters that no filter refuses the
   * later stages. Of several affinity groups those of the group that decided. Empty for a cluster that is not there.
   */
  steps: readonly Step[];
}

export interface Decision {
  /** Name of the affinity group that was used. */
  group?: string;
  /** Chosen clusters by name, sorted by name. `replicas` is set in Divided mode. */
  clusters: { name: string; replicas?: number }[];
  /** Sorted by cluster. */
  verdicts: Verdict[];
  /** Epoch milliseconds at which time alone may change the answer (tolerationSeconds). */
  recheckAt?: number;
  /** What the placement asks for and this decision did not give, one sentence each: for the status of the policy. */
  notes?: string[];
  /** Replicas that no cluster may take, since each that gets any has its most. Absent: none are left over. */
  unplaced?: number;
  /** A group that comes before the one in use fits again, and is returned to at this moment (epoch milliseconds). */
  returning?: { group: string; at: number };
  /** Set where the replicas are divided by room. */
  room?: RoomAsked;
}

/** Of a decision that goes by the room of clusters. */
export interface RoomAsked {
  /** The clusters whose room counted, sorted by name. */
  clusters: readonly string[];
  /** More room somewhere, or a first measurement, may change the decision. */
  awaited: boolean;
  /** Replicas that find no room where they are placed, or have no place. */
  unhoused: number;
  /** Replicas that clusters get beside those that they were given last. */
  added: ReadonlyMap<string, number>;
  /** How many replicas run on some cluster is not known, and waited for. */
  uncounted?: true;
  /** Replicas that leave clusters, since their pods find no node there. Absent: none do. */
  left?: ReadonlyMap<string, number>;
}

/** The parts of a placement that a decision reads. */
export type PlacementRules = Pick<
  PlacementSpec,
  | "clusterAffinities"
  | "clusterPreferences"
  | "clusterCount"
  | "tolerations"
  | "replicaScheduling"
  | "spreadConstraints"
> & { failover?: Pick<NonNullable<PlacementSpec["failover"]>, "returnAfter"> | undefined };
