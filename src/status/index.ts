/**
 * Aggregates the facts about the clusters of a hub object into the object's status, and the result of a policy into the
 * policy's status.
 *
 * Promises: nothing changes while nothing happens. The time of a condition moves only with its status, and the previous
 * status itself is returned if there is nothing to write. Unreported health never counts as healthy, and no cluster at
 * all never counts as success. The numbers of a lost cluster stay, with the time at which they were observed.
 *
 * Never reads a clock and never writes anything.
 */
export { aggregate, type Aggregated, aggregated } from "./aggregate.ts";
export {
  endedNotes,
  type EndedTrouble,
  EndedTroubles,
  finalizerHolds,
  isTroubled,
  type ListedTrouble,
  refusedPatches,
  runningText,
  runningThereText,
} from "./entries/index.ts";
export { deletionText, deletionWait, isHeldByRollout, type LostObjects, policyStatus } from "./conditions/index.ts";
export { explained } from "./explained.ts";
export type { ClusterView, RowView, StatusInput } from "./types.ts";
