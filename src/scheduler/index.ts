/**
 * Decides which clusters run an object and how many replicas each gets: `filter` tests every cluster, `score` weighs
 * the fitting ones, `select` picks in the first affinity group that fits, and `divide` divides the replicas.
 *
 * Promises: the same answer for the same values, in any order of the clusters; a reason and all steps for every
 * cluster; replicas that add up whenever the bounds allow it; `notes` for everything that a placement asks for and does
 * not get. No client, no clock, no throw.
 */
export { compareText, indexOfName, sortedByName } from "./order.ts";
export { choosesAmong, schedule } from "./schedule.ts";
export { tolerates } from "./filter/taintToleration.ts";
export { groupOf } from "./select/topology.ts";
export { SelectorIndex } from "./selectorIndex.ts";
export { goesByHeadroom } from "./divide/shareByHeadroom.ts";
export { NEEDS_UNKNOWN, headroomFor, type CapacityReading } from "./headroom/answers.ts";
export { type PodCount, headroomBeside, HeadroomCount } from "./headroom/headroom.ts";
export type { ClusterSnapshot, ClusterTaint, Decision, HeadroomAsked, Subject, Verdict } from "./types.ts";
