import type { PlacementSpec, RolloutStatus } from "../apis/index.ts";

/** What a placement says of rollouts. */
export type RolloutPolicy = NonNullable<PlacementSpec["rollout"]>;
export type RolloutStage = NonNullable<RolloutStatus["stages"]>[number];
export type RolloutCluster = NonNullable<RolloutStage["clusters"]>[number];
export type RunState = RolloutStatus["state"];
export type PauseReason = Exclude<RolloutStatus["reason"], "" | undefined>;
export type RolloutClusterState = RolloutCluster["state"];

/** What is known of one cluster, by observations alone: nothing of it is remembered. */
export interface RolloutFacts {
  name: string;
  /** The stage that takes it; undefined where none of the policy does. */
  stage: string | undefined;
  /** The new revision has the object there. */
  wanted: boolean;
  /** The last good revision has the object there. */
  kept: boolean;
  /** Meridian is in contact with it, and knows what is there. */
  inContact: boolean;
  /** What is there is the new revision, nothing is being written; of a cluster that is not wanted any more: nothing is left. */
  onTarget: boolean;
  /** As `onTarget`, of the last good revision. */
  onLastGood: boolean;
  /**
   * What was applied there last, in sync or not. `LastGood` also where that is equal to the new revision there, and where nothing is there and
   * the last good revision has nothing there; `Nothing` where nothing is there and something should be.
   */
  runs: "Target" | "LastGood" | "Other" | "Nothing";
  health: RolloutHealth;
  /** Where work has come to its end by the last good revision: by that one alone. The new revision may ask for other work, which has failed. */
  healthOfLastGood?: RolloutHealth;
  /** Why something cannot be written there. */
  error?: string;
  /** Why the last good revision cannot be written there. */
  errorOfLastGood?: string;
}

export interface RolloutHealth {
  state: "Available" | "Progressing" | "Failed" | "Unknown";
  /** Replicas that are available, and that are asked for; both 0 for kinds without replicas. */
  available: number;
  desired: number;
  /** CamelCase code of what is wrong. */
  reason?: string;
}

/** What people said. Each is idempotent, and is about one revision: what was said of an earlier one counts no more. */
export interface RolloutCommands {
  paused: boolean;
  /** The revision that is to be given up. */
  abort?: number;
  /** When somebody said last that a run which paused by itself is to go on, RFC 3339. Obeyed once. */
  resumedAt?: string;
  /** By stage: who approved. */
  approvals: ReadonlyMap<string, string>;
  /** Nobody could approve in another's name; absent: somebody could. */
  areApproversVerified?: boolean;
  /** There are approvals as an earlier release wrote them, which count no more. */
  hasOldApprovals?: boolean;
}

/** What the external gate of a stage answered. */
export type GateAnswer = "Passed" | "Failed" | "Unknown";

export interface RolloutInput {
  policy: RolloutPolicy;
  /** `status.rollout` of the object. */
  current: RolloutStatus | undefined;
  /** The revision that is wanted; equal content has one number. */
  revision: number;
  /** Every cluster that the wanted or the last good revision names, or that has something of the object, sorted by name. */
  clusters: readonly RolloutFacts[];
  commands: RolloutCommands;
  /** By stage; one that is missing has not been asked yet. */
  gates: ReadonlyMap<string, GateAnswer>;
  /** By stage: why nobody can tell whether its gate has passed. */
  gateProblems?: ReadonlyMap<string, string>;
  /** Why nobody can return to the last good revision, where that is so. A sentence for the status. */
  lastGoodUnusable?: string;
  /**
   * Why the run does not begin yet though it could, or does not go on after it yielded its turn: the policy bounds how many objects are rolled out at
   * once. A sentence for the status.
   */
  waitsForTurn?: string;
  /**
   * Of some cluster of the run nobody knows yet whether it can be reached and what is there, as when a manager starts anew. Until that is known
   * nothing moves: a clock that has run out in the meantime says nothing.
   */
  awaitsContact?: boolean;
}

/** What a cluster gets: the new revision, the last good one, or what is there, untouched. */
export type Turn = "Target" | "LastGood" | "Keep";

/** One change of the run, of a stage or of a cluster: one Event and one count of a metric. */
export interface Transition {
  of: "Run" | "Stage" | "Cluster";
  /** Of the stage or the cluster. */
  name?: string;
  from: string;
  to: string;
  reason?: string;
  revision: number;
}

export interface Advance {
  /** For `status.rollout`; the same value as before when nothing changed. */
  status: RolloutStatus;
  /** By cluster; whoever is missing gets `others`. */
  turns: ReadonlyMap<string, Turn>;
  others: Turn;
  transitions: readonly Transition[];
  /** Stages whose external gate is to be asked now. */
  asks: readonly string[];
  /** Epoch milliseconds at which time alone changes something. */
  recheckAt?: number;
}
