import type { PlacementSpec, Taint } from "../apis/index.ts";

/** Taint with the time since when it was seen (epoch milliseconds). Without `since`, `timeAdded` counts. */
export interface ClusterTaint extends Taint {
  since?: number;
}

/** Facts of a cluster that a decision may use. */
export interface ClusterSnapshot {
  name: string;
  labels: Record<string, string>;
  provider?: string;
  /** From the labels `topology.kubernetes.io/region` and `zone`. */
  region?: string;
  zone?: string;
  taints: ClusterTaint[];
  /** The cluster is being deleted: it takes nothing new and keeps nothing. */
  deleting: boolean;
  /**
   * The cluster is being deleted, and nobody has decided about its objects yet: it takes nothing new and keeps what it
   * has.
   */
  undecided?: true;
  local: boolean;
  /** Namespaces whose objects the cluster takes; undefined: every object. */
  namespaces?: readonly string[];
  /** Ready condition and the time of its last change (epoch milliseconds); undefined: not reported yet. */
  ready?: { status: "True" | "False" | "Unknown"; since: number };
  /** `group/version` of every served API; undefined: not known. */
  apis?: ReadonlySet<string>;
}

/** The object that is to be placed. */
export interface Subject {
  /**
   * Key of the object, so that different objects give their odd replicas to different clusters. Absent: name order
   * decides.
   */
  key?: string;
  labels: Record<string, string>;
  /** Undefined for cluster-scoped objects. */
  namespace?: string;
  /** Undefined for kinds without replicas. */
  replicas?: number;
  /**
   * Clusters that run the object now, with their replicas if known. NoSchedule taints do not drive the object away from
   * them.
   */
  current: ReadonlyMap<string, number | undefined>;
  /**
   * Clusters of `current` that are known only from copies there, not from a record of the hub. They are preferred among
   * equals, and admit the object only where a new object could go.
   */
  found?: ReadonlySet<string>;
  /** Clusters of `current` on which the whole object has finished. Nothing drives the object away from there. */
  finished?: ReadonlySet<string>;
  /** The object itself is sent to clusters, not other objects rendered from it. */
  sentAsItIs?: boolean;
  /** `group/version` of the objects sent to a cluster; undefined: not known, and not tested. */
  apis?: readonly string[];
  /**
   * Clusters that the object has to leave and may not enter, with the reason (failover, a drain). A filter refuses them
   * with this reason. Absent or empty: no cluster is refused.
   */
  evicted?: ReadonlyMap<string, Eviction>;
  /**
   * Further replicas that fit, by cluster. No entry: the room is being measured, and the object waits for the result.
   * Absent: nobody measures. Used only if the placement divides by room.
   */
  room?: { get(cluster: string): ClusterHeadroom | undefined };
  /**
   * Last assigned replicas by cluster, where they are known better than from `current`. Used only if the placement
   * divides by room.
   */
  held?: { get(cluster: string): number | undefined };
  /** Most replicas that may stay, for clusters that replicas have to leave because their pods find no node. */
  leaving?: ReadonlyMap<string, number>;
  /** Affinity group that the object is in; undefined: the first group with a cluster that runs the object. */
  currentGroup?: string;
  /** Earliest time (epoch milliseconds) at which the object may return to an earlier group. */
  returnNotBefore?: number;
}

/** Further replicas that fit on a cluster, or why nobody knows. */
export type ClusterHeadroom = { fits: number } | { reason: string; message: string; remedy?: string };

/** Why an object has to leave a cluster. */
export interface Eviction {
  /** CamelCase code. */
  reason: string;
  message: string;
  /** Change that would let the object go to the cluster. */
  remedy?: string;
}

/** One filter's or scorer's result for one cluster. */
export interface Answer {
  fits: boolean;
  /** CamelCase code. */
  reason: string;
  message: string;
  /** Change that would make the cluster fit; only for refusals. */
  remedy?: string;
}

/** One step of a decision about one cluster. Clusters with equal answers share the value: treat as frozen. */
export interface Step extends Answer {
  stage: "filter" | "score" | "select" | "divide";
  /** Name of the filter or other test. */
  name: string;
  /** Set by the stage `score`. */
  score?: number;
}

/** Why a cluster was chosen or not; one for every cluster. */
export interface Verdict {
  cluster: string;
  fits: boolean;
  /**
   * CamelCase code: Selected, NotInAffinity, LabelKeyMissing, Excluded, UnknownCluster (a policy names a cluster that
   * does not exist), TaintNotTolerated, ClusterDeleting, NamespaceNotGranted, ClusterNotReady, ApiNotServed,
   * TopologyKeyMissing, SpreadNotMet, BeyondMaxGroups, BeyondClusterCount, NoRoom, NoReplicas, RoomNotMeasured. With
   * several refusals, the code of the first.
   */
  reason: string;
  message: string;
  /** Change that would make the cluster fit; only for refusals. */
  remedy?: string;
  /**
   * All steps in order: every filter, also after the first refusal, then the later stages if no filter refuses. With
   * several affinity groups, the steps of the group that decided. Empty for a cluster that does not exist.
   */
  steps: readonly Step[];
}

export interface Decision {
  /** Name of the affinity group in use. */
  group?: string;
  /** Chosen clusters by name, sorted by name. `replicas` is set in Divided mode. */
  clusters: { name: string; replicas?: number }[];
  /** Sorted by cluster. */
  verdicts: Verdict[];
  /**
   * Epoch milliseconds at which time alone may change the answer: the end of a toleration, or a return to an earlier
   * group.
   */
  recheckAt?: number;
  /** Requests of the placement that the decision does not meet, one sentence each, for the status of the policy. */
  notes?: string[];
  /** Replicas that no cluster may take because every cluster in use is at its maximum. Absent: none. */
  unplaced?: number;
  /** Earlier group that fits again, and the time (epoch milliseconds) at which the object returns to it. */
  returning?: { group: string; at: number };
  /** Set if the replicas are divided by room. */
  room?: HeadroomAsked;
}

/** Room facts of a decision that divides by room. */
export interface HeadroomAsked {
  /** Clusters whose room counted, sorted by name. */
  clusters: readonly string[];
  /** More room, or a first measurement, may change the decision. */
  awaited: boolean;
  /** Replicas that find no room on their cluster, or have no cluster. */
  unhoused: number;
  /** Replicas that each cluster gets beyond those that it was given last. */
  added: ReadonlyMap<string, number>;
  /** The decision waits for the replica count of some cluster. */
  uncounted?: true;
  /** Replicas that leave each cluster because their pods find no node there. Absent: none. */
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
