import type { PlacementSpec, Taint } from "../apis/index.ts";

/** What a decision may know of a cluster. */
export interface ClusterSnapshot {
  name: string;
  labels: Record<string, string>;
  provider?: string;
  /** From the labels `topology.kubernetes.io/region` and `zone`. */
  region?: string;
  zone?: string;
  taints: Taint[];
  /** Being deleted: takes nothing new and keeps nothing. */
  deleting: boolean;
  local: boolean;
}

/** The object that is to be placed. */
export interface Subject {
  labels: Record<string, string>;
  /** Undefined for kinds without replicas. */
  replicas?: number;
  /** Clusters that run it now, with their replicas as far as they are known; they stay through NoSchedule taints. */
  current: ReadonlyMap<string, number | undefined>;
}

/** Why a cluster was chosen or not; one for every cluster. */
export interface Verdict {
  cluster: string;
  fits: boolean;
  /**
   * CamelCase code: Selected, NotInAffinity, LabelKeyMissing, Excluded, UnknownCluster (a policy names a cluster that is
   * not there), TaintNotTolerated, ClusterDeleting, NoReplicas.
   */
  reason: string;
  message: string;
}

export interface Decision {
  /** Name of the affinity group that was used. */
  group?: string;
  /** Chosen clusters by name, sorted by name. `replicas` is set in Divided mode. */
  clusters: { name: string; replicas?: number }[];
  verdicts: Verdict[];
  /** Epoch milliseconds at which time alone may change the answer (tolerationSeconds). */
  recheckAt?: number;
  /** What the placement asks for and this decision did not give, one sentence each: for the status of the policy. */
  notes?: string[];
}

/** The parts of a placement that a decision reads. */
export type PlacementRules = Pick<
  PlacementSpec,
  "clusterAffinities" | "tolerations" | "replicaScheduling" | "spreadConstraints"
>;
