/**
 * Decides which clusters run an object and how many replicas each gets, in stages: `filter` asks every cluster for affinity, lifecycle and
 * taints, `score` weighs the clusters that fit, `select` takes those of the first affinity group that fits, and `divide` gives out replicas.
 *
 * It promises the same answer for the same values, whatever the order of the clusters; a reason for every cluster, also
 * for the chosen ones, and the answer of every step beside it; replicas that add up to what the object asks for whenever the bounds allow
 * it; and `notes` for whatever a placement asks for and does not get. It never calls a client, never reads a clock and never throws.
 */
export { compareText, indexOfName, sortedByName } from "./order.ts";
export { choosesAmong, schedule } from "./schedule.ts";
export { tolerates } from "./filter/taintToleration.ts";
export { groupOf } from "./select/topology.ts";
export { SelectorIndex } from "./selectorIndex.ts";
export { goesByRoom } from "./divide/shareByRoom.ts";
export { NEEDS_UNKNOWN, roomFor, type RoomReading } from "./room/answers.ts";
export { type PodCount, roomBeside, RoomCount } from "./room/room.ts";
export type { ClusterSnapshot, ClusterTaint, Decision, RoomAsked, Subject, Verdict } from "./types.ts";
