import type { PlacementSpec, RolloutStatus } from "../apis/index.ts";

/** Rollout section of a placement. */
export type RolloutPolicy = NonNullable<PlacementSpec["rollout"]>;
export type RolloutStage = NonNullable<RolloutStatus["stages"]>[number];
export type RolloutCluster = NonNullable<RolloutStage["clusters"]>[number];
export type RunState = RolloutStatus["state"];
export type PauseReason = Exclude<RolloutStatus["reason"], "" | undefined>;
export type RolloutClusterState = RolloutCluster["state"];

/** Facts of one cluster, from observations alone. */
export interface RolloutFacts {
  name: string;
  /** Stage that takes the cluster; undefined if no stage of the policy does. */
  stage: string | undefined;
  /** The new revision has the object on this cluster. */
  wanted: boolean;
  /** The last good revision has the object on this cluster. */
  kept: boolean;
  /** Meridian is in contact with the cluster and has observed its copy. */
  inContact: boolean;
  /** The copy is the new revision and no write is under way. On a cluster that is no longer wanted: no copy is left. */
  onTarget: boolean;
  /** Like `onTarget`, for the last good revision. */
  onLastGood: boolean;
  /**
   * Revision that was applied last, in sync or not. `LastGood` also if both revisions are equal on this cluster, or if
   * there is no copy and the last good revision has none either. `Nothing`: the copy is missing.
   */
  runs: "Target" | "LastGood" | "Other" | "Nothing";
  health: RolloutHealth;
  /**
   * Health by the last good revision alone, for work that has finished by it. The new revision may contain other work,
   * which failed.
   */
  healthOfLastGood?: RolloutHealth;
  /** Why the new revision cannot be written to the cluster. */
  error?: string;
  /** Why the last good revision cannot be written to the cluster. */
  errorOfLastGood?: string;
}

export interface RolloutHealth {
  state: "Available" | "Progressing" | "Failed" | "Unknown";
  /** Available and requested replicas; both 0 for kinds without replicas. */
  available: number;
  desired: number;
  /** CamelCase code of the problem. */
  reason?: string;
}

/** Commands of people. Each is idempotent and applies to one revision; commands for earlier revisions do not count. */
export interface RolloutCommands {
  paused: boolean;
  /** Revision to abort. */
  abort?: number;
  /** Time of the last resume command for a run that paused by itself, RFC 3339. Obeyed once. */
  resumedAt?: string;
  /** Approver by stage. */
  approvals: ReadonlyMap<string, string>;
  /** Nobody could approve in another person's name; absent: somebody could. */
  areApproversVerified?: boolean;
  /** Some approvals have the format of an earlier release and do not count. */
  hasOldApprovals?: boolean;
}

/** Answer of a stage's external gate. */
export type GateAnswer = "Passed" | "Failed" | "Unknown";

export interface RolloutInput {
  policy: RolloutPolicy;
  /** `status.rollout` of the object. */
  current: RolloutStatus | undefined;
  /** Wanted revision; equal content has one number. */
  revision: number;
  /** Clusters that the wanted or the last good revision names, or that have a copy, sorted by name. */
  clusters: readonly RolloutFacts[];
  commands: RolloutCommands;
  /** Answers by stage; no entry: not asked yet. */
  gates: ReadonlyMap<string, GateAnswer>;
  /** Why nobody can tell whether a gate has passed, by stage. */
  gateProblems?: ReadonlyMap<string, string>;
  /** Why a return to the last good revision is impossible; absent: it is possible. A sentence for the status. */
  lastGoodUnusable?: string;
  /**
   * Why the run does not start yet, or does not go on after it yielded its turn: the policy bounds how many objects
   * roll out at once. A sentence for the status.
   */
  waitsForTurn?: string;
  /**
   * Contact and observations of some cluster of the run are not known yet, as after a restart of the manager. Nothing
   * moves until they are: a deadline that ended in the meantime proves nothing.
   */
  awaitsContact?: boolean;
}

/** Revision that a cluster gets: the new one, the last good one, or its present one, untouched. */
export type Turn = "Target" | "LastGood" | "Keep";

/** Change of the run, of a stage or of a cluster. Each is one Event and one count of a metric. */
export interface Transition {
  of: "Run" | "Stage" | "Cluster";
  /** Name of the stage or cluster. */
  name?: string;
  from: string;
  to: string;
  reason?: string;
  revision: number;
}

export interface Advance {
  /** Value for `status.rollout`; the same value as before if nothing changed. */
  status: RolloutStatus;
  /** Turns by cluster; a missing cluster gets `others`. */
  turns: ReadonlyMap<string, Turn>;
  others: Turn;
  transitions: readonly Transition[];
  /** Stages whose external gate has to be asked now. */
  asks: readonly string[];
  /** Epoch milliseconds at which time alone changes something. */
  recheckAt?: number;
}
