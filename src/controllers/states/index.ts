/**
 * The record of each hub object: its life, plan and rollout, what it waits for, and what each part of the planner keeps
 * of it.
 *
 * Promises: one owner for each record, and one writer for each part; a part that outlives the plan is cleared by its
 * writer.
 */
export { Capacities } from "./capacities.ts";
export {
  type GateQuestion,
  type NeededThere,
  type Orphaning,
  type PartStore,
  type RolloutSlot,
  type SlotStop,
} from "./objectParts.ts";
export {
  type Finalization,
  type Footprint,
  keptOf,
  lifeOf,
  ObjectStates,
  type Plan,
  type PlanChange,
  policiesIn,
  type RolloutDraft,
} from "./objectStates.ts";
export { causeOf, followingOf, isUnanswered } from "./objectTraces.ts";
export { type Debounce, type ObjectProgress, type OpenTrouble, type OpenTroubles, type Tracked } from "./tracked.ts";
