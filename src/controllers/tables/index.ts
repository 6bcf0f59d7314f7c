/** The tables between planning and the members. Promises: one writer for each table; an unchanged row wakes nobody. */
export { type AssignmentChange, Assignments, type Cell, type DependentsOfOthers } from "./assignments.ts";
export { DampedContact, type Damping } from "./dampedContact.ts";
export { Counts, Groups } from "./groups.ts";
export { causeOf, followingOf, isUnanswered } from "./objectTraces.ts";
export { type ObservationChange, Observations } from "./observations.ts";
export { logFieldsOf, refOfKey, spanAttributes } from "./ownerKeys.ts";
export {
  type NeededThere,
  type GateQuestion,
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
export { type Debounce, type ObjectProgress, type OpenTrouble, type OpenTroubles, type Tracked } from "./tracked.ts";
export { ReportReceiver } from "./reportReceiver.ts";
export { WorkStreams } from "./workStreams.ts";
export { ReportedContacts } from "./reportedContacts.ts";
export { Capacities } from "./capacities.ts";
