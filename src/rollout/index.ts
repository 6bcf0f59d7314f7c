/**
 * How a change of an object reaches its clusters: stage by stage, so many clusters at once, each verified before the next, and back again
 * when it fails.
 *
 * `advance` is a state machine without memory of its own: the whole state of a run is `status.rollout` of the object. It promises one run for
 * an object at a time; that a stage begins only when the one before has succeeded; that a cluster whose turn has not come keeps its old
 * revision; that only a failure rolls back, and never twice; and that the same values give the same answer, whenever a manager starts anew.
 */
export { advance, hasLateClusters } from "./advance.ts";
export { type GateReply, gateReply } from "./gateAnswer.ts";
export { type Stop, stopOf } from "./stop.ts";
export { stageOf, stagesTaking } from "./stages.ts";
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
