import type { PlacementSpec, RolloutStatus } from "../apis/index.ts";

/** Rollout section of a placement. */
export type RolloutPolicy = NonNullable<PlacementSpec["rollout"]>;
export type RolloutStage = NonNullable<RolloutStatus["stages"]>[number];
export type RolloutCluster = NonNullable<RolloutStage["clusters"]>[number];
export type RunState = RolloutStatus["state"];
export type PauseReason = Exclude<RolloutStatus["reason"], "" | undefined>;
export type RolloutClusterState = RolloutCluster["state"];

/** From observations alone. */
export interface RolloutFacts {
  name: string;
  /** Undefined if no stage of the policy takes the cluster. */
  stage: string | undefined;
  /** The new revision has the object on this cluster. */
  wanted: boolean;
  /** The last good revision has the object on this cluster. */
  kept: boolean;
  /** In contact, and its copy was observed. */
  inContact: boolean;
  /** The copy is the new revision and no write is under way; if the cluster is not wanted any more, no copy is left. */
  onTarget: boolean;
  /** Like `onTarget`, for the last good revision. */
  onLastGood: boolean;
  /**
   * Applied last, in sync or not. `LastGood` also if both revisions are equal here, or if neither the cluster nor the
   * last good revision has a copy. `Nothing`: the copy is missing.
   */
  runs: "Target" | "LastGood" | "Other" | "Nothing";
  health: RolloutHealth;
  /** For work that has finished by the last good revision: the new one may contain other work, which failed. */
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

/** Each is idempotent and applies to one revision; those for earlier revisions do not count. */
export interface RolloutCommands {
  paused: boolean;
  /** Revision to abort. */
  abort?: number;
  /** Last resume command for a run that paused by itself, RFC 3339. Obeyed once. */
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
  /** Why a gate has no answer, by stage. */
  gateProblems?: ReadonlyMap<string, string>;
  /** Why a return is impossible; a sentence for the status. */
  lastGoodUnusable?: string;
  /** Why the run does not start, or go on after it yielded its turn; a sentence for the status. */
  waitsForTurn?: string;
  /**
   * Some cluster is not known yet, as after a restart of the manager. Nothing moves until it is: a deadline that ended
   * in the meantime proves nothing.
   */
  awaitsContact?: boolean;
}

/** Revision that a cluster gets: the new one, the last good one, or its present one, untouched. */
export type Turn = "Target" | "LastGood" | "Keep";

/** Each is one Event and one count of a metric. */
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
  /** For `status.rollout`; the same value if nothing changed. */
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
