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
}

/** The object that is to be placed. */
export interface Subject {
  labels: Record<string, string>;
  /** Undefined for cluster-scoped objects. */
  namespace?: string;
  /** Undefined for kinds without replicas. */
  replicas?: number;
  /** Clusters that run it now, with their replicas as far as they are known; they stay through NoSchedule taints. */
  current: ReadonlyMap<string, number | undefined>;
  /** What goes to a cluster is the object itself, and no other that Meridian makes of it. */
  sentAsItIs?: boolean;
}

/** What one question about one cluster was answered with. */
export interface Answer {
  fits: boolean;
  /** CamelCase code. */
  reason: string;
  message: string;
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
   * not there), TaintNotTolerated, ClusterDeleting, NamespaceNotGranted, NoReplicas. Of several refusals that of the first step.
   */
  reason: string;
  message: string;
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
}

/** The parts of a placement that a decision reads. */
export type PlacementRules = Pick<
  PlacementSpec,
  "clusterAffinities" | "tolerations" | "replicaScheduling" | "spreadConstraints"
>;
