/**
 * Aggregates what is known about the clusters of a hub object into the object's one status, and the outcome of a policy into the policy's
 * own status.
 *
 * It promises that nothing changes while nothing happens: the time of a condition moves only with its status, and the previous status
 * itself comes back when there is nothing to write. A health that was not reported is never called healthy, no cluster at all is
 * never success, and the numbers of a lost cluster stay, with the time at which they were true. It never reads a clock and never
 * writes anything.
 */
export { aggregate, withClusters } from "./aggregate.ts";
export {
  detailOf,
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
export type { ClusterView, RowView } from "./types.ts";
