/**
 * Decides when an object leaves a cluster that is lost or on which the object is unhealthy, and when the object
 * returns.
 *
 * Promises: nothing moves before its clock (a delay that the placement may set) has run down. Nothing moves while a
 * greater share of the clusters is lost than the placement allows. An object leaves a cluster only if another cluster
 * takes over. An object returns only after the cluster has been ready for a while. The same values give the same
 * answer, so that a new leader continues where the previous one stopped.
 */
export type { Contacts } from "./types.ts";
export { type Failover, scheduleWithFailover } from "./schedule.ts";
export { reschedulingOf, withRescheduling } from "./rescheduling.ts";
