import type { PlacementSpec, Taint } from "../apis/index.ts";

/** Taint with the time since when it was seen (epoch milliseconds). Without `since`, `timeAdded` counts. */
export interface ClusterTaint extends Taint {
  since?: number;
}

export interface ClusterSnapshot {
  name: string;
  labels: Record<string, string>;
  provider?: string;
  /** From the labels of Kubernetes. */
  region?: string;
  zone?: string;
  taints: ClusterTaint[];
  /** A cluster that is being deleted takes nothing new and keeps nothing. */
  deleting: boolean;
  /** Being deleted, and nobody has decided about its objects yet: it takes nothing new and keeps what it has. */
  undecided?: true;
  local: boolean;
  /** Namespaces whose objects the cluster takes; undefined: every object. */
  namespaces?: readonly string[];
  /** Ready condition and the time of its last change (epoch milliseconds). */
  ready?: { status: "True" | "False" | "Unknown"; since: number };
  /** `group/version` of every served API; undefined: not known. */
  apis?: ReadonlySet<string>;
}

export interface Subject {
  /** So that different objects give their odd replicas to different clusters. Absent: name order decides. */
  key?: string;
  labels: Record<string, string>;
  namespace?: string;
  replicas?: number;
  /** Clusters that run the object now, with their replicas if known. */
  current: ReadonlyMap<string, number | undefined>;
  /**
   * Clusters of `current` known only from copies there, not from a record of the hub. Preferred among equals, they
   * admit the object only where a new object could go.
   */
  found?: ReadonlySet<string>;
  /** Clusters of `current` on which the whole object has finished. Nothing drives it away from there. */
  finished?: ReadonlySet<string>;
  /** The object itself is sent, not objects rendered from it. */
  sentAsItIs?: boolean;
  /** `group/version` of the objects sent to a cluster; undefined: not known, and not tested. */
  apis?: readonly string[];
  /** Clusters that the object has to leave and may not enter (failover, a drain). */
  evicted?: ReadonlyMap<string, Eviction>;
  /** Room by cluster. No entry: it is being measured, and the object waits. Absent: nobody measures. */
  room?: { get(cluster: string): ClusterHeadroom | undefined };
  /** Last assigned replicas by cluster, where known better than from `current`. Used for divisions by room. */
  held?: { get(cluster: string): number | undefined };
  /** Most replicas that may stay where pods find no node. */
  leaving?: ReadonlyMap<string, number>;
  /** Undefined: the first group with a cluster that runs the object. */
  currentGroup?: string;
  /** Earliest return to an earlier group, epoch milliseconds. */
  returnNotBefore?: number;
}

/** Further replicas that fit on a cluster, or why nobody knows. */
export type ClusterHeadroom = { fits: number } | { reason: string; message: string; remedy?: string };

export interface Eviction {
  /** CamelCase code. */
  reason: string;
  message: string;
  /** Change that would let the object go to the cluster. */
  remedy?: string;
}

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
  name: string;
  score?: number;
}

/** Why a cluster was chosen or not; one for every cluster. */
export interface Verdict {
  cluster: string;
  fits: boolean;
  /** CamelCase code of the first refusal, or of the last step. */
  reason: string;
  message: string;
  /** Change that would make the cluster fit; only for refusals. */
  remedy?: string;
  /**
   * Every filter, also after the first refusal, then the later stages if none refuses. Of several affinity groups,
   * those of the group that decided.
   */
  steps: readonly Step[];
}

export interface Decision {
  /** Affinity group in use. */
  group?: string;
  /** Chosen clusters by name, sorted by name. `replicas` is set in Divided mode. */
  clusters: { name: string; replicas?: number }[];
  /** Sorted by cluster. */
  verdicts: Verdict[];
  /** Epoch milliseconds at which time alone may change the answer. */
  recheckAt?: number;
  /** Unmet requests of the placement, one sentence each, for the status of the policy. */
  notes?: string[];
  /** Replicas without a place, since every cluster in use is at its maximum. */
  unplaced?: number;
  /** Earlier group that fits again, and when the object returns to it (epoch milliseconds). */
  returning?: { group: string; at: number };
  room?: HeadroomAsked;
}

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

export type PlacementRules = Pick<
  PlacementSpec,
  | "clusterAffinities"
  | "clusterPreferences"
  | "clusterCount"
  | "tolerations"
  | "replicaScheduling"
  | "spreadConstraints"
> & { failover?: Pick<NonNullable<PlacementSpec["failover"]>, "returnAfter"> | undefined };
