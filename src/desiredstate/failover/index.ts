/**
 * When an object leaves a cluster that is lost, or on which it is unhealthy, and when it returns.
 *
 * It promises that nothing moves before its clock has run down; that nothing moves when a greater share of the clusters than the placement
 * allows is lost at once; that an object leaves a cluster only when another one takes what it had there; that it does not return before the
 * cluster has been well for a while; and the same answer from the same values, so that a new manager goes on where the one before was.
 */
export type { Contacts } from "./types.ts";
export { type Failover, scheduleWithFailover } from "./schedule.ts";
export { reschedulingOf, withRescheduling } from "./rescheduling.ts";
