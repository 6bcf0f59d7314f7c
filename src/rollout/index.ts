/**
 * Brings a change of an object to its clusters: stage by stage, a limited number at once, each verified before the
 * next, and rolled back on failure. A run is the rollout of one revision. The turn of a cluster is the revision that it
 * gets for now.
 *
 * The whole state of a run is `status.rollout` of the object. Promises: an object has one run at a time; a stage starts
 * only after the stage before has succeeded; a cluster keeps its old revision until its turn; only a failure or an
 * abort rolls back, and never twice; the same values give the same answer, also after a restart.
 */
export { advance, hasLateClusters } from "./advance.ts";
export { type GateReply, gateReply } from "./gateAnswer.ts";
export { type Stop, stopOf } from "./stop.ts";
export { policyOfStage, stageOf, stagesTaking } from "./stages.ts";
export { stageAtGate, stageToApprove } from "./stopped.ts";
export type {
  Advance,
  RolloutCommands,
  RolloutFacts,
  RolloutHealth,
  RolloutInput,
  RolloutPolicy,
  Transition,
  Turn,
} from "./types.ts";
