import type { PlacementSpec } from "../../apis/index.ts";
import type { ClusterSnapshot, Eviction } from "../../scheduler/types.ts";

/** What a placement says of failover. */
export type FailoverRules = NonNullable<PlacementSpec["failover"]>;

/** Why an object left a cluster. */
export type DepartureReason = "ClusterLost" | "ObjectUnhealthy";

/** An object left a cluster and has not returned: as `status.departures` of the object keeps it. */
export interface Departure {
  cluster: string;
  reason: DepartureReason;
  /** When it left, RFC 3339. */
  at: string;
}

export interface FailoverInput {
  rules: FailoverRules;
  /** Sorted by name. */
  clusters: readonly ClusterSnapshot[];
  /** Clusters that run the object now. */
  current: { has(name: string): boolean };
  /** What the object left before. */
  departures: readonly Departure[];
  /** Since when (epoch milliseconds) the object is unhealthy on clusters that answer. */
  unhealthySince: ReadonlyMap<string, number>;
  /** What this process knows of the losses itself; without it each that the hub tells of counts. */
  contacts?: Contacts | undefined;
  /** When it is the object's turn to leave a lost cluster, epoch milliseconds; without it, as soon as the clock has run down. */
  turnAt?: number | undefined;
}

/** Whether the process that decides has tried to reach clusters itself. */
export interface Contacts {
  /** It has tried, and the cluster does not answer. */
  isLost(cluster: string): boolean;
  /** It has tried, and the cluster answers. */
  isReached(cluster: string): boolean;
}

/** What the clocks of one moment say. */
export interface FailoverPlan {
  /** Clusters that the object is to leave now, if there is another to go to. */
  due: readonly Departure[];
  /** Clusters that the object has left and may not return to yet. */
  barred: ReadonlyMap<string, Eviction>;
  /** The departures that still count: the cluster may not be returned to yet. */
  departures: readonly Departure[];
  /** Clusters that the object leaves when a clock has run down (`at`, epoch milliseconds). */
  leaving: readonly { cluster: string; reason: DepartureReason; since: number; at: number; waitsForTurn?: true }[];
  /** Clusters whose clocks have run down and that this process has not tried yet: what the hub says of them may be out of date. */
  untried: readonly string[];
  /** Clusters that the object may return to then. */
  returning: readonly { cluster: string; at: number }[];
  /** Clusters that the object would leave for being unhealthy there, if another one could be expected to help. */
  incurable: readonly string[];
  /** So many clusters are lost at once that nothing moves. */
  held?: { lost: readonly string[]; of: number };
  /** Epoch milliseconds at which time alone may change the answer; infinity: never. */
  recheckAt: number;
}
