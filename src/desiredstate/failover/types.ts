import type { PlacementSpec } from "../../apis/index.ts";
import type { ClusterSnapshot, Eviction } from "../../scheduler/types.ts";

export type FailoverRules = NonNullable<PlacementSpec["failover"]>;

export type DepartureReason = "ClusterLost" | "ObjectUnhealthy";

/** An object left a cluster and has not returned; kept in the object's `status.departures`. */
export interface Departure {
  cluster: string;
  reason: DepartureReason;
  at: string;
}

export interface FailoverInput {
  rules: FailoverRules;
  clusters: readonly ClusterSnapshot[];
  current: { has(name: string): boolean };
  departures: readonly Departure[];
  /** Since when (epoch milliseconds) the object is unhealthy, on clusters that answer. */
  unhealthySince: ReadonlyMap<string, number>;
  /** This process's own contact with clusters. Undefined: every loss in the hub's conditions counts. */
  contacts?: Contacts | undefined;
  /** The object's turn to leave a lost cluster, in epoch milliseconds. Undefined: as soon as the clock has run down. */
  turnAt?: number | undefined;
}

/** Contact of this process with clusters, as far as it has tried. */
export interface Contacts {
  isLost(cluster: string): boolean;
  isReached(cluster: string): boolean;
}

/** Result of the clocks at one moment. */
export interface FailoverPlan {
  due: readonly Departure[];
  /** Clusters that the object has left and may not return to yet. */
  barred: ReadonlyMap<string, Eviction>;
  departures: readonly Departure[];
  /** Clusters that the object leaves when a clock has run down (`at`, epoch milliseconds). */
  leaving: readonly { cluster: string; reason: DepartureReason; since: number; at: number; waitsForTurn?: true }[];
  /** Clusters whose clock has run down and that this process has not tried yet: the hub's conditions may be out of date. */
  untried: readonly string[];
  /** Clusters to which the object may return, and when (`at`, epoch milliseconds). */
  returning: readonly { cluster: string; at: number }[];
  /** Clusters that the object would leave because it is unhealthy there, if another cluster were likely to help. */
  incurable: readonly string[];
  /** Nothing moves, because too many clusters are lost at once. */
  held?: { lost: readonly string[]; of: number };
  /** Epoch milliseconds at which time alone may change the answer; infinity: never. */
  recheckAt: number;
}
